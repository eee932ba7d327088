package generate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Outputs of more than 999 epochs come in the order of their numbers, though not of their names.
func TestOutputsOfEpochs(t *testing.T) {
	dir := Output{Path: t.TempDir()}
	var want []Output
	for _, n := range []int{1, 12, 999, 1000, 1001} {
		p := dir.Epoch(n)
		if err := os.MkdirAll(p.Path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Path, ManifestName), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
		want = append(want, p)
	}
	equal := func(a, b Output) bool { return a.Path == b.Path }
	if got := Outputs(dir.Path); !slices.EqualFunc(got, want, equal) {
		t.Errorf("outputs %v, want %v", got, want)
	}
}
