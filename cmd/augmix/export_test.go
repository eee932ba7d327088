package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/train"
)

// A trained network goes out and comes back: the weights of both forms are those of the run.
func TestExport(t *testing.T) {
	recipe, dir := tinyRun(t)
	run := filepath.Join(dir, "standard")
	augmix(t, exitDone, "train", recipe, "--method", "standard", "-o", run)
	model := filepath.Join(run, train.ModelName)
	want, _, err := weights.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	tensors, network := filepath.Join(dir, "net.safetensors"), filepath.Join(dir, "net.onnx")
	o := augmix(t, exitDone, "export", model, "-o", tensors, "--json")
	var r exportResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.Model != "wrn-10-1" || r.Parameters != 77850 {
		t.Errorf("%v: %s", err, o.out)
	}
	augmix(t, exitDone, "export", model, "-o", network, "--opset", "17")
	got, meta, err := weights.ReadFile(tensors)
	if err != nil {
		t.Fatal(err)
	}
	if meta[weights.KeyMean] != "0.5 0.5 0.5" || meta[weights.KeyInput] != "16x16x3" {
		t.Errorf("metadata %v", meta)
	}
	m, err := onnx.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	for name, ts := range map[string][]weights.Tensor{"safetensors": got, "onnx": m.Weights()} {
		dst := make([]weights.Tensor, len(want))
		for i, w := range want {
			dst[i] = weights.Tensor{Name: w.Name, Shape: w.Shape, Data: make([]float32, len(w.Data))}
		}
		if err := weights.Fill(dst, ts); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range want {
			for j, v := range want[i].Data {
				if dst[i].Data[j] != v {
					t.Fatalf("%s: %s differs at %d", name, want[i].Name, j)
				}
			}
		}
	}
	// Measured from either form the numbers are those of the run.
	a := augmix(t, exitDone, "eval", model, "scenes:n=20,size=16,split=test", "--name", "x")
	b := augmix(t, exitDone, "eval", tensors, "scenes:n=20,size=16,split=test", "--name", "x")
	if a.out != b.out {
		t.Errorf("%s\n%s", a.out, b.out)
	}
}

func TestExportUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "foreign.safetensors")
	if err := weights.WriteFile(file, []weights.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "no such file", []string{"nothing.npz", "-o", "x.onnx"}},
		{exitFailed, "--model", []string{file, "-o", "x.onnx"}},
		{exitFailed, "--norm", []string{file, "-o", "x.onnx", "--model", "resnet20"}},
		{exitUsage, "allowed: half", []string{file, "-o", "x.onnx", "--norm", "1"}},
	} {
		o := augmixIn(t.Context(), nil, append([]string{"export"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.err, c.want) {
			t.Errorf("%v: exit code %d, no %q in %s", c.args, o.code, c.want, o.err)
		}
	}
	if _, err := os.Stat("x.onnx"); err == nil {
		t.Error("a file was left behind")
	}
}
