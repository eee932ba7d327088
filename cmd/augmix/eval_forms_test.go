package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
)

// TestEvalOtherForms: a form on disk is compared with the test set. What contradicts it is refused, what has fewer images is said, has a
// fingerprint of its own, and stands in a part of a report of its own.
func TestEvalOtherForms(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	set := classFolder(t, in("set"), 5, "ape", "bee")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", in("net")}, smallTraining)...)
	model := filepath.Join(in("net"), "model.safetensors")
	form := func(name string, more ...string) string {
		augmix(t, exitDone, slices.Concat([]string{"corrupt", set, "-o", in(name), "--subset", "fog,contrast", "--severity", "1-2", "-q"}, more)...)
		return in(name)
	}
	eval := func(code int, form string, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{
			"eval", model, set, "--suite", "clean,c", "--subset", "fog,contrast", "--severity", "1-2", "--c", form, "--examples", "0",
		}, more)...)
	}
	few, whole := form("few", "--limit", "6"), form("whole")
	o := eval(exitDone, few, "--name", "few", "-o", in("e-few"))
	if want := "few has 6 of 10 images"; !strings.Contains(o.err, want) {
		t.Errorf("no %q in %q", want, o.err)
	}
	eval(exitDone, few, "--name", "few", "-o", in("e-few")) // resumes
	if o := eval(exitDone, whole, "--name", "whole", "-o", in("e-whole")); strings.Contains(o.err, "fingerprint") {
		t.Errorf("the whole: %q", o.err)
	}
	augmix(t, exitDone, "eval", model, set, "--suite", "c", "--subset", "fog", "--severity", "1", "--limit", "6", "-o", in("e-limit"), "-q")
	prints := func(out string) (clean, form string) {
		for _, r := range byKey(t, filepath.Join(in(out), results.FileName)) {
			if r.Corruption == "" && r.Severity == 0 && r.Dataset == "set" {
				clean = r.Data
			} else {
				form = r.Data
			}
		}
		return clean, form
	}
	clean, part := prints("e-few")
	if _, limited := prints("e-limit"); part == clean || part != limited {
		t.Errorf("fingerprints %q of the set, %q of the part, %q of a limit", clean, part, limited)
	}
	if clean2, whole := prints("e-whole"); whole != clean || clean2 != clean {
		t.Errorf("fingerprints %q of the set, %q of the whole form", clean2, whole)
	}
	augmix(t, exitDone, "report", in("e-few"), in("e-whole"), "-o", in("r.md"), "-q")
	if page, err := os.ReadFile(in("r.md")); err != nil || !strings.Contains(string(page), "(data 2 of 2)") {
		t.Errorf("one part: %v\n%s", err, page)
	}

	// What contradicts the test set, each from the whole form.
	for name, c := range map[string]struct {
		change func(form string) error
		want   []string
	}{
		"lacks": {func(form string) error { return os.Remove(filepath.Join(form, "fog/2/bee/c.png")) }, []string{"fog/2 lacks bee/c"}},
		"label": {func(form string) error {
			return os.Rename(filepath.Join(form, "contrast/1/ape"), filepath.Join(form, "contrast/1/bee/more"))
		}, []string{"contrast/1: ", "bee/more/a"}},
		"strange": {func(form string) error {
			return os.Rename(filepath.Join(form, "fog/1/ape/b.png"), filepath.Join(form, "fog/1/ape/z.png"))
		}, []string{"fog/1: ", "ape/z"}},
	} {
		other := form(name, "--image", "png")
		if err := c.change(other); err != nil {
			t.Fatal(err)
		}
		o := eval(exitFailed, other)
		for _, want := range append(c.want, other) {
			if !strings.Contains(o.err, want) {
				t.Errorf("%s: no %q in %q", name, want, o.err)
			}
		}
	}
}

// TestEvalOtherArrays: arrays have no keys. Their labels are compared in order, with --limit too.
func TestEvalOtherArrays(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	net := trainedNet(t, set)
	for name, more := range map[string][]string{"c": {"--output-format", "npy"}, "tree": {"--output-format", "folder", "--image", "png"}} {
		augmix(t, exitDone, slices.Concat([]string{"corrupt", set, "-o", in(name), "--subset", "fog", "-q"}, more)...)
	}
	eval := func(code int, form string, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{"eval", net, set, "--suite", "clean,c", "--subset", "fog", "--examples", "0"}, more, []string{"--c", in(form)})...)
	}
	augmix(t, exitDone, "eval", net, set, "--suite", "clean,c", "--subset", "fog", "--image", "raw", "--examples", "0", "--limit", "7", "-o", in("way"), "-q")
	want := byKey(t, in("way/results.jsonl"))
	for _, form := range []string{"c", "tree"} { // a tree is in order of its classes: the images are those of the limit
		o := eval(exitDone, form, "--limit", "7", "-o", in("e-"+form))
		if strings.Contains(o.err, "fingerprint") {
			t.Errorf("%s: %q", form, o.err)
		}
		for k, r := range byKey(t, in("e-"+form+"/results.jsonl")) {
			if w := want[k]; w.Data != r.Data || w.N != r.N || k.Metric == results.Top1Error && w.Value != r.Value {
				t.Errorf("%s: %v: %v of %d, made on the fly %v of %d", form, k, r.Value, r.N, w.Value, w.N)
			}
		}
	}
	labels, err := npy.ReadFile(in("c/labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	labels.Data.([]uint8)[20+13] = 9 // of severity 2
	if err := npy.WriteFile(in("c/labels.npy"), labels); err != nil {
		t.Fatal(err)
	}
	o := eval(exitFailed, "c")
	for _, want := range []string{in("c/fog/2") + ":", "image 000033 has the label truck", "test_batch/0013 has"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("no %q in %q", want, o.err)
		}
	}
}
