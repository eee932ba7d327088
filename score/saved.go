package score

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// Saved is what an evaluation saved of a model on one form of a data set.
type Saved struct {
	Path    string // BASE.npy, or a folder BASE-c, BASE-c-bar or BASE-p
	Clean   string // for [Files]: BASE.npy, beside a folder of corruptions; empty: there is none, or another form has it
	Dataset string
	form    string // as results.SplitForm has it; empty: clean images
}

// Sequences reports whether they are predictions of perturbation sequences.
func (s *Saved) Sequences() bool { return "-"+s.form == results.SuffixP }

// FindSaved lists what lies in dir, where that is the folder of a model as package eval writes it, DIR/logits/MODEL: each data set
// with its forms. It returns nil for any other path.
func FindSaved(dir string) []Saved {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	clean := map[string]string{} // files by data set
	var forms []Saved
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		switch base, form := results.SplitForm(name); {
		case strings.HasPrefix(name, ".") || isBeside(name):
		case e.IsDir() && base != "" && slices.Contains([]string{results.SuffixC, results.SuffixCBar, results.SuffixP}, "-"+form):
			forms = append(forms, Saved{Path: path, Dataset: name, form: form})
		case !e.IsDir() && hasVersions(path):
			clean[strings.TrimSuffix(name, ".npy")] = path
		default:
			return nil
		}
	}
	if len(forms) == 0 && isForm(clean) {
		return nil
	}
	return withClean(forms, clean)
}

// isBeside reports whether a file is one that belongs to a file of logits.
func isBeside(name string) bool {
	return strings.HasSuffix(name, ".labels.npy") || strings.HasSuffix(name, ".versions.json")
}

// hasVersions reports whether a file is one of logits with the versions that an evaluation writes beside it.
func hasVersions(path string) bool {
	_, err := os.Stat(predictions.VersionsPath(path))
	return err == nil && filepath.Ext(path) == ".npy"
}

// isForm reports whether files are those of one form: named after corruptions or perturbations, not after data sets.
func isForm(files map[string]string) bool {
	for name := range files {
		stem, severity, _ := cutLast(name, "_")
		if _, err := strconv.ParseFloat(severity, 64); err != nil { // not fog_3
			stem = name
		}
		if slices.ContainsFunc(metrics.Profiles(), func(p *metrics.Profile) bool {
			return slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return c.Name == stem })
		}) {
			return true
		}
	}
	return false
}

// cutLast is strings.Cut around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// formOf returns the folder of the form that a file is one corruption or perturbation of, as an evaluation saved it; "" for others.
func formOf(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	dir := filepath.Dir(abs)
	for _, s := range FindSaved(filepath.Dir(dir)) {
		if s.Path == dir && hasVersions(abs) {
			return filepath.Dir(path)
		}
	}
	return ""
}

// withClean gives the clean images of each data set to its first form of corruptions, or lists them by themselves.
func withClean(forms []Saved, clean map[string]string) []Saved {
	slices.SortFunc(forms, func(a, b Saved) int { return strings.Compare(a.Dataset, b.Dataset) }) // -c, -c-bar, -p
	for i := range forms {
		if s := &forms[i]; !s.Sequences() && !isPart(s.Path) {
			base := results.Base(s.Dataset)
			s.Clean = clean[base]
			delete(clean, base)
		}
	}
	for name, path := range clean {
		forms = append(forms, Saved{Path: path, Dataset: name})
	}
	slices.SortStableFunc(forms, func(a, b Saved) int { return strings.Compare(a.Dataset, b.Dataset) })
	return forms
}

// isPart reports whether a form is of some of the clean images alone, so that it goes by itself.
func isPart(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.npy"))
	return slices.ContainsFunc(files, func(path string) bool {
		versions, err := predictions.ReadVersions(path)
		return err == nil && versions[results.VersionPartOf] != ""
	})
}

// savedAt returns what an evaluation saved at a path, a form in the folder of a model, and the model's name. It is nil for others.
func savedAt(path string) (s *Saved, model string) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, ""
	}
	dir := filepath.Dir(abs)
	all := FindSaved(dir)
	for i := range all {
		if all[i].Path == abs || all[i].Clean == abs {
			s := all[i]
			if s.Path != abs { // the clean images alone
				s = Saved{Path: abs, Dataset: results.Base(s.Dataset)}
			}
			return &s, filepath.Base(dir)
		}
	}
	return nil, ""
}
