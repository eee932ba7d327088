package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// --stream gives the bytes of the index, and refuses what needs one.
func TestStreamFlag(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	augmix(t, exitDone, "data", "convert", photos(t, 23), "-o", in, "--output-format", "wds", "--per-shard", "5")
	shards := filepath.Join(in, "data-{000000..000004}.tar")
	out := func(name string) string { return filepath.Join(dir, name) }
	for name, args := range map[string][]string{
		"augment": {"augment", in, "--output-format", "wds", "--views", "2", "--per-shard", "7"},
		"epochs":  {"augment", shards, "--epochs", "2", "--mix", "pixmix", "--mixset", "fractals-n4", "--size", "36"},
		"corrupt": {"corrupt", shards, "--subset", "fog,pixelate", "--severity", "2", "--bar-profile", "auto"},
		"arrays":  {"corrupt", in, "--subset", "fog", "--output-format", "npy", "--size", "36", "--crop", "32"},
		"perturb": {"perturb", in, "--subset", "tilt", "--size", "24"},
		"convert": {"data", "convert", in, "--output-format", "folder"},
	} {
		augmix(t, exitDone, append(args, "-o", out(name))...)
		augmix(t, exitDone, append(args, "-o", out(name+"-s"), "--stream")...)
		want, got := tree(t, out(name)), tree(t, out(name+"-s"))
		for _, files := range []map[string]string{want, got} {
			for f := range files { // which say --stream
				if base := filepath.Base(f); base == "manifest.json" || base == "args.yaml" {
					delete(files, f)
				}
			}
		}
		sameTree(t, got, want)
		augmix(t, exitDone, "verify", out(name+"-s"))
		if o := augmix(t, exitDone, append(args, "-o", out(name+"-s"), "--stream")...); !strings.Contains(o.err, "nothing to do") {
			t.Errorf("%s: done again: %s", name, o.err)
		}
	}
	// The first samples, not some of all.
	augmix(t, exitDone, "data", "convert", in, "-o", out("few"), "--output-format", "wds", "--stream", "--limit", "3")
	if o := augmix(t, exitDone, "data", "info", out("few")); !strings.Contains(o.out, "3 samples") {
		t.Error(o.out)
	}
	if o := augmix(t, exitDone, "augment", in, "-o", out("plan"), "--stream", "--plan"); !strings.Contains(o.out, "23 samples, 23 images") {
		t.Error(o.out)
	}
	for want, args := range map[string][]string{
		"--shuffle with --stream":           {"augment", in, "--output-format", "wds", "--shuffle"},
		"--shard 0/2 with --stream":         {"corrupt", in, "--shard", "0/2"},
		"--shard auto/2 with --stream":      {"augment", in, "--shard", "auto/2"},
		"--stream with --mix cutmix":        {"augment", in, "--mix", "cutmix"},
		"--only, --without and --classes":   {"data", "convert", in, "--output-format", "wds", "--without", "class:cat"},
		"reading from front to end for the": {"data", "convert", photos(t, 3), "--output-format", "wds"},
	} {
		code := exitUsage
		if strings.HasPrefix(want, "reading") {
			code = exitFailed
		}
		if o := augmix(t, code, append(args, "-o", out("refused"), "--stream")...); !strings.Contains(o.err, want) {
			t.Errorf("%q: %s", args, o.err)
		}
	}
}
