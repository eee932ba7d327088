package results

import (
	"os"
	"path/filepath"
)

// evaluations is the folder of a method's evaluation in that of an experiment, DIR/METHOD/eval.
const evaluations = "eval"

// RunsBelow lists the folders of results in a folder that is none itself, such as that of an experiment: the evaluations of its
// methods, or whatever in it has rows.
func RunsBelow(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var measured, others []string
	add := func(list *[]string, path string) {
		if _, err := os.Stat(filepath.Join(path, FileName)); err == nil {
			*list = append(*list, path)
		}
	}
	add(&measured, filepath.Join(dir, evaluations))
	for _, e := range entries {
		if e.IsDir() && e.Name() != evaluations {
			path := filepath.Join(dir, e.Name())
			add(&measured, filepath.Join(path, evaluations))
			add(&others, path)
		}
	}
	if len(measured) > 0 {
		return measured
	}
	return others
}
