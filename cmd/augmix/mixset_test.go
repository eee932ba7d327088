package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/mixset"
)

// mixsetTargets are the forms that images are written in.
var mixsetTargets = []struct {
	name string
	args []string
}{
	{"set", nil},
	{"set.npy", nil},
	{"shards", []string{"--output-format", "wds", "--per-shard", "17"}},
}

func mixsetArgs(dir string, i int, more ...string) []string {
	f := mixsetTargets[i]
	args := []string{"mixset", "deadleaves", "-n", "60", "--size", "20", "--seed", "3"}
	args = append(args, "-o", filepath.Join(dir, f.name))
	return append(append(args, f.args...), more...)
}

// Same bytes by any number of workers, in one run or in several, in every form.
func TestMixsetInterrupted(t *testing.T) {
	for i, f := range mixsetTargets {
		t.Run(f.name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			begun := time.Now()
			augmix(t, exitDone, mixsetArgs(whole, i, "-j", "1")...)
			took := time.Since(begun)
			stops := 0
			for code := -1; code != exitDone; stops++ {
				if stops > 100 {
					t.Fatal("the run does not get on")
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				after := took * time.Duration(stops) / 5
				timer := time.AfterFunc(after, func() { cancel(errInterrupted) })
				if after == 0 {
					cancel(errInterrupted)
				}
				o := augmixIn(ctx, nil, mixsetArgs(dir, i, "-j", fmt.Sprint(1+stops%7), "--checkpoint", "1ms")...)
				timer.Stop()
				if code = o.code; code != exitDone && code != exitInterrupted {
					t.Fatalf("exit code %d: %s", o.code, o.err)
				}
				if code == exitInterrupted && !strings.Contains(o.err, "the same command resumes") {
					t.Errorf("interrupted: %q", o.err)
				}
			}
			if stops < 2 {
				t.Error("the run was not interrupted once")
			}
			sameTree(t, tree(t, dir), tree(t, whole))
			if o := augmix(t, exitDone, mixsetArgs(dir, i)...); !strings.Contains(o.err, "is complete") {
				t.Errorf("once more: %q", o.err)
			}
			augmix(t, exitDone, "verify", filepath.Join(dir, f.name))
		})
	}
}

func TestMixsetIsASet(t *testing.T) {
	out := filepath.Join(t.TempDir(), "set")
	var s summary
	o := augmix(t, exitDone, "mixset", "spectrum-color", "-n", "4", "--size", "48", "-o", out, "--json")
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Items != 4 || s.Out != out {
		t.Errorf("%q: %+v, %v", o.out, s, err)
	}
	set, err := mixset.Open(t.Context(), out, mixset.Options{Size: 40})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 4 || set.Image(0).W != 45 {
		t.Errorf("%d images of width %d", set.Len(), set.Image(0).W)
	}
}

func TestMixsetErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "set")
	for _, tt := range []struct {
		args string
		says string
	}{
		{"mixset fractal -o " + out, "allowed: fractals, escape, "},
		{"mixset fractals -n 0 -o " + out, "0 images (allowed: 1 to 16777216)"},
		{"mixset fractals --count=-5 -o " + out, "-5 images (allowed: 1 to"},
		{"mixset fractals --size 7 -o " + out, "side 7 (allowed: 8 to 4096)"},
		{"mixset fractals --size 5000 -o " + out, "side 5000 (allowed: 8 to 4096)"},
		{"mixset fractals -o -", "allowed: a folder, a .npy or .npz file"},
		{"mixset fractals -n 3 -o one.png", "folder"},
		{"mixset fractals -o x.gif", "--output-format"},
		{"mixset fractals", "-o"},
		{"mixset -o " + out, "KIND"},
		{"mixset fractals --workers=-1 -o " + out, "--workers -1"},
		{"mixset fractals --quality 0 -o " + out, "--quality 0"},
		{"mixset fractals -n 3 --size 32 --output-format cifar10 -o " + out, "label of every image, and these have none (allowed: npy, npz, wds, folder)"},
		{"mixset fractals -n 3 --size 32 --output-format medmnist -o " + out, "label of every image"},
		{"mixset fractals -n 3 -o " + out + ".tar", "(allowed: npy, npz, wds, folder)"},
		{"mixset fractals -n 3 --deflate -o " + out, "--deflate has no effect"},
		{"mixset fractals -n 3 --per-shard 2 -o " + out, "--per-shard 2 has no effect"},
		{"mixset fractals -n 3 --output-split test -o " + out, "--output-split test has no effect"},
		{"mixset fvis --weights net.npz --steps 0 -o " + out, "--steps 0 (allowed: 1 to"},
	} {
		o := augmix(t, exitUsage, strings.Fields(tt.args)...)
		if !strings.Contains(o.err, tt.says) {
			t.Errorf("%s: %q lacks %q", tt.args, o.err, tt.says)
		}
	}
	if len(tree(t, filepath.Dir(out))) > 0 {
		t.Error("something was written")
	}
}

func TestListMixsets(t *testing.T) {
	var rows []mixsetRow
	if err := json.Unmarshal([]byte(augmix(t, exitDone, "list", "mixsets", "--json").out), &rows); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(augmix(t, exitDone, "list", "mixsets").out), " ") // as it was before it was wrapped
	if len(rows) != len(mixset.Kinds()) {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Doc == "" || r.Paper == "" || !strings.Contains(text, r.Name) || !strings.Contains(text, r.Paper) {
			t.Errorf("row %+v", r)
		}
	}
}

// TestMixsetPlan: a plan counts no labels, which generated images do not have.
func TestMixsetPlan(t *testing.T) {
	for _, out := range [][]string{{"p.npy"}, {"p.npz"}, {"p", "--output-format", "wds"}} {
		t.Chdir(t.TempDir())
		args := append([]string{"mixset", "deadleaves", "-n", "40", "--size", "20", "-o"}, out...)
		var plan planResult
		if err := json.Unmarshal([]byte(augmix(t, exitDone, append(args, "--plan", "--json")...).out), &plan); err != nil {
			t.Fatal(err)
		}
		augmix(t, exitDone, args...)
		files, bytes := 0, 0
		for name, text := range tree(t, ".") {
			if !strings.Contains(name, "args.yaml") && !strings.Contains(name, "manifest.json") {
				files, bytes = files+1, bytes+len(text)
			}
		}
		if plan.Files != files || math.Abs(float64(plan.Bytes)/float64(bytes)-1) > 0.05 {
			t.Errorf("%v: %d files of %d bytes are planned, %d of %d written", out, plan.Files, plan.Bytes, files, bytes)
		}
	}
}
