package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// More corruptions and severities for a finished output give what one run gives, records and all.
func TestExtend(t *testing.T) {
	in := photos(t, 6)
	for _, c := range []struct {
		name        string
		args, first []string
		then, all   []string
		says        string // what the second run adds
	}{
		{"corruptions", []string{"corrupt", in}, []string{"--subset", "fog"}, []string{"--subset", "weather"}, []string{"--subset", "weather"}, "adding snow/1, snow/2, snow/3, snow/4, snow/5, frost/1 and 14 more"},
		{"another corruption", []string{"corrupt", in, "--severity", "2"}, []string{"--subset", "fog"}, []string{"--subset", "contrast"}, []string{"--subset", "fog,contrast"}, "holds 1 part; adding contrast/2"},
		{"corruptions of C-bar", []string{"corrupt", in, "--severity", "2"}, []string{"--subset", "fog"}, []string{"--subset", "fog,blue_noise_sample"}, []string{"--subset", "fog,blue_noise_sample"}, "adding blue_noise_sample/2"},
		{"severities", []string{"corrupt", in, "--subset", "fog,contrast"}, []string{"--severity", "1,3"}, []string{"--severity", "1-3"}, []string{"--severity", "1-3"}, "adding fog/2, contrast/2"},
		{"tar files", []string{"corrupt", in, "--output-format", "wds", "--per-shard", "4"}, []string{"--subset", "fog", "--severity", "1"}, []string{"--subset", "fog,contrast", "--severity", "1,2"}, []string{"--subset", "fog,contrast", "--severity", "1,2"}, "adding fog/2, contrast/1, contrast/2"},
		{"arrays", []string{"corrupt", in, "--crop", "32", "--output-format", "npy"}, []string{"--subset", "fog"}, []string{"--subset", "fog,contrast"}, []string{"--subset", "fog,contrast"}, "adding contrast"},
		{"sequences", []string{"perturb", in, "--size", "36", "--crop", "32"}, []string{"--subset", "tilt"}, []string{"--subset", "gaussian_noise,tilt", "--difficulty", "1,2"}, []string{"--subset", "gaussian_noise,tilt", "--difficulty", "1,2"}, "adding gaussian_noise, gaussian_noise_2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
			run := func(code int, path string, more []string) outcome {
				t.Helper()
				args := append(append(c.args[:len(c.args):len(c.args)], more...), "-o", path)
				return augmix(t, code, args...)
			}
			run(exitDone, whole, c.all)
			run(exitDone, out, c.first)
			if o := run(exitDone, out, c.then); !strings.Contains(o.err, c.says) {
				t.Errorf("says %q, want %q", o.err, c.says)
			}
			sameTree(t, tree(t, out), tree(t, whole))
			if o := run(exitDone, out, c.first); !strings.Contains(o.err, "is complete") {
				t.Errorf("what is there already: %q", o.err)
			}
			augmix(t, exitDone, "verify", out)
		})
	}
}

// TestExtendCutOff: new parts of which some files lie in their place are not read, and verify lays the others there.
func TestExtendCutOff(t *testing.T) {
	in, dir := classFolder(t, t.TempDir(), 2, "ape", "bee"), t.TempDir()
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	args := []string{"corrupt", in, "--subset", "fog", "--severity"}
	augmix(t, exitDone, append(args, "1,2", "-o", whole)...)
	augmix(t, exitDone, append(args, "1", "-o", out)...)
	obstacle := filepath.Join(out, "fog", "2", "bee") // after ape's files
	write(t, obstacle, nil)
	augmix(t, exitFailed, append(args, "1,2", "-o", out)...)
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "fog", "2", "ape")); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"fog/2", "fog/1"} {
		if o := augmix(t, exitFailed, "data", "info", filepath.Join(out, set)); !strings.Contains(o.err, "unfinished data") ||
			!strings.Contains(o.err, "augmix verify") {
			t.Error(o.err)
		}
	}
	if o := augmix(t, exitDone, "verify", out); !strings.Contains(o.err, "put together 4 samples, 8 images") {
		t.Error(o.err)
	}
	sameTree(t, tree(t, out), tree(t, whole))
}

