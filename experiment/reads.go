package experiment

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// glances are digests of the files that a stage reads, as data.Glance makes them, by the option that names them. What is not
// of files, or cannot be opened, has none.
type glances map[string]string

// differ returns the options, in the order of the alphabet, whose files are others now. Files of which one side knows
// nothing are not compared: data that are gone are no reason to do a stage again.
func (was glances) differ(now glances) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if a, b := was[name], now[name]; a != "" && b != "" && a != b {
			names = append(names, name)
		}
	}
	return names
}

// reads looks at the files, of data sets and others, that a result of the stage depends on. The validation data of a training are not
// among them: the weights do not depend on them. seen keeps what was looked at, for the next stage.
func (s *Stage) reads(seen map[string]string) glances {
	g := glances{}
	set := func(option, path string, o formats.Options, parts ...string) {
		key := fmt.Sprintf("%q %+v %q", path, o, parts)
		sum, ok := seen[key]
		if !ok {
			sum = glanceSet(path, o, parts...)
			seen[key] = sum
		}
		if sum != "" {
			g[option] = sum
		}
	}
	tree := func(option, dir string) {
		sum, ok := seen[dir]
		if !ok {
			sum = glanceTree(dir)
			seen[dir] = sum
		}
		if sum != "" {
			g[option] = sum
		}
	}
	switch {
	case s.Train != nil:
		c := &s.Train.Config
		if o, err := c.Input(); err == nil { // else the stage meets it again
			set("data", c.Data, o, "train")
		}
		set("outliers", c.Outliers, formats.Options{Unlabeled: true}, "train")
		for _, path := range mixset.Paths(c.Mixset) { // none where it is generated
			name := "mixset"
			if path != c.Mixset { // one of several that are joined
				name += " " + path
			}
			set(name, path, formats.Options{Unlabeled: true}, "")
		}
		if _, err := os.Stat(c.Styles); err == nil {
			set("styles", c.Styles, formats.Options{Unlabeled: true}, "")
		}
		tree("style-weights", c.StyleWeights)
		tree("network", c.Network)
		tree("classes", ownClasses(c.Classes))
		if weights, err := train.WeightsOf(c.Weights); err == nil { // else the stage meets it again
			if sum := glanceTree(weights); sum != "" { // not kept: an earlier stage may make them
				g["weights"] = sum
			}
		}
	case s.Eval != nil:
		e := s.Eval
		o := e.input()
		o.Stdin = nil
		if sum := glanceTree(e.File); sum != "" { // not kept, as weights
			g["file"] = sum
		}
		set("in", e.In, o, "test")
		tree("c", e.C)
		tree("cbar", e.Cbar)
		tree("p", e.P)
		tree("frost-dir", e.FrostDir)
		tree("style-weights", e.StyleWeights)
		tree("profile", ownProfile(e.Profile))
		tree("classes", ownClasses(e.Classes))
		if _, err := os.Stat(e.Styles); err == nil {
			set("styles", e.Styles, formats.Options{Unlabeled: true}, "")
		}
		set("ood-train", e.OODTrain, e.alike(), "train")
		set("temperature-on", e.TemperatureOn, e.alike(), "val")
		for _, name := range slices.Sorted(maps.Keys(e.OOD)) {
			set("ood "+name, e.OOD[name], formats.Options{Unlabeled: true}, "test")
		}
	case s.Sheet != nil:
		o := s.Sheet.Options()
		o.Stdin = nil
		for _, in := range s.Sheet.In {
			set("in "+in, in, o, sheetParts...)
		}
	}
	return g
}

// ownClasses is the file that a map of classes is read from; "" for a built-in one.
func ownClasses(name string) string {
	if slices.Contains(formats.ClassMaps(), name) {
		return ""
	}
	return name
}

// ownProfile is the file that parameters of corruptions are read from; "" for built-in ones.
func ownProfile(name string) string {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || tables.Text(name) != "" {
		return ""
	}
	return name
}

// glanceSet looks at the files of a data set. An error is left for the stage, which meets it again.
func glanceSet(path string, o formats.Options, parts ...string) string {
	if path == "" || path == formats.Standard {
		return ""
	}
	src, _, err := formats.OpenSplit(path, o, parts...)
	if err != nil {
		return ""
	}
	defer src.Close()
	sum, _ := data.Glance(src)
	return sum
}

// glanceTree looks at the files below a folder; "" has none.
func glanceTree(dir string) string {
	var files []string
	if dir != "" {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files = append(files, path)
			}
			return err
		})
	}
	sum, _ := data.GlanceFiles(files)
	return sum
}

// setAside gives the folder of a training or an evaluation another name, so that it can be done anew with other files and nothing
// is lost: NAME-old, NAME-old2, and so on. It does nothing for stages that only write files anew.
func (s *Stage) setAside() error {
	dir := ""
	switch {
	case s.Train != nil:
		dir = s.Train.Dir
	case s.Eval != nil:
		dir = s.Eval.Dir
	}
	if dir == "" || !isDir(dir) {
		return nil
	}
	for n := 1; ; n++ {
		old := dir + "-old"
		if n > 1 {
			old += fmt.Sprint(n)
		}
		if _, err := os.Lstat(old); err == nil {
			continue
		}
		s.Kept = old
		return os.Rename(dir, old)
	}
}
