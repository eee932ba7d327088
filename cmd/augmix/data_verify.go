package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/raster"
)

// errDamaged: verification found damage, which was listed.
var errDamaged = errors.New("damaged")

// dataVerify checks a data set.
type dataVerify struct {
	Path   string `arg:"" name:"PATH" help:"Output of this program, or any data set."`
	Decode bool   `help:"Decode every sample even where a manifest is."`
	Jobs   int    `short:"j" placeholder:"N" help:"Workers (all cores)."`
	input
}

// Help is the end of "augmix data verify --help".
func (dataVerify) Help() string {
	return `WHAT IT CHECKS
  Where there is a manifest (PATH/manifest.json, PATH.manifest.json, PATH/epoch-*/manifest.json), every
  file is hashed again: missing, changed and additional files are listed. Without one, or with
  --decode, every sample is read and decoded. Damage is exit status 1.

EXAMPLES
  augmix data verify mixed
  augmix data verify photos --json`
}

// verifyResult is the JSON form.
type verifyResult struct {
	Path    string              `json:"path"`
	How     string              `json:"how"` // "manifest" or "decode"
	OK      bool                `json:"ok"`
	Files   int                 `json:"files,omitempty"`
	Bytes   int64               `json:"bytes,omitempty"`
	Samples int                 `json:"samples,omitempty"`
	Damage  *generate.Damage    `json:"damage,omitempty"`
	Bad     []generate.Rejected `json:"bad,omitempty"`
}

// Run checks.
func (c *dataVerify) Run(a *app) error {
	if c.Jobs <= 0 {
		c.Jobs = runtime.GOMAXPROCS(0)
	}
	var results []verifyResult
	if err := c.join(a); err != nil {
		return err
	}
	places := manifests(c.Path)
	if c.Decode {
		places = nil
	}
	for _, p := range places {
		d, err := generate.Verify(a.ctx, p, c.Jobs)
		if err != nil {
			return err
		}
		results = append(results, verifyResult{
			Path: p.Path, How: "manifest", OK: d.OK(), Files: d.Files, Bytes: d.Bytes, Damage: d,
		})
	}
	if len(places) == 0 {
		r, err := c.decode(a)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	var v any = results
	if len(results) == 1 {
		v = results[0]
	}
	if err := a.print(v, func(w io.Writer) { printVerify(w, results) }); err != nil {
		return err
	}
	for _, r := range results {
		if !r.OK {
			return fmt.Errorf("%s is %w", r.Path, errDamaged)
		}
	}
	return nil
}

// manifests returns the outputs at path that have a manifest.
func manifests(path string) []generate.Output {
	path = filepath.Clean(path)
	for _, p := range []generate.Output{{Path: path}, {Path: path, File: true}} {
		if _, err := os.Stat(p.Record(generate.ManifestName)); err == nil {
			return []generate.Output{p}
		}
	}
	var places []generate.Output
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil // not a directory: decoding will say what is wrong with it
	}
	for _, e := range entries {
		p := generate.Output{Path: filepath.Join(path, e.Name())}
		if _, err := os.Stat(p.Record(generate.ManifestName)); err == nil && strings.HasPrefix(e.Name(), "epoch-") {
			places = append(places, p)
		}
	}
	return places
}

// join puts the parts together that a run by shards left at the path.
func (c *dataVerify) join(a *app) error {
	p := generate.Output{Path: filepath.Clean(c.Path)}
	if st, err := os.Stat(c.Path); err != nil || !st.IsDir() || !generate.Sharded(p) {
		return nil
	}
	m, missing, err := generate.Join(a.ctx, p, c.Jobs)
	if len(missing) > 0 {
		err = fmt.Errorf("%s is %w: parts that are not done: %s", c.Path, generate.ErrShards, strings.Join(missing, ", "))
	}
	if m != nil {
		a.say("%s: put together %d samples, %d images", c.Path, m.Samples, m.Items)
	}
	return err
}

// decode reads and decodes every sample.
func (c *dataVerify) decode(a *app) (verifyResult, error) {
	r := verifyResult{Path: c.Path, How: "decode"}
	src, err := c.open(a, c.Path)
	if err != nil {
		return r, err
	}
	defer src.Close()
	bar := a.bar("verify", progress.Images, src.Info().Len, 0)
	defer bar.Stop()
	images := make([]raster.Image, c.Jobs)
	var mu sync.Mutex
	counted := counter(bar.Set)
	r.Samples, err = generate.Scan(a.ctx, src, c.Jobs, func(w, i int, s *data.Sample, err error) {
		if err == nil {
			err = s.Decode(&images[w])
		}
		counted(err != nil)
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			r.Bad = append(r.Bad, refusal(i, s, err))
		}
	})
	slices.SortFunc(r.Bad, func(a, b generate.Rejected) int { return a.Index - b.Index })
	r.OK = len(r.Bad) == 0
	return r, err
}

// refusal describes a sample that failed.
func refusal(i int, s *data.Sample, err error) generate.Rejected {
	f := generate.Rejected{Index: i, Key: s.Key, Name: s.Name, Reason: err.Error()}
	if bad := (*data.SampleError)(nil); errors.As(err, &bad) {
		f.Key, f.Name, f.Reason = bad.Key, bad.Name, bad.Err.Error()
	}
	return f
}

func printVerify(w io.Writer, results []verifyResult) {
	for _, r := range results {
		if d := r.Damage; d != nil {
			for _, l := range []struct {
				what  string
				names []string
			}{{"missing", d.Missing}, {"changed", d.Changed}, {"not listed", d.Extra}} {
				for _, name := range l.names {
					fmt.Fprintf(w, "%s: %s\n", l.what, name)
				}
			}
		}
		for _, b := range r.Bad {
			fmt.Fprintf(w, "bad: %s: %s\n", b.Name, b.Reason)
		}
		verdict := "damaged"
		if r.OK {
			verdict = "good"
		}
		if r.How == "manifest" {
			fmt.Fprintf(w, "%s: %s (%d files, %s, by the manifest)\n", r.Path, verdict, r.Files, progress.Size(r.Bytes))
		} else {
			fmt.Fprintf(w, "%s: %s (%d samples decoded)\n", r.Path, verdict, r.Samples)
		}
	}
}
