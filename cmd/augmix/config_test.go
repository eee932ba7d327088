package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigAlone: an args.yaml is enough to run a command again, with the same bytes; what is given wins.
func TestConfigAlone(t *testing.T) {
	set, dir := photos(t, 6), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	other := photos(t, 3)
	augmix(t, exitDone, "train", "--data", set, "--model", "densenet-7-2", "--crop", "16", "--batch", "4", "--epochs", "1", "-o", in("net"), "-q")
	model := in("net/model.safetensors")
	for name, args := range map[string][]string{
		"augment": {"augment", set, "--crop", "20", "--mix", "augmix"},
		"corrupt": {"corrupt", set, "--subset", "fog", "--size", "24"},
		"perturb": {"perturb", set, "--subset", "tilt", "--size", "20", "--crop", "16"},
		"train":   {"train", "--data", set, "--model", "densenet-7-2", "--crop", "16", "--batch", "4", "--epochs", "1", "-j", "1"},
		"eval":    {"eval", model, set, "--suite", "clean,c", "--subset", "fog"},
	} {
		first, again := in(name), in(name+"-again")
		augmix(t, exitDone, append(args, "-o", first, "-q")...)
		augmix(t, exitDone, args[0], "--config", filepath.Join(first, "args.yaml"), "-o", again, "-q")
		got, want := tree(t, again), tree(t, first)
		for _, files := range []map[string]string{got, want} {
			for file := range files { // these hold times
				if strings.HasPrefix(file, "events.") || strings.HasSuffix(file, ".jsonl") {
					delete(files, file)
				}
			}
		}
		sameTree(t, got, want)
	}
	augmix(t, exitDone, "augment", other, "--config", in("augment/args.yaml"), "-o", in("other"), "-q")
	if n := len(tree(t, in("other"))); n != 3+2 {
		t.Errorf("%d files of three images", n)
	}
	// A line may say itself where its arguments begin, as the Python package does.
	augmix(t, exitDone, "augment", "--config", in("augment/args.yaml"), "-o", in("dashes"), "-q", "--", other)
	sameTree(t, tree(t, in("dashes")), tree(t, in("other")))
	// Half of the arguments are given: the file has the other half.
	augmix(t, exitDone, "eval", model, "--config", in("eval/args.yaml"), "-q")
	if err := os.WriteFile(in("dash.yaml"), []byte("in: -nothing\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := augmix(t, exitFailed, "augment", "--config", in("dash.yaml"), "-o", in("x")); !strings.Contains(o.err, "-nothing") {
		t.Error(o.err)
	}
	if o := augmix(t, exitUsage, "corrupt", "--config", in("net/args.yaml"), "-o", in("x")); !strings.Contains(o.err, `expected "<IN>"`) {
		t.Error(o.err)
	}
}

// A file of another command's options is taken, and said to be one.
func TestConfigOfAnother(t *testing.T) {
	in, dir := photos(t, 3), t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "perturb", in, "-o", out("p"), "--subset", "tilt", "--size", "36", "--crop", "32", "-q")
	config := filepath.Join(out("p"), "args.yaml")
	for command, says := range map[string]bool{"augment": true, "perturb": false} {
		o := augmix(t, exitDone, command, "--config", config, "-o", out(command))
		if got := strings.Contains(o.err, "these are the options of perturb"); got != says {
			t.Errorf("%s says %q", command, o.err)
		}
	}
}
