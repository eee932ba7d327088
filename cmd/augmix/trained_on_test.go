package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainedOn: the mark of a network that was trained on what benchmarks test stays through fine-tuning, exports and logits.
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
		augmix(t, exitDone, "eval", in(net), set, "--suite", "clean,c", "--subset", "frost", "--logits", "-o", out, "-q")
		rows := tree(t, out)["results.jsonl"]
		if all, marked := strings.Count(rows, "\n"), strings.Count(rows, `"trained_on":"fog, frost"`); all == 0 || marked != all {
			t.Errorf("%s: %d of %d rows are marked: %s", net, marked, all, rows)
		}
	}
	logits := in("eval-net.onnx/logits/net")
	o = augmix(t, exitDone, "score", filepath.Join(logits, "cifar10-c"), "-o", in("scored.jsonl"))
	if !strings.Contains(o.out, "trained on fog, frost, which the benchmark tests") || !strings.Contains(o.out, "generated ice crystals") {
		t.Error(o.out)
	}
	damaged := filepath.Join(logits, "cifar10.versions.json")
	write(t, damaged, []byte("{"))
	if o = augmix(t, exitFailed, "score", filepath.Join(logits, "cifar10.npy")); !strings.Contains(o.err, damaged) {
		t.Error(o.err)
	}
}
