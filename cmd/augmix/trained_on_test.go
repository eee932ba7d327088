package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainedOn: the mark of a network that was trained on what benchmarks test stays through fine-tuning and exports.
func TestTrainedOn(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train := []string{"train", "--data", set, "--model", "wrn-10-1", "--epochs", "1", "--batch", "20"}
	augmix(t, exitDone, append(train, "-o", in("first"), "--mix", "corrupt-fog+frost-s1-3-p0.5")...)
	o := augmix(t, exitDone, append(train, "-o", in("second"), "--weights", in("first/model.safetensors"))...)
	if !strings.Contains(o.err, "trained on fog, frost before this run") {
		t.Error(o.err)
	}
	augmix(t, exitDone, "export", in("second/model.safetensors"), "-o", in("net.onnx"))
	augmix(t, exitDone, "export", in("second/best.safetensors"), "-o", in("net.safetensors"))
	for _, net := range []string{"second/model.safetensors", "second/last.safetensors", "net.onnx", "net.safetensors"} {
		out := in("eval-" + strings.ReplaceAll(net, "/", "-"))
		augmix(t, exitDone, "eval", in(net), set, "--suite", "clean,c", "--subset", "frost", "-o", out, "-q")
		rows := tree(t, out)["results.jsonl"]
		if all, marked := strings.Count(rows, "\n"), strings.Count(rows, `"trained_on":"fog, frost"`); all == 0 || marked != all {
			t.Errorf("%s: %d of %d rows are marked: %s", net, marked, all, rows)
		}
	}
}
