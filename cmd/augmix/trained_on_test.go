package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/results"
)

// TestTrainedOn: the mark of a network that was trained on what benchmarks test stays through fine-tuning, exports and logits.
func TestTrainedOn(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	train := []string{"train", "--data", set, "--model", "densenet-7-2", "--epochs", "1", "--batch", "20"}
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

// TestTrainedOnOutputs: a network that is trained on what this program made has the mark of what that was made with.
func TestTrainedOnOutputs(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "augment", set, "--split", "train", "-o", in("mixed"), "--mix", "corrupt-fog-p1", "-q")
	augmix(t, exitDone, "augment", set, "--split", "train", "-o", in("one.npy"), "--mix", "gaussian", "-q")
	augmix(t, exitDone, "corrupt", set, "--split", "train", "-o", in("c"), "--subset", "snow,lines", "--severity", "1", "--output-format", "folder", "-q")
	augmix(t, exitDone, "stream", set, "--split", "train", "-o", in("s"), "--subset", "snow", "--order", "mixed-s3", "-q")
	for data, want := range map[string]string{"mixed": "fog", "one.npy": "gaussian noise", "c/snow/1": "snow", "s": "snow"} {
		out := in("net-" + strings.ReplaceAll(data, "/", "-"))
		o := augmix(t, exitDone, "train", "--data", in(data), "--val", "none", "--model", "densenet-7-2", "--epochs", "1", "--batch", "20", "-o", out)
		if !strings.Contains(o.err, "its images were made with "+want+", says "+in("")) {
			t.Error(o.err)
		}
		n, err := eval.LoadNetwork(filepath.Join(out, "model.safetensors"), eval.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.TrainedOn(); got[results.VersionTrainedOn] != want || len(got) != 1 {
			t.Errorf("%s: marked with %v, want %s", data, got, want)
		}
	}
}
