package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMan: every command has a page, which names its flags, its examples and the exit status.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	augmix(t, exitDone, "man", "-o", dir, "-q")
	paths := commands(t)
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(paths) {
		t.Errorf("%d pages of %d commands, %v", len(files), len(paths), err)
	}
	for _, path := range paths {
		name := strings.ReplaceAll(strings.TrimSpace("augmix "+path), " ", "-")
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{".Sh NAME", ".Sh EXIT STATUS", `Fl \&\-json`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the page of %q lacks %q", path, want)
			}
		}
	}
	train, err := os.ReadFile(filepath.Join(dir, "augmix-train.1"))
	if err != nil || !strings.Contains(string(train), `Fl \&\-out Ns = Ns Ar \&RUN`) ||
		!strings.Contains(string(train), `Fl \&\-[no\-]flip`) {
		t.Errorf("%v: the page of train lacks its flags", err)
	}
}

// TestSBOM: the list of modules is SPDX.
func TestSBOM(t *testing.T) {
	out := augmix(t, exitDone, "version", "--sbom").out
	var d struct {
		Version  string `json:"spdxVersion"`
		Packages []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Version != "SPDX-2.3" || len(d.Packages) < 5 {
		t.Errorf("%v: %s", err, out)
	}
}
