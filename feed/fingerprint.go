package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/transform"
)

// mostSizes is of how many files the fingerprint holds the size.
const mostSizes = 1 << 10

// Fingerprint is a hash of what the images of an epoch and their order depend on: the data, as far as names of classes,
// names of files and sizes of up to 1024 of them tell, and the options, but for those that say how epochs are cut into
// batches. A position is of use for loaders of the same fingerprint alone.
func (l *Loader) Fingerprint() string {
	h := sha256.New()
	o := &l.options
	fmt.Fprintf(h, "feed 1\n%q %d %q\n", l.info.Format, l.samples, l.info.Classes)
	files := data.Files(l.source)
	base := data.CommonFolder(files)
	for _, path := range files {
		fmt.Fprintf(h, "%q\n", filepath.ToSlash(strings.TrimPrefix(path, base)))
	}
	for k := range min(len(files), mostSizes) {
		if st, err := os.Stat(files[k*len(files)/min(len(files), mostSizes)]); err == nil && st.Mode().IsRegular() {
			fmt.Fprintln(h, st.Size())
		}
	}
	fmt.Fprintf(h, "%d %v %q %v %q %d\n", o.Size, o.Filter, o.Crop, o.Flip, o.Mix, o.Views)
	fmt.Fprintf(h, "%v %d %v %v %v %q\n", o.InOrder, o.Seed, o.DType, o.Layout, *o.Norm, o.Depends)
	if c := o.Corruptions; c != nil {
		writeSettings(h, "corrupt", c)
	}
	if p := o.Perturbations; p != nil {
		writeSettings(h, "perturb", p)
	}
	fmt.Fprintln(h, l.forms)
	return "sha256:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// writeSettings writes what a plan makes, in the order of the settings' names.
func writeSettings(w io.Writer, what string, plan transform.Plan) {
	made := plan.Settings()
	fmt.Fprintln(w, what)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(w, "%q %q\n", name, made[name])
	}
}