// Runs that add parts are killed and resumed; the finished parts stay what they were all the while.
func TestExtendInterrupted(t *testing.T) {
	in, dir := photos(t, 12), t.TempDir()
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	args := []string{"corrupt", in, "--size", "160", "--subset"}
	augmix(t, exitDone, append(args, "fog,frost,elastic_transform", "-o", whole)...)
	augmix(t, exitDone, append(args, "fog", "-o", out)...)
	cut := 0
	for wait := 20 * time.Millisecond; ; wait = wait * 3 / 2 {
		ctx, cancel := context.WithTimeoutCause(t.Context(), wait, errInterrupted)
		o := augmixIn(ctx, nil, append(args, "fog,frost,elastic_transform", "-o", out, "--checkpoint", "1ms")...)
		cancel()
		if o.code == exitDone {
			break
		}
		if o.code != exitInterrupted {
			t.Fatalf("%d %s", o.code, o.err)
		}
		cut++
		if o := augmix(t, exitDone, "verify", out); !strings.Contains(o.out, "good") {
			t.Error(o.out)
		}
	}
	if cut == 0 {
		t.Error("never interrupted")
	}
	_ = os.RemoveAll(filepath.Join(whole, ".augmix"))
	got, want := tree(t, out), tree(t, whole)
	sameTree(t, got, want)
}

// What cannot be added is one line that says what differs.
func TestExtendRefused(t *testing.T) {
	in, dir := photos(t, 3), t.TempDir()
	out, array := filepath.Join(dir, "tree"), filepath.Join(dir, "array")
	augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "fog,frost", "--severity", "1,2")
	augmix(t, exitDone, "corrupt", in, "-o", array, "--subset", "fog,frost", "--severity", "1,2", "--crop", "32", "--output-format", "npy")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{exitUsage, []string{in, "-o", out, "--subset", "contrast", "--severity", "3"}, "frost/3, fog/3, contrast/1, contrast/2 would be lacking (4 in all)"},
		{exitFailed, []string{in, "-o", out, "--subset", "contrast", "--severity", "1,2", "--seed", "1"}, "made with other options:\n    seed: was 0, now 1\n  (--force starts over, and what is there and not asked for is lost: fog/1, fog/2, frost/1, frost/2)\n"},
		{exitFailed, []string{in, "-o", array, "--subset", "fog", "--severity", "1-3", "--crop", "32", "--output-format", "npy"}, "severity: was 1,2, now 1,2,3\n  (--force starts over, and what is there and not asked for is lost: frost)\n  (an array holds all severities of its corruption: others need another output)\n"},
		{exitFailed, []string{in, "-o", out, "--subset", "contrast", "--severity", "1,2", "--group-by", "^[^/]+"}, "group-by: was not set, now ^[^/]+\n"},
		{exitFailed, []string{in, "-o", out, "--subset", "contrast", "--severity", "1,2", "--gray"}, "gray: was not set, now true\n"},
		{exitUsage, []string{in, "-o", array, "--subset", "cbar", "--severity", "1,2", "--crop", "32", "--output-format", "npy"}, "labels.npy is int64"},
	} {
		before := tree(t, filepath.Dir(out))
		o := augmix(t, c.code, append([]string{"corrupt"}, c.args...)...)
		if !strings.Contains(o.err, c.want) || strings.Contains(o.err, "not set") != strings.Contains(c.want, "not set") {
			t.Errorf("%q says %q, want %q", c.args, o.err, c.want)
		}
		sameTree(t, tree(t, filepath.Dir(out)), before)
	}
	extra := filepath.Join(in, "cat", "more.png")
	write(t, extra, testImage(t, 9, 40, 36))
	o := augmix(t, exitFailed, "corrupt", in, "-o", out, "--subset", "contrast", "--severity", "1,2")
	if !strings.Contains(o.err, "samples: were 3, now 4") {
		t.Error(o.err)
	}
	remove(t, extra)
	// Other images under the same names are noticed, too late to save the work, but before anything is mixed.
	write(t, filepath.Join(in, "cat", "0000.png"), testImage(t, 99, 40, 36))
	o = augmix(t, exitFailed, "corrupt", in, "-o", out, "--subset", "contrast", "--severity", "1,2")
	if !strings.Contains(o.err, "samples: other bytes, keys or labels") {
		t.Error(o.err)
	}
	augmix(t, exitDone, "verify", out)
}

