package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// errorsOf returns the errors of an evaluation by corruption.
func errorsOf(t testing.TB, dir string) map[string]float64 {
	t.Helper()
	rows, err := results.ReadFile(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for i := range rows {
		if r := &rows[i]; r.Metric == results.NLL && r.Severity < 2 {
			out[r.Corruption] = r.Value
		}
	}
	return out
}

// TestEvalPrepares: a model remembers how images were prepared in its training, in each form of its file; flags win. Forms
// on disk that were prepared before they were corrupted are not prepared again.
func TestEvalPrepares(t *testing.T) {
	set, dir := photos(t, 12), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "train", "--data", set, "--model", "densenet-7-2", "--size", "30", "--val-size", "24", "--crop", "rrc:16", "--batch",
		"4", "--epochs", "1", "-o", in("net"), "-q")
	model := in("net/model.safetensors")
	augmix(t, exitDone, "export", model, "-o", in("net.onnx"), "-q")
	augmix(t, exitDone, "export", in("net.onnx"), "-o", in("again.safetensors"), "-q")

	suites := []string{"--suite", "clean,c", "--subset", "fog", "-j", "1"}
	measure := func(out string, args ...string) map[string]float64 {
		if !slices.Contains(args, "--c") {
			args = append(args, "--image", "raw")
		}
		augmix(t, exitDone, slices.Concat([]string{"eval"}, args, suites, []string{"-q", "-o", in(out)})...)
		return errorsOf(t, in(out))
	}
	want := measure("flags", model, set, "--size", "24", "--crop", "16")
	augmix(t, exitDone, "corrupt", set, "-o", in("form"), "--subset", "fog", "--size", "24", "--crop", "16", "--image", "png", "-q")
	for name, args := range map[string][]string{
		"own": {model, set}, "onnx": {in("net.onnx"), set}, "again": {in("again.safetensors"), set},
		"disk": {model, set, "--c", in("form")},
	} {
		if got := measure(name, args...); got[""] != want[""] || got["fog"] != want["fog"] {
			t.Errorf("%s: %v, with the flags %v", name, got, want)
		}
	}
	if other := measure("other", model, set, "--crop", "16"); other[""] == want[""] {
		t.Error("--crop alone does not win over the file")
	}
	o := augmix(t, exitDone, "eval", model, set)
	if !strings.Contains(o.err, "as in the validation of the training: shorter side to 24 pixels (bilinear), center crop 16x16") {
		t.Error(o.err)
	}
	o = augmix(t, exitFailed, "eval", model, set, "--size", "20")
	if want := "error: cat/0000 is 22x20 pixels, and the model takes images of 16x16; --size 16 --crop 16 makes them so\n"; !strings.HasSuffix(o.err, want) {
		t.Errorf("%q, want %q", o.err, want)
	}
}
