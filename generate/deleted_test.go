package generate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDeleted: what was deleted is told from what was not made yet.
func TestDeleted(t *testing.T) {
	base := t.TempDir()
	var outputs []Output
	for _, name := range []string{"1", "2", "3", "4"} {
		outputs = append(outputs, Output{Path: filepath.Join(base, name)})
	}
	check := func(what string, want ...bool) {
		t.Helper()
		if got := Deleted(outputs); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("nothing made", false, false, false, false)
	for _, out := range outputs[:3] {
		mustRun(t, testJob(out.Path, 5, nil))
	}
	check("three made", false, false, false, false)
	if err := os.RemoveAll(outputs[0].Path); err != nil { // all of it
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(outputs[1].Path, "items.log")); err != nil { // the data alone
		t.Fatal(err)
	}
	check("two deleted", true, true, false, false)
	if err := os.Remove(filepath.Join(outputs[2].Path, "items.log")); err != nil {
		t.Fatal(err)
	}
	check("all deleted", true, true, true, false)
}
