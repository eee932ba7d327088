package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// CIFAR files are of the part that was read, so that --split finds it in them.
func TestOutputSplit(t *testing.T) {
	in, dir := cifarFolder(t, 20), t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	parts := filepath.Join(dir, "parts")
	for _, part := range []string{"train", "val"} {
		augmix(t, exitDone, "data", "convert", in, "--split", "train", "--limit", "10", "-o", filepath.Join(parts, part))
	}
	for _, c := range []struct {
		name string
		test bool
		args []string
	}{
		{"test", true, []string{"data", "convert", in, "--split", "test"}},
		{"train", false, []string{"data", "convert", in, "--split", "train"}},
		{"all", false, []string{"data", "convert", in, "--split", "all"}},
		{"file", true, []string{"data", "convert", filepath.Join(in, "test_batch.bin")}},
		{"val", true, []string{"data", "convert", parts, "--split", "val"}},
		{"asked", false, []string{"data", "convert", in, "--split", "test", "--output-split", "train"}},
		{"augment", false, []string{"augment", in}},
		{"augment-test", true, []string{"augment", in, "--split", "test"}},
		{"stream", true, []string{"stream", in, "--subset", "fog"}},
	} {
		augmix(t, exitDone, append(c.args, "-o", out(c.name), "--output-format", "cifar10")...)
		files := slices.Collect(maps.Keys(tree(t, out(c.name))))
		if has := slices.Contains(files, "test_batch.bin"); has != c.test || slices.Contains(files, "data_batch_1.bin") == c.test {
			t.Errorf("%q wrote %q", c.args, files)
		}
		if o := augmix(t, exitDone, append(c.args, "-o", out(c.name), "--output-format", "cifar10")...); !strings.Contains(o.err, "nothing to do") {
			t.Errorf("%q: done again: %s", c.args, o.err)
		}
	}
	augmix(t, exitDone, "data", "info", out("test"), "--split", "test")
}
