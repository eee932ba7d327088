//go:build unix

package robustbench

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCheckPipes: a pipe in the place of a model's file or of the table is named and not opened, which would never end, and no more is
// read of a file than it can need.
func TestCheckPipes(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, rows("Ours", "cifar10"))
	at := folder(dir, "cifar10")
	if err := syscall.Mkfifo(filepath.Join(at, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "large.json"), make([]byte, maxModel+1), 0o600); err != nil {
		t.Fatal(err)
	}
	models, problems, err := Check(dir)
	if err != nil || models != 3 || len(problems) != 2 {
		t.Fatalf("%d models, %v, %v", models, problems, err)
	}
	for i, want := range []string{"allowed: at most 1048576", "not a regular file"} {
		if p := problems[i]; !strings.Contains(p.What, want) {
			t.Errorf("%+v, want %q", p, want)
		}
	}
	table := filepath.Join(at, tableName)
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(table, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problems, err = Check(dir); err != nil || !strings.Contains(problems[0].What, "not a regular file") {
		t.Errorf("%v, %v", problems, err)
	}
	e, err := FromRows(rows("Other", "cifar10"), about())
	if err == nil {
		err = Write(dir, e)
	}
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("written beside a pipe: %v", err)
	}
}
