package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// style_transfer is made for a data set, the same for any number of workers, and its styles are on record; without weights, and
// with weights that nothing takes, there is an error of one line.
func TestCorruptStyleTransfer(t *testing.T) {
	in, style := photos(t, 3), styleFile(t)
	var want map[string]string
	for _, jobs := range []string{"1", "3"} {
		out := filepath.Join(t.TempDir(), "C")
		augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "style_transfer,fog", "--severity", "1,5", "--image", "png",
			"--size", "32", "--crop", "32", "--styles", "deadleaves-n2", "--style-weights", style, "-j", jobs)
		got := tree(t, out)
		if !strings.Contains(got["manifest.json"], "styles of deadleaves-n2, network SHA-256") || got["fog/1/cat/0000.png"] == "" {
			t.Error("the manifest does not say what the styles are, or fog is missing")
		}
		delete(got, "manifest.json") // it has times
		if want == nil {
			want = got
		}
		sameTree(t, got, want)
		if a, b := got["style_transfer/1/cat/0000.png"], got["style_transfer/5/cat/0000.png"]; a == "" || a == b {
			t.Error("severities 1 and 5 are missing or alike")
		}
	}
	out := filepath.Join(t.TempDir(), "no")
	for says, args := range map[string][]string{
		"style-weights is missing": {"--subset", "style_transfer"},
		"no corruption takes them": {"--subset", "fog", "--style-weights", style},
	} {
		o := augmix(t, exitUsage, append([]string{"corrupt", in, "-o", out}, args...)...)
		if !strings.Contains(o.err, says) {
			t.Errorf("%v: %q, want %q", args, o.err, says)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// An evaluation measures it on the fly, and not with other styles in the same folder.
func TestEvalStyleTransfer(t *testing.T) {
	set := photos(t, 9)
	net, style, out := trainedNet(t, set), styleFile(t), filepath.Join(t.TempDir(), "eval")
	run := func(status int, styles string) outcome {
		return augmix(t, status, "eval", net, set, "-o", out, "--suite", "c", "--subset", "style_transfer", "--severity", "5", "--style-weights",
			style, "--styles", styles)
	}
	run(exitDone, "deadleaves-n2")
	rows := tree(t, out)["results.jsonl"]
	if !strings.Contains(rows, `"style_transfer"`) {
		t.Errorf("no rows: %s", rows)
	}
	run(exitDone, "deadleaves-n2")
	if again := tree(t, out)["results.jsonl"]; again != rows {
		t.Error("the same was measured again")
	}
	if o := run(exitUsage, "deadleaves-n3"); !strings.Contains(o.err, "deadleaves-n2") || !strings.Contains(o.err, "deadleaves-n3") {
		t.Errorf("other styles: %q", o.err)
	}
}

// Training stylizes images, with the consistency loss too; the recipe of SIN asks for what it leaves to the user.
func TestTrainStyle(t *testing.T) {
	set, style := photos(t, 9), styleFile(t)
	dir := filepath.Join(t.TempDir(), "net")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", dir}, smallTraining, []string{
		"--epochs", "1", "--mix", "style+augmix", "--jsd", "--styles", "deadleaves-n2", "--style-weights", style,
	})...)
	if args := tree(t, dir)["args.yaml"]; !strings.Contains(args, "styles: deadleaves-n2") {
		t.Errorf("args.yaml: %s", args)
	}
	for says, args := range map[string][]string{
		"style-weights: the recipe runs": {"--method", "sin"},
		"styles: the recipe takes":       {"--method", "augmix-sin", "--style-weights", style},
	} {
		out := filepath.Join(t.TempDir(), "no")
		o := augmix(t, exitUsage, slices.Concat([]string{"train", "imagenet-resnet50-sin", "--data", set, "-o", out}, args)...)
		if !strings.Contains(o.err, says) {
			t.Errorf("%v: %q, want %q", args, o.err, says)
		}
	}
	// A plan trains a batch to tell its time: of a smaller network than the recipe's.
	small := filepath.Join(t.TempDir(), "small.yaml")
	write(t, small, []byte("base: imagenet-resnet50-sin.yaml\nmodel: wrn-10-1\ncrop: \"16\"\n"))
	plan := []string{"run", small, "--data", set, "--test", set, "-o", filepath.Join(t.TempDir(), "runs"), "--plan"}
	augmix(t, exitUsage, plan...)
	o := augmix(t, exitDone, append(plan, "--styles", "fractals-n9", "--style-weights", style)...)
	if !strings.Contains(o.out+o.err, "train augmix-sin") {
		t.Errorf("the plan is %s", o.out)
	}
}
