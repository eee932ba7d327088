package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExportCondensed: what training leaves of a CondenseNet, also as an average, is converted and evaluated, and keeps its mark.
func TestExportCondensed(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train := []string{"train", "--data", set, "--epochs", "2", "--batch", "10", "--eval-every", "1", "-q"}
	augmix(t, exitDone, append(train, "-o", in("net"), "--model", "condensenet-small-8-c4", "--ema", "0.9", "--mix", "gaussian")...)
	for _, out := range []string{"converted.safetensors", "converted.onnx"} {
		augmix(t, exitDone, "export", in("net/model.safetensors"), "--condense", "-o", in(out))
		augmix(t, exitDone, "eval", in(out), set, "-o", in(out+"-eval"), "-q")
		if rows := tree(t, in(out+"-eval"))["results.jsonl"]; !strings.Contains(rows, `"trained_on":"gaussian noise"`) {
			t.Errorf("%s: rows without a mark: %s", out, rows)
		}
	}
	o := augmix(t, exitUsage, "export", in("converted.onnx"), "--condense", "-o", in("again.onnx"))
	if !strings.Contains(o.err, "condensenet-small-8-c4-converted has no converted form") {
		t.Error(o.err)
	}
	augmix(t, exitDone, append(train, "-o", in("other"), "--model", "wrn-10-1")...)
	o = augmix(t, exitUsage, "export", in("other/model.safetensors"), "--condense", "-o", in("other.onnx"))
	if !strings.Contains(o.err, "wrn-10-1 has no converted form") {
		t.Error(o.err)
	}
}