// A perturbation that is there keeps its difficulty in the records, from which the output is made again.
func TestExtendDifficulty(t *testing.T) {
	in, dir := photos(t, 3), t.TempDir()
	out, again := filepath.Join(dir, "out"), filepath.Join(dir, "again")
	args := []string{"perturb", in, "-o", out, "--size", "36", "--crop", "32", "--output-format", "npy", "--subset"}
	augmix(t, exitDone, append(args, "tilt")...)
	before := tree(t, out)
	o := augmix(t, exitUsage, append(args, "gaussian_noise", "--difficulty", "2")...)
	if !strings.Contains(o.err, "gaussian_noise would be lacking (1 in all)") {
		t.Error(o.err)
	}
	sameTree(t, tree(t, out), before)
	augmix(t, exitDone, append(args, "gaussian_noise", "--difficulty", "1,2")...)
	augmix(t, exitDone, "perturb", in, "-o", again, "--config", filepath.Join(out, "args.yaml"))
	sameTree(t, tree(t, again), tree(t, out))
}

// New parts that cannot join the finished ones, or that nobody asks for any more, leave nothing behind that a later run stumbles over.
func TestExtendAbandoned(t *testing.T) {
	in, dir := photos(t, 12), t.TempDir()
	out, whole := filepath.Join(dir, "out"), filepath.Join(dir, "whole")
	run := func(code int, path, subset string, more ...string) outcome {
		t.Helper()
		return augmix(t, code, append([]string{"corrupt", in, "-o", path, "--severity", "1", "--subset", subset}, more...)...)
	}
	run(exitDone, out, "fog")
	// The input is another for one run.
	first := filepath.Join(in, "cat", "0000.png")
	keep := []byte(tree(t, first)["."])
	write(t, first, testImage(t, 99, 40, 36))
	if o := run(exitFailed, out, "snow"); !strings.Contains(o.err, "samples: other bytes, keys or labels") || !strings.Contains(o.err, "is lost: fog/1)") {
		t.Error(o.err)
	}
	write(t, first, keep)
	run(exitDone, out, "snow")
	// A run stops in the middle at an image that cannot be read, and its parts are given up for others, first in vain.
	last := filepath.Join(in, "fish", "0011.png")
	keep = []byte(tree(t, last)["."])
	write(t, last, keep[:20])
	run(exitFailed, out, "frost")
	if o := run(exitFailed, out, "contrast", "--on-error", "skip"); !strings.Contains(o.err, "input changed since "+out+" was made") {
		t.Error(o.err)
	}
	run(exitFailed, out, "frost")
	write(t, last, keep)
	run(exitDone, out, "contrast")
	augmix(t, exitDone, "verify", out)
	run(exitDone, whole, "fog,snow,contrast")
	sameTree(t, tree(t, out), tree(t, whole))
}

// What is added is said only where it is: not before an output with other options is refused.
func TestExtendRefusedFirst(t *testing.T) {
	in, out := photos(t, 3), filepath.Join(t.TempDir(), "out")
	fog := []string{"corrupt", in, "-o", out, "--severity", "1", "--subset"}
	augmix(t, exitDone, append(fog, "fog")...)
	o := augmix(t, exitFailed, append(fog, "fog,snow", "--crop", "30")...)
	if strings.Contains(o.err, "adding") || !strings.Contains(o.err, "crop: was 0, now 30") {
		t.Error(o.err)
	}
}
