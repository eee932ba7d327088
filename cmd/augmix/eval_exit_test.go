package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalExit: rows of an exit have it in the model's name, and an exit that is not there is named with those that are.
func TestEvalExit(t *testing.T) {
	set, dir := cifarFolder(t, 20), t.TempDir()
	net, out := filepath.Join(dir, "net"), filepath.Join(dir, "out")
	augmix(t, exitDone, "train", "--data", set, "-o", net, "--model", "msdnet-small-2-1", "--epochs", "1", "--batch", "10", "-q")
	model := filepath.Join(net, "model.safetensors")
	for _, exit := range []string{"0", "1", "2"} {
		augmix(t, exitDone, "eval", model, set, "-o", out, "--exit", exit, "-q")
	}
	names := map[string]bool{}
	for k := range byKey(t, filepath.Join(out, "results.jsonl")) {
		names[k.Model] = true
	}
	if len(names) != 3 || !names["net"] || !names["net-exit1"] || !names["net-exit2"] {
		t.Errorf("rows of %v", names)
	}
	o := augmix(t, exitUsage, "eval", model, set, "--exit", "3")
	if !strings.Contains(o.err, "3 of msdnet-small-2-1 (allowed: 1 to 2)") {
		t.Error(o.err)
	}
}
