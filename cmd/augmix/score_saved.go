package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/score"
)

// checkSaved refuses flags that go with one form of what eval --logits saved, and not with the folder of a model that holds several.
func (c *scoreCmd) checkSaved(path string, saved []score.Saved) error {
	if len(saved) == 0 {
		return nil
	}
	name := firstOf(map[string]bool{
		"labels": c.Labels != "", "layout": c.Layout != "auto", "severity": c.Severity != 0, "frames": c.Frames != 0, "dataset": c.Dataset != "",
		"ood": len(c.Ood) > 0, "ensemble": c.Ensemble, "compare": c.Compare != "",
	})
	if name != "" {
		return usagef("--%s with %s, in which eval --logits saved all forms of a data set (allowed: with one of them, such as %s)", name, path,
			saved[0].Path)
	}
	return nil
}

// savedBelow lists the folders of models in a folder of results, or in its logits.
func savedBelow(path string) (dirs []string) {
	for _, dir := range []string{path, filepath.Join(path, "logits")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if at := filepath.Join(dir, e.Name()); e.IsDir() && len(score.FindSaved(at)) > 0 {
				dirs = append(dirs, at)
			}
		}
	}
	return dirs
}

// formOf are the files and options of one form of what lies at path. Options that its layout has no use for are left to the others,
// where there are any.
func formOf(s *score.Saved, all []score.Saved, path string, files score.Files, o score.Options) (score.Files, score.Options) {
	files.Path, files.Clean, o.Dataset = s.Path, s.Clean, s.Dataset
	if abs, err := filepath.Abs(path); err == nil {
		o.Model = cmp.Or(o.Model, filepath.Base(abs))
	}
	if !slices.ContainsFunc(all, func(other score.Saved) bool { return other.Sequences() != s.Sequences() }) {
		return files, o
	}
	if s.Sequences() {
		o.Bins, o.Adaptive.Size, o.Published, o.PerClass = 0, 0, false, false
	} else {
		o.Difficulty, o.Zipf = 0, false
	}
	return files, o
}
