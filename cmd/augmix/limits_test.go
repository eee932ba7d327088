package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// TestDecodeLimits: the flags hold for every command, and their error names them.
func TestDecodeLimits(t *testing.T) {
	t.Cleanup(func() {
		if err := data.SetDecodeLimits(data.DecodeLimits{}); err != nil {
			t.Error(err)
		}
	})
	in := photos(t, 3) // of 40 to 44 by 36 to 38 pixels
	augmix(t, exitDone, "data", "verify", in, "--max-pixels", "2000", "--max-memory", "1M")
	for _, args := range [][]string{{"--max-pixels", "1500"}, {"--max-memory", "4K"}} {
		o := augmix(t, exitFailed, append([]string{"augment", in, "-o", t.TempDir() + "/x.npy", "--size", "8"}, args...)...)
		if !strings.Contains(o.err, "allowed: at most") || !strings.Contains(o.err, "--max-memory") {
			t.Errorf("%q says %s", args, o.err)
		}
	}
	for _, name := range []string{"x.npy", "x.npz"} {
		arrays := filepath.Join(t.TempDir(), name)
		augmix(t, exitDone, "augment", in, "-o", arrays, "--crop", "36")
		augmix(t, exitDone, "data", "info", arrays, "--max-pixels", "1296")
		o := augmix(t, exitFailed, "data", "info", arrays, "--max-pixels", "1295")
		if !strings.Contains(o.err, arrays) || !strings.Contains(o.err, "36x36 (allowed: at most 1295 pixels) (set by --max-pixels") {
			t.Errorf("%s says %s", name, o.err)
		}
	}
}

// TestLimitOfNone: a limit of 0 on the command line is refused by every command; args.yaml of earlier runs, which has it, is read.
func TestLimitOfNone(t *testing.T) {
	in, dir := photos(t, 4), t.TempDir()
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"augment", in, "-o", out},
		{"corrupt", in, "-o", out},
		{"perturb", in, "-o", out},
		{"data", "convert", in, "-o", out},
		{"stream", in, "-o", out},
		{"eval", "net", in},
		{"predict", "net", in},
		{"run", "recipe.yaml", "-o", out},
		{"feed", in, "--suite", "clean"},
		{"train", "--data", in, "-o", out},
	} {
		o := augmix(t, exitUsage, append(args, "--limit", "0")...)
		if !strings.Contains(o.err, "--limit 0 (allowed: from 1") {
			t.Errorf("%q says %s", args, o.err)
		}
	}
	if o := augmix(t, exitUsage, "eval", "net", in, "--ood-train-limit=0"); !strings.Contains(o.err, "--ood-train-limit 0 (allowed: from 1") {
		t.Error(o.err)
	}
	config := filepath.Join(dir, "args.yaml")
	write(t, config, []byte("in: "+in+"\nlimit: 0\n"))
	augmix(t, exitDone, "augment", "--config", config, "-o", out)
	if n := len(tree(t, out)); n != 4+2 {
		t.Errorf("%d files of four images", n)
	}
}
