package generate

import (
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/transform"
)

// A part of an estimate is called as the part of the output is, at severity 0 too.
func TestBenchmarkPartNames(t *testing.T) {
	forms := &transform.Corruptions{Names: []string{"brightness"}, Severities: []float64{0, 1}}
	for format, want := range map[string][]string{
		"folder": {"brightness/0", "brightness/1"}, "wds": {"brightness/0", "brightness/1"}, "npy": {"brightness"}, formats.MedMNIST: {"brightness"},
	} {
		b := &Benchmark{Forms: forms, Format: format, Encoding: data.Encoding{JPEG: true, Quality: 85}}
		src := yolo(t, 2).Source()
		plan, err := b.Estimate(t.Context(), b.Job(src, Output{Path: t.TempDir()}, 2), 2)
		if err != nil {
			t.Fatal(err)
		}
		parts := b.Parts()
		if len(parts) != len(want) || len(plan.Parts) != len(want) {
			t.Fatalf("%s: parts %q, estimated %+v, want %q", format, parts, plan.Parts, want)
		}
		for i, name := range want {
			if parts[i] != name || plan.Parts[i].Name != name {
				t.Errorf("%s: part %q, estimated %q, want %q", format, parts[i], plan.Parts[i].Name, name)
			}
		}
	}
}

// The labels of all of a benchmark's arrays are as wide as those of one, whichever part is made alone.
func TestBenchmarkKeepsWidth(t *testing.T) {
	forms := &transform.Corruptions{Names: []string{"fog", "ripple"}}
	if forms.Published() || forms.Keep(func(v transform.Variant) bool { return v.Name == "fog" }).Published() {
		t.Error("fog beside ripple has labels of 8 bits")
	}
}

// What a benchmark cannot be is said before anything is made.
func TestBenchmarkRefuses(t *testing.T) {
	for format, says := range map[string]string{"": `format ""`, "cifar10": `format "cifar10"`, "npy": "needs the number of samples"} {
		b := &Benchmark{Forms: &transform.Corruptions{Names: []string{"brightness"}, Severities: []float64{1}}, Format: format}
		out := t.TempDir()
		_, err := Run(t.Context(), b.Job(yolo(t, 2).Source(), Output{Path: out}, -1))
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v", format, err)
		}
	}
}
