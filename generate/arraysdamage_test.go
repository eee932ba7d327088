package generate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
)

// A byte that changes in an unfinished array, or in one that has its name before the run is complete, is found when the run
// resumes, wherever it lies.
func TestDamagedArrays(t *testing.T) {
	const n = 20
	stopAt := func(dir, event string, at int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		j := expandJob("arrays", dir, n, func(e string) error {
			if at--; e == event && at <= 0 {
				if event == "close" {
					return errBroken
				}
				cancel()
			}
			return nil
		})
		if _, err := Run(ctx, j); err == nil {
			t.Fatal("not stopped")
		}
	}
	flip := func(path string, from float64) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[int(from*float64(len(text)))] ^= 1
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	half := t.TempDir()
	stopAt(half, "put", 13)
	for name, from := range map[string]float64{"fog.npy": 0.1, "contrast.npy": 0.4, "jpeg_compression.npy": 0.7, "labels": 0.5} {
		dir := filepath.Join(t.TempDir(), "out")
		copyTree(t, dir, half)
		flip(filepath.Join(dir, name+storage.TempSuffix), from)
		if _, err := Run(t.Context(), expandJob("arrays", dir, n, nil)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// All samples are in, and a file has its name.
	last := t.TempDir()
	stopAt(last, "close", 0)
	path := filepath.Join(last, "fog.npy")
	if err := os.Rename(path+storage.TempSuffix, path); err != nil {
		t.Fatal(err)
	}
	flip(path, 0.9)
	if _, err := Run(t.Context(), expandJob("arrays", last, n, nil)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file with its name: %v", err)
	}
	// All files have their names; the journal does not say so yet, or does and the manifest is not there yet.
	for _, noted := range []bool{false, true} {
		base := filepath.Join(t.TempDir(), "base")
		dir := t.TempDir()
		blocked := filepath.Join(dir, ManifestName)
		_, err := Run(t.Context(), expandJob("arrays", dir, n, func(event string) error {
			switch {
			case event != "closed":
				return nil
			case noted:
				return os.Mkdir(blocked, 0o777)
			}
			copyTree(t, base, dir)
			return nil
		}))
		if noted {
			if err == nil {
				t.Fatal("a manifest where a folder is")
			}
			if err := os.Remove(blocked); err != nil {
				t.Fatal(err)
			}
			base = dir
		}
		for name, from := range map[string]float64{"": 0, "fog.npy": 0.9, "contrast.npy": 0.2, "labels.npy": 0.95} {
			dir := filepath.Join(t.TempDir(), "out")
			copyTree(t, dir, base)
			if name != "" {
				flip(filepath.Join(dir, name), from)
			}
			if _, err := Run(t.Context(), expandJob("arrays", dir, n, nil)); errors.Is(err, ErrDamaged) != (name != "") {
				t.Errorf("%q damaged, noted %t: %v", name, noted, err)
			}
		}
	}
}
