package mix

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
)

func TestParse(t *testing.T) {
	for spec, want := range map[string]AugMix{
		"augmix":                       {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-m3-w3-d-1":             {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-d-1":                   {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-d2-m1.5-w5":            {Severity: 1.5, Width: 5, Depth: 2, Alpha: 1},
		"augmix-m1-w3-d-1-all-f800000": {Severity: 1, Width: 3, Depth: -1, Alpha: 1, AllOps: true, Fill: raster.RGB{R: 128}},
		"augmix-a0.5-fabcdef":          {Severity: 3, Width: 3, Depth: -1, Alpha: 0.5, Fill: raster.RGB{R: 0xab, G: 0xcd, B: 0xef}},
		"augmix-fab12ef-w1":            {Severity: 3, Width: 1, Depth: -1, Alpha: 1, Fill: raster.RGB{R: 0xab, G: 0x12, B: 0xef}},
	} {
		m, err := Parse(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if got := *m.(*AugMix); got != want {
			t.Errorf("%s is %+v, want %+v", spec, got, want)
		}
	}
	if m, err := Parse("none"); err != nil || m.String() != "none" {
		t.Errorf("none: %v, %v", m, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for spec, says := range map[string]string{
		"":                  "augmix",
		"agumix":            `no method "agumix"`,
		"augmix-":           "", // nothing after the name is no option: accepted below
		"augmix-m":          "wants a number",
		"augmix-m-1":        "allowed: 0.1 to 10",
		"augmix-mNaN":       "",
		"augmix-m11":        "allowed: 0.1 to 10",
		"augmix-m0":         "allowed: 0.1 to 10",
		"augmix-w0":         "allowed: 1 to 63",
		"augmix-w64":        "allowed: 1 to 63",
		"augmix-w1.5":       "whole number",
		"augmix-d0":         "allowed: 1 to 64, or -1",
		"augmix-d-2":        "or -1",
		"augmix-a0":         "positive",
		"augmix-a-1":        "positive",
		"augmix-x3":         "there are: m, w, d, a, all, fRRGGBB",
		"augmix-all2":       "takes no value",
		"augmix-f12345":     "fRRGGBB",
		"augmix-m3-":        "ends in '-'",
		"augmix-m3--w3":     "",
		"augmix-3":          "lower-case letter",
		"augmix-m1e999":     "wants a number",
		"none-m3":           "no options",
		"augmix-m3-w3-d-1 ": "",
	} {
		if spec == "augmix-" {
			continue
		}
		m, err := Parse(spec)
		if !errors.Is(err, ErrSpec) {
			t.Errorf("%q gives %v, %v", spec, m, err)
			continue
		}
		if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q says %q, want one line with %q", spec, err, says)
		}
	}
}

func TestSpecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &AugMix{
			Severity: rapid.Float64Range(0.1, 10).Draw(t, "m"),
			Width:    rapid.IntRange(1, 63).Draw(t, "w"),
			Depth:    rapid.SampledFrom([]int{-1, 1, 2, 3, 64}).Draw(t, "d"),
			Alpha:    rapid.Float64Range(1e-3, 1e3).Draw(t, "a"),
			AllOps:   rapid.Bool().Draw(t, "all"),
			Fill:     raster.RGB{R: rapid.Byte().Draw(t, "r"), G: rapid.Byte().Draw(t, "g"), B: rapid.Byte().Draw(t, "b")},
		}
		got, err := Parse(m.String())
		if err != nil {
			t.Fatal(err)
		}
		if *got.(*AugMix) != *m {
			t.Fatalf("%s is %+v, want %+v", m, got, m)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"augmix-m3-w3-d-1", "augmix-m0.1-all-f00ff00", "none", "augmix-d--1", "-", "augmix-m+3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		m, err := Parse(spec)
		if err != nil {
			if !errors.Is(err, ErrSpec) {
				t.Fatalf("%q: %v does not wrap ErrSpec", spec, err)
			}
			return
		}
		again, err := Parse(m.String())
		if err != nil || again.String() != m.String() {
			t.Fatalf("%q prints as %q, which gives %v, %v", spec, m, again, err)
		}
	})
}

func TestTableDefaultsParse(t *testing.T) {
	for _, e := range Table() {
		m, err := Parse(e.Spec)
		if err != nil || m.String() != e.Spec {
			t.Errorf("default of %s: %v, %v, want %s", e.Name, m, err, e.Spec)
		}
		bare, err := Parse(e.Name)
		if err != nil || bare.String() != e.Spec {
			t.Errorf("%s alone: %v, %v, want %s", e.Name, bare, err, e.Spec)
		}
	}
}

func TestNormCheck(t *testing.T) {
	for _, n := range []Norm{Unit, Half, ImageNet} {
		if err := n.Check(); err != nil {
			t.Error(err)
		}
	}
	nan := float32(math.NaN())
	for _, n := range []Norm{{}, {Std: [3]float32{1, 1, -1}}, {Mean: [3]float32{nan}, Std: [3]float32{1, 1, 1}}, {Std: [3]float32{nan, 1, 1}}} {
		if n.Check() == nil {
			t.Errorf("%+v passes", n)
		}
	}
}
