package generate

import (
	"errors"
	"os"
	"path/filepath"
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
	forms := func(names ...string) *transform.Corruptions {
		return &transform.Corruptions{Names: names, Severities: []float64{1, 2}}
	}
	uneven := forms("fog", "brightness")
	uneven.Only = func(v transform.Variant) bool { return v != (transform.Variant{Name: "fog", Severity: 1}) }
	tilt := func(a transform.Animation) *transform.Perturbations {
		return &transform.Perturbations{Names: []string{"tilt"}, Difficulties: []int{1}, Animation: a}
	}
	for says, b := range map[string]*Benchmark{
		"format file of 2 forms":    {Forms: forms("fog"), Format: FormatFile},
		"without Tree":              {Forms: forms("fog"), Format: FormatTree},
		"medmnist of sequences":     {Forms: tilt(0), Format: formats.MedMNIST},
		"gif of forms":              {Forms: forms("fog"), Format: FormatGIF},
		"apng of forms":             {Forms: tilt(transform.GIF), Format: FormatAPNG},
		`format ""`:                 {Forms: forms("fog")},
		`format "cifar10"`:          {Forms: forms("fog"), Format: "cifar10"},
		"needs the number":          {Forms: forms("fog"), Format: FormatNPY},
		"fog at severities 2 and":   {Forms: uneven, Format: FormatNPY},
		"of fog do not follow each": {Forms: forms("fog", "brightness", "fog"), Format: FormatNPY},
	} {
		samples := 2
		if strings.HasPrefix(says, "needs") {
			samples = -1
		}
		out := t.TempDir()
		_, err := Run(t.Context(), b.Job(yolo(t, 2).Source(), Output{Path: out}, samples))
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
		if left, err := os.ReadDir(out); err != nil || len(left) != 0 {
			t.Errorf("%s: %v is left (%v)", says, left, err)
		}
		if _, err := b.Estimate(t.Context(), b.Job(yolo(t, 2).Source(), Output{Path: out}, samples), samples); samples >= 0 && !errors.Is(err, ErrOption) {
			t.Errorf("%s is estimated: %v", says, err)
		}
	}
}

// Forms that the caller leaves out are not made, in whatever format, and arrays say by which severities they were made.
func TestBenchmarkOfSome(t *testing.T) {
	even := func(v transform.Variant) bool { return v.Severity != 2 }
	made := func(format, dir string, forms transform.Forms) Result {
		b := &Benchmark{Forms: forms, Format: format}
		return mustRun(t, benchmarkJob(b, dir))
	}
	some := &transform.Corruptions{Names: []string{"fog", "brightness"}, Severities: []float64{1, 2, 3}, Only: even}
	all := &transform.Corruptions{Names: some.Names, Severities: some.Severities}
	for _, format := range []string{FormatFolder, FormatNPY} {
		dir := t.TempDir()
		if res := made(format, dir, some); res.Items != 4*4 {
			t.Errorf("%s: %d images, want 4 of 4 samples", format, res.Items)
		}
		if exists(filepath.Join(dir, "fog", "2")) {
			t.Errorf("%s: fog/2 is there", format)
		}
		if format == FormatNPY {
			otherwise(t, benchmarkJob(&Benchmark{Forms: all, Format: format}, dir), "severities: was 1,3, now 1,2,3")
		} else if res := made(format, dir, all); len(res.Manifest.Parts) != 6 {
			t.Errorf("with those left out: parts %q, want 6", res.Manifest.Parts)
		}
	}
	tilt := &transform.Perturbations{
		Names: []string{"tilt", "rotate"}, Difficulties: []int{1}, Size: 32, Only: func(v transform.Variant) bool { return v.Name == "rotate" },
	}
	dir := t.TempDir()
	made(FormatFolder, dir, tilt)
	if exists(filepath.Join(dir, "tilt")) || !exists(filepath.Join(dir, "rotate")) {
		t.Error("the perturbations are not rotate alone")
	}
}

// Arrays of variants that do not fit each other are an error, not a panic.
func TestArraysOfUnevenVariants(t *testing.T) {
	for says, variants := range map[string][]transform.Variant{
		"fog at severities 1 and of snow at 1,2": {{Name: "fog", Severity: 1}, {Name: "snow", Severity: 1}, {Name: "snow", Severity: 2}},
		"fog at severities 1 and of snow at 2":   {{Name: "fog", Severity: 1}, {Name: "snow", Severity: 2}},
		"fog do not follow each other":           {{Name: "fog", Severity: 1}, {Name: "snow", Severity: 1}, {Name: "fog", Severity: 2}},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := OpenArrays(ArrayOptions{Dir: dir, Samples: 1, Variants: variants}, nil); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
		if exists(dir) {
			t.Errorf("%s: the folder is made", says)
		}
	}
}
