package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// fvisNet writes a small network that says itself what it is.
func fvisNet(t *testing.T, dir string, seed uint64) string {
	t.Helper()
	in := graph.Shape{H: 32, W: 32, C: 3}
	g, err := models.Build("wrn-10-1", in, 10)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(seed))
	var ts []weights.Tensor
	for _, x := range net.Tensors() {
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	half := []float64{0.5, 0.5, 0.5}
	path := filepath.Join(dir, fmt.Sprintf("net%d.safetensors", seed))
	info := weights.Info{Model: "wrn-10-1", Input: in, Classes: 10, Mean: half, Std: half}
	if err := weights.WriteFile(path, ts, info.Metadata()); err != nil {
		t.Fatal(err)
	}
	return path
}

func fvisArgs(file, out string, more ...string) []string {
	args := []string{"mixset", "fvis", "--weights", file, "-n", "38", "--size", "20", "--steps", "2", "-j", "2", "-o", out}
	return append(args, more...)
}

// Same bytes in one run and in several; the result is a mixing set; other weights are not mixed in.
func TestMixsetFvis(t *testing.T) {
	dir := t.TempDir()
	file := fvisNet(t, dir, 1)
	for _, name := range []string{"set", "set.npy"} {
		whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
		begun := time.Now()
		augmix(t, exitDone, fvisArgs(file, filepath.Join(whole, name))...)
		took := time.Since(begun)
		stops := 0
		for code := -1; code != exitDone; stops++ {
			if stops > 50 {
				t.Fatal("the run does not get on")
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			after := took * time.Duration(stops) / 3
			timer := time.AfterFunc(after, func() { cancel(errInterrupted) })
			if after == 0 {
				cancel(errInterrupted)
			}
			o := augmixIn(ctx, nil, fvisArgs(file, filepath.Join(parts, name), "--checkpoint", "1ms")...)
			timer.Stop()
			if code = o.code; code != exitDone && code != exitInterrupted {
				t.Fatalf("exit code %d: %s", o.code, o.err)
			}
		}
		if stops < 2 {
			t.Error("the run was not interrupted once")
		}
		sameTree(t, tree(t, parts), tree(t, whole))
	}
	out := filepath.Join(dir, "only", "set")
	augmix(t, exitDone, fvisArgs(file, out)...)
	augmix(t, exitDone, "verify", out)
	set, err := mixset.Open(t.Context(), out, mixset.Options{Size: 16})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if set.Len() != 38 || set.Image(0).W != 18 {
		t.Errorf("%d images of width %d", set.Len(), set.Image(0).W)
	}
	o := augmix(t, exitFailed, fvisArgs(fvisNet(t, dir, 2), out)...)
	if !strings.Contains(o.err, "weights-sha256") {
		t.Errorf("other weights: %q", o.err)
	}
	// The recorded options make it again.
	again := filepath.Join(dir, "again", "set")
	augmix(t, exitDone, "mixset", "fvis", "--config", filepath.Join(out, "args.yaml"), "-j", "2", "-o", again)
	sameTree(t, tree(t, filepath.Dir(again)), tree(t, filepath.Join(dir, "only")))
	// PixMix takes it.
	augmix(t, exitDone, "sheet", "--mix", "pixmix", "--mixset", out, "--samples", "2",
		filepath.Join(out, "000000.png"), "-o", filepath.Join(dir, "sheet.png"))
}

func TestMixsetFvisErrors(t *testing.T) {
	dir := t.TempDir()
	out, file := filepath.Join(dir, "set"), fvisNet(t, dir, 1)
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"mixset fvis", exitUsage, "--weights FILE"},
		{"mixset fractals --layer conv1", exitUsage, "go with the kind fvis"},
		{"mixset fvis --weights " + file + " --layer conv9", exitUsage, "(allowed: conv1, block1.layer.0.conv1, "},
		{"mixset fvis --weights " + file + " --size 8", exitUsage, "side 8 (allowed: 16 to 512)"},
		{"mixset fvis --weights " + file + " -n 0", exitUsage, "0 images (allowed: 1 to "},
		{"mixset fvis --weights " + file + " --steps=-1", exitUsage, "--steps -1 (allowed: 1 to"},
		{"mixset fvis --weights " + file + " --steps 999999", exitUsage, "999999 steps (allowed: 1 to"},
		{"mixset fvis --weights " + file + " --norm x", exitUsage, "norm: x (allowed: half"},
		{"mixset fvis --weights " + file + " --model wrn", exitUsage, "wrn-DEPTH-WIDTH"},
		{"mixset fvis --weights " + file + " --model wrn-16-1", exitFailed, "missing"},
		{"mixset fvis --weights " + filepath.Join(dir, "none.npz"), exitFailed, "none.npz"},
		{"mixset fractal", exitUsage, "; or fvis"},
		{"mixset fractals --size 1", exitUsage, "(allowed: 8 to 4096)\n"},
	} {
		o := augmix(t, tt.code, append(strings.Fields(tt.args), "-o", out)...)
		if !strings.Contains(o.err, tt.says) {
			t.Errorf("%s: %q lacks %q", tt.args, o.err, tt.says)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
