package data_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// TestRemoveTemporaries: what killed programs leave is removed, and nothing else.
func TestRemoveTemporaries(t *testing.T) {
	dir := t.TempDir()
	ours := []string{
		".last.safetensors.123-0.partial", ".fog.npy.2666235450.partial", "records.npz.tmp1888599751",
		".results.jsonl.tmp-77", ".a.b.partial.1-2.partial",
	}
	kept := []string{
		"last.safetensors", ".last.safetensors.x-0.partial", ".last.safetensors.12.x.partial", "last.safetensors.12-0.partial",
		".12-0.partial", "records.npz.tmp", "records.npz.tmpx1", ".results.jsonl.tmp77", "out.npy.partial", ".tmp5", ".tmp-5",
		".other.txt.12-0.partial",
	}
	for _, name := range slices.Concat(ours, kept) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".folder.1-2.partial"), 0o755); err != nil {
		t.Fatal(err)
	}
	kept = append(kept, ".folder.1-2.partial")
	if err := os.Symlink("last.safetensors", filepath.Join(dir, ".link.1-2.partial")); err == nil {
		kept = append(kept, ".link.1-2.partial")
	}
	if err := data.RemoveTemporaries(dir, func(name string) bool { return name != "other.txt" }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(kept)
	if !slices.Equal(got, kept) {
		t.Errorf("left %q, want %q", got, kept)
	}
	if err := data.RemoveTemporaries(filepath.Join(dir, "none"), nil); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestCreateAtomicIsFound: the names that CreateAtomic gives are those that are removed.
func TestCreateAtomicIsFound(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second has another number
		if _, err := storage.CreateAtomic(filepath.Join(dir, "x.npy")); err != nil {
			t.Fatal(err)
		}
	}
	err := data.RemoveTemporaries(dir, func(name string) bool { return name == "x.npy" })
	if entries, _ := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}
