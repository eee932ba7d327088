package memtemp

import (
	"os"
	"testing"
)

// TestUse: what the user says wins, and temporary files can be written.
func TestUse(t *testing.T) {
	own := t.TempDir()
	t.Setenv("TMPDIR", own)
	Use()
	if os.TempDir() != own {
		t.Errorf("TMPDIR is %s, want %s", os.TempDir(), own)
	}
	t.Setenv("TMPDIR", "")
	Use()
	dir, err := os.MkdirTemp("", "memtemp")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
}
