package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/generate"
)

// A plan says what the run then writes: the same numbers of images and files, bytes within a few percent, and writes nothing.
func TestPlan(t *testing.T) {
	in, dir := photos(t, 24), t.TempDir()
	for i, c := range []struct {
		args    []string
		file    string // the output, where it is one
		percent float64
	}{
		{[]string{"corrupt", in, "--subset", "fog,contrast", "--severity", "1-3"}, "", 5},
		{[]string{"corrupt", in, "--crop", "32", "--subset", "fog,contrast", "--output-format", "npy"}, "", 1},
		{[]string{"corrupt", in, "--subset", "fog", "--output-format", "wds", "--per-shard", "10"}, "", 10},
		{[]string{"perturb", in, "--size", "36", "--crop", "32", "--subset", "tilt,translate"}, "", 5},
		{[]string{"augment", in, "--views", "3"}, "", 5},
		{[]string{"augment", in, "--crop", "32", "--views", "2"}, "x.npy", 1},
		{[]string{"augment", in, "--views", "3", "--output-format", "wds", "--per-shard", "7", "--image", "jpeg"}, "", 10},
		{[]string{"augment", in, "--crop", "32", "--mix", "mixup", "--views", "2", "--output-format", "wds"}, "", 5},
		{[]string{"augment", in, "--crop", "16", "--mix", "mixup"}, "x.npz", 1},
		{[]string{"data", "convert", in, "--crop", "32", "--limit", "5", "--output-format", "cifar10"}, "", 1},
		{[]string{"data", "convert", in, "--crop", "32", "--deflate"}, "x.npz", 10},
		{[]string{"mixset", "fractals", "-n", "12", "--size", "36"}, "", 5},
	} {
		base := filepath.Join(dir, string(rune('a'+i)))
		out := filepath.Join(base, c.file)
		args := append(c.args, "-o", out)
		o := augmix(t, exitDone, append(args, "--plan", "--json")...)
		if _, err := os.Lstat(base); err == nil {
			t.Fatalf("%q: something was written", c.args)
		}
		var plan planResult
		if err := json.Unmarshal([]byte(o.out), &plan); err != nil {
			t.Fatalf("%q: %v: %s", c.args, err, o.out)
		}
		augmix(t, exitDone, args...)
		m, err := generate.ReadManifest(generate.Output{Path: out, File: c.file != ""})
		if err != nil {
			t.Fatal(err)
		}
		lists := 0 // labels and classes beside arrays, classes in each tar folder
		for _, f := range m.Files {
			if c.args[0] == "corrupt" && (filepath.Base(f.Path) == "labels.npy" || filepath.Base(f.Path) == "classes.txt" && !strings.Contains(f.Path, "/")) {
				lists++
			}
		}
		off := 100 * (float64(plan.Bytes)/float64(m.Bytes) - 1)
		t.Logf("%q: planned %d bytes, wrote %d: %+.1f %%", c.args, plan.Bytes, m.Bytes, off)
		if plan.Images != m.Items || plan.Files != len(m.Files)-lists || plan.Samples != m.Samples || off > c.percent || off < -c.percent {
			t.Errorf("%q: planned %+v, wrote %d images, %d files, %d bytes of %d samples", c.args, plan.Plan, m.Items, len(m.Files)-lists, m.Bytes, m.Samples)
		}
		if plan.Seconds <= 0 || plan.Tried < 4 {
			t.Errorf("%q: %v s from %d samples", c.args, plan.Seconds, plan.Tried)
		}
	}
	o := augmix(t, exitDone, "augment", in, "-o", filepath.Join(dir, "e"), "--epochs", "3", "--plan")
	if !strings.Contains(o.out, "24 samples, 72 images, 72 files, ") || !strings.Contains(o.out, " in 3 epochs\n") ||
		!strings.Contains(o.out, "estimated from 24 samples made in memory") {
		t.Error(o.out)
	}
	o = augmix(t, exitDone, "corrupt", in, "-o", filepath.Join(dir, "f"), "--subset", "fog", "--shard", "1/2", "--plan")
	if !strings.Contains(o.out, "fog/5  12") || !strings.Contains(o.out, "12 samples, 60 images, 60 files") {
		t.Error(o.out)
	}
}
