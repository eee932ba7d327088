package mix

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func TestParse(t *testing.T) {
	for spec, want := range map[string]AugMix{
		"augmix":                       {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-m3-w3-d-1":             {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-d-1":                   {Severity: 3, Width: 3, Depth: -1, Alpha: 1},
		"augmix-d2-m1.5-w5":            {Severity: 1.5, Width: 5, Depth: 2, Alpha: 1},
		"augmix-m1-w3-d-1-all-f800000": {Severity: 1, Width: 3, Depth: -1, Alpha: 1, AllOps: true, Fill: raster.RGB{R: 128}},
		"augmix-a0.5-fabcdef":          {Severity: 3, Width: 3, Depth: -1, Alpha: 0.5, Fill: raster.RGB{R: 0xab, G: 0xcd, B: 0xef}},
		"augmix-photometric":           {Severity: 3, Width: 3, Depth: -1, Alpha: 1, Photometric: true},
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

// Every option of every method, in the canonical form and in another.
func TestParseCanonical(t *testing.T) {
	for spec, want := range map[string]string{
		"standard":                             "standard-p4",
		"standard-p0":                          "standard-p0",
		"pixmix":                               "pixmix-k4-b3",
		"pixmix-b4-k4-m1-all":                  "pixmix-k4-b4-m1-all",
		"pixmix-input-f010203":                 "pixmix-k4-b3-input-f010203",
		"ipmix-t4-all":                         "ipmix-k3-t4-all",
		"pixmix-b2.5-aug":                      "pixmix-k4-b2.5-aug",
		"mixup-a.2":                            "mixup-a0.2",
		"mixup-each":                           "mixup-a1-each",
		"cutmix":                               "cutmix-a1-p1",
		"cutmix-each-p0.5-a2":                  "cutmix-a2-p0.5-each",
		"cutout":                               "cutout-r0.5",
		"cutout-s16":                           "cutout-s16",
		"cutout-s16-r1":                        "cutout-r1",
		"cutout-f000000":                       "cutout-r0.5-f000000",
		"randomerasing-mean":                   "randomerasing-p0.5-l0.02-h0.4-r0.3-mean",
		"randomerasing-p1-l0.1-h0.1":           "randomerasing-p1-l0.1-h0.1-r0.3",
		"patchgaussian-upto-w250":              "patchgaussian-w250-s1-upto",
		"patchuniform-s0.5":                    "patchuniform-w25-s0.5",
		"autoaugment":                          "autoaugment-cifar10",
		"autoaugment-cifar10full":              "autoaugment-cifar10full",
		"autoaugment-star-imagenet":            "autoaugment-imagenet-star",
		"autoaugment-svhn-torchvision-f0a0b0c": "autoaugment-svhn-torchvision-f0a0b0c",
		"autoaugment-fcafe00":                  "autoaugment-cifar10-fcafe00",
		"randomautoaugment-d-1":                "randomautoaugment-m3-d-1",
		"randaugment-m5-n3":                    "randaugment-n3-m5",
		"randaugment-f000000":                  "randaugment-n2-m9-f000000",
		"trivialaugment":                       "trivialaugment-wide",
		"trivialaugment-standard":              "trivialaugment-standard",
		"gaussian-s0.5":                        "gaussian-p0.5-s0.5",
		"speckle-p1":                           "speckle-p1",
		"afa-s4-p0.5":                          "afa-p0.5-s4",
		"apr-m1-all":                           "apr-p0.5-m1-all",
		"prime":                                "prime-w3-d3",
		"prime-t0.5-d1-s2":                     "prime-w3-d1-s2-t0.5",
		"pixmix+cutmix":                        "pixmix-k4-b3+cutmix-a1-p1",
		"style":                                "style-p0.5",
		"deepaugment-n0":                       "deepaugment-p0.5-n0",
		"noise2net-p1":                         "noise2net-p1",
		"corrupt":                              "corrupt-validation-s1-5-p0.5",
		"corrupt-s2-p1-validation":             "corrupt-validation-s2-p1",
		"corrupt-fog+frost-s1-3-p0.5":          "corrupt-frost-fog-s1-3-p0.5",
		"augmix+corrupt-weather+lines+cutout":  "augmix-m3-w3-d-1+corrupt-weather-lines-s1-5-p0.5+cutout-r0.5",
		"corrupt+gaussian+corrupt-fog-p1+none": "corrupt-validation-s1-5-p0.5+gaussian-p0.5+corrupt-fog-s1-5-p1+none",
		"style-upto-a0.8-p1":                   "style-p1-a0.8-upto",
		"none+none":                            "none+none",
	} {
		m, err := ParseSpec(spec)
		if err != nil || m.String() != want {
			t.Errorf("%s is %v (%v), want %s", spec, m, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for spec, says := range map[string]string{
		"pixmix-k-1":            "allowed: 1 to 32 rounds",
		"pixmix-k0":             "allowed: 1 to 32",
		"pixmix-b0":             "allowed: more than 0",
		"pixmix-bNaN":           "",
		"pixmix-m0":             "allowed: 0.1 to 10",
		"pixmix-q1":             "there are: k, b, m, all, input, aug, fRRGGBB",
		"ipmix-t0":              "allowed: 1 to 32",
		"pixmix-all3":           "takes no value",
		"mixup-a0":              "allowed: positive",
		"mixup-ainf":            "",
		"cutmix-p1.5":           "allowed: 0 to 1",
		"cutmix-a-1":            "allowed: positive",
		"cutout-s0":             "allowed: 1 to 16384 pixels",
		"cutout-s-4":            "allowed: 1 to 16384 pixels",
		"cutout-r0":             "allowed: more than 0, to 1",
		"cutout-r1.1":           "allowed: more than 0, to 1",
		"randomerasing-l0.5":    "l not above h",
		"randomerasing-r0":      "allowed: more than 0, to 1",
		"patchgaussian-w0":      "allowed: 1 to 16384 pixels",
		"patchuniform-s0":       "allowed: more than 0",
		"autoaugment-cifar":     "there are: cifar10, cifar10full, imagenet, svhn",
		"autoaugment-m3":        "takes a policy",
		"randaugment-m31":       "allowed: 0 to 30",
		"randaugment-n0":        "allowed: 1 to 64",
		"randaugment-m1.5":      "whole number",
		"trivialaugment-narrow": "there are: wide, standard",
		"trivialaugment-wide3":  "takes no value",
		"gaussian-s0":           "allowed: more than 0",
		"speckle-p-1":           "allowed: 0 to 1",
		"afa-s0":                "allowed: more than 0, to 1000",
		"prime-t0":              "allowed: more than 0, to 1",
		"corrupt-fgo":           "there are: all, common, validation, noise, blur, weather, digital, cbar, gaussian_noise",
		"corrupt-fog+forst":     `no method "forst"`,
		"corrupt-s3-1":          "severity s3-1 (allowed: A-B with A at most B, each 1 to 5)",
		"corrupt-s0-3":          "severity s0-3 (allowed: 1 to 5)",
		"corrupt-":              "ends in '-'",
		"corrupt-+fog":          "lower-case letter",
		"corrupt-fog+fog":       `option fog twice, as "fog" and as "fog"`,
		"corrupt-s1-":           "ends in '-'",
		"corrupt-s1-3-5":        "one or two whole numbers",
		"augmix-m3-3":           "wants a number",
		"apr-m0":                "allowed: 0.1 to 10",
		"standard-p-1":          "allowed: 0 to 1024",
		"style-a0":              "allowed: more than 0, to 1",
		"style-p2":              "allowed: 0 to 1",
		"deepaugment-n17":       "allowed: 0 to 16",
		"noise2net-n1":          "there are: p",
		"randomautoaugment-d0":  "or -1",
		"pixmix+cutmixx":        `no method "cutmixx"`,
		"mixup+mixup+mixup":     "allowed: up to 2",
		"none+none+none+none+none+none+none+none+none": "allowed: 1 to 8",
		"":                  "augmix",
		"agumix":            `no method "agumix"`,
		"augmix-":           "ends in '-'",
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
		"augmix-x3":         "there are: m, w, d, a, all, photometric, fRRGGBB",
		"augmix-all2":       "takes no value",
		"augmix-f12345":     "fRRGGBB",
		"augmix-m3-":        "ends in '-'",
		"augmix-m3-m1":      `option m twice, as "m3" and as "m1"`,
		"augmix-m3-m3":      `option m twice`,
		"augmix-m3--w3":     "",
		"augmix-3":          "lower-case letter",
		"augmix-m1e999":     "wants a number",
		"none-m3":           "no options",
		"augmix-m3-w3-d-1 ": "",
	} {
		m, err := ParseSpec(spec)
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

			Photometric: rapid.Bool().Draw(t, "photometric"),

			Fill: raster.RGB{R: rapid.Byte().Draw(t, "r"), G: rapid.Byte().Draw(t, "g"), B: rapid.Byte().Draw(t, "b")},
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

// mustBeReady checks that Parse gives a method that can be applied, or the error that says why it is none.
func mustBeReady(t *testing.T, spec string) {
	t.Helper()
	s, err := ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Parse(spec)
	switch {
	case s.NeedsPartner():
		if !errors.Is(err, ErrPartner) {
			t.Fatalf("%q needs a partner: %v, %v", spec, a, err)
		}
	case s.NeedsNetwork() && !s.NeedsStyles() && !s.NeedsMixingSet():
		if !errors.Is(err, ErrNetwork) {
			t.Fatalf("%q needs a network: %v, %v", spec, a, err)
		}
	case s.NeedsStyles() && !s.NeedsMixingSet():
		if !errors.Is(err, ErrStyles) {
			t.Fatalf("%q needs styles: %v, %v", spec, a, err)
		}
	case s.NeedsMixingSet():
		if !errors.Is(err, ErrMixingSet) {
			t.Fatalf("%q needs a mixing set: %v, %v", spec, a, err)
		}
	case s.NeedsCorruptions() && !s.NeedsNetwork() && !s.NeedsStyles():
		if !errors.Is(err, ErrCorruptions) {
			t.Fatalf("%q needs corruptions: %v, %v", spec, a, err)
		}
	case err != nil || a.String() != s.String():
		t.Fatalf("%q gives %v, %v", spec, a, err)
	default:
		src, dst := benchImages(1, 9)[0], new(raster.Image)
		a.Apply(dst, src, rng.New(1), new(Scratch))
		a.ApplyPlanes(make([]float32, 3*9*9), src, &Half, rng.New(1), new(Scratch))
	}
	if m, err := s.With(Options{MixingSet: imageList(benchImages(2, 9)), Styles: testStyles(t), Network: testNetwork(t), Corruptions: findInvert}); err != nil || m.String() != s.String() {
		t.Fatalf("%q with a mixing set: %v, %v", spec, m, err)
	}
}

// Whatever Parse returns can be applied; it returns nothing that lacks a partner or a mixing set.
func TestParseIsReady(t *testing.T) {
	for _, spec := range chained {
		mustBeReady(t, spec)
	}
	for _, e := range Table() {
		mustBeReady(t, e.Spec)
		mustBeReady(t, "standard+"+e.Spec+"+cutout")
	}
	for _, spec := range []string{"pixmix-input", "pixmix-aug", "pixmix-input+pixmix", "pixmix+mixup"} {
		mustBeReady(t, spec)
	}
}

// The parser takes every option of the table, and refuses a number outside the range in its words.
func TestTableOptionsParse(t *testing.T) {
	for _, e := range Table() {
		for _, o := range e.Options {
			value := map[Kind]string{Word: "", Color: "0a1b2c", Integer: "1", Number: "0.5", Range: "1"}[o.Kind]
			if s, err := ParseSpec(e.Name + "-" + o.Key + value); err != nil && o.Key != "l" { // which has to be below h
				t.Errorf("%s of %s: %v, %v", o.Form(), e.Name, s, err)
			}
			if o.Doc == "" {
				t.Errorf("%s of %s has no doc", o.Form(), e.Name)
			}
			if o.Kind == Word || o.Kind == Color {
				continue
			}
			_, err := ParseSpec(e.Name + "-" + o.Key + "-7")
			if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), "(allowed: "+o.Allowed+")") {
				t.Errorf("%s of %s out of range says %v, want %s", o.Form(), e.Name, err, o.Allowed)
			}
		}
	}
}

// A caller that changes a table changes a copy.
func TestTableIsACopy(t *testing.T) {
	a := Table()
	for i := range a {
		a[i].Name = "gone"
		for j := range a[i].Options {
			a[i].Options[j].Key = "gone"
		}
	}
	for _, e := range Table() {
		if e.Name == "gone" || slices.ContainsFunc(e.Options, func(o Option) bool { return o.Key == "gone" }) {
			t.Fatalf("%+v was changed from outside", e)
		}
	}
}

func TestOptionHelp(t *testing.T) {
	help := map[string]string{}
	for _, e := range Table() {
		for _, o := range e.Options {
			help[e.Name+"-"+o.Form()] = o.Help()
		}
	}
	for form, want := range map[string]string{
		"augmix-mX":           "severity of the operations, 0.1 to 10 (default 3; 1 for ImageNet)",
		"augmix-dN":           "depth: operations in a chain, 1 to 64, or -1 for 1 to 3 at random (default -1)",
		"augmix-all":          "all 13 operations, with the four that overlap ImageNet-C",
		"cutout-rX":           "side as a share, more than 0, to 1, of the shorter side (default 0.5)",
		"cutout-fRRGGBB":      "fill color in hexadecimal (default the mean: 0 after normalization)",
		"autoaugment-svhn":    "the policy found on SVHN",
		"trivialaugment-wide": "the paper's wide space of parameters (default)",
	} {
		if help[form] != want {
			t.Errorf("%s: %q, want %q", form, help[form], want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range Table() {
		f.Add(e.Spec)
		f.Add(e.Spec + "+" + e.Name)
	}
	for _, s := range []string{
		"pixmix-k4-b3+cutmix", "autoaugment-svhn-star-f0a0b0c", "cutout-s16-r.5", "mixup-a1e-300-each", "gaussian-s-0", "cutout-f-0+",
		"augmix-m3-w3-d-1", "augmix-m0.1-all-f00ff00", "none", "augmix-d--1", "-", "augmix-m+3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		m, err := ParseSpec(spec)
		if err != nil {
			if !errors.Is(err, ErrSpec) {
				t.Fatalf("%q: %v does not wrap ErrSpec", spec, err)
			}
			return
		}
		again, err := ParseSpec(m.String())
		if err != nil || again.String() != m.String() {
			t.Fatalf("%q prints as %q, which gives %v, %v", spec, m, again, err)
		}
		mustBeReady(t, spec)
	})
}

func TestTableDefaultsParse(t *testing.T) {
	for _, e := range Table() {
		m, err := ParseSpec(e.Spec)
		if err != nil || m.String() != e.Spec {
			t.Errorf("default of %s: %v, %v, want %s", e.Name, m, err, e.Spec)
		}
		bare, err := ParseSpec(e.Name)
		if err != nil || bare.String() != e.Spec {
			t.Errorf("%s alone: %v, %v, want %s", e.Name, bare, err, e.Spec)
		}
	}
}

func TestNormalizationCheck(t *testing.T) {
	for _, n := range []Normalization{Unit, Half, ImageNet} {
		if err := n.Check(); err != nil {
			t.Error(err)
		}
	}
	nan := float32(math.NaN())
	for _, n := range []Normalization{
		{},
		{Std: [3]float32{1, 1, -1}},
		{Mean: [3]float32{nan}, Std: [3]float32{1, 1, 1}},
		{Std: [3]float32{nan, 1, 1}},
		{Std: [3]float32{1, float32(math.Inf(1)), 1}},
		{Mean: [3]float32{0, float32(math.Inf(-1))}, Std: [3]float32{1, 1, 1}},
	} {
		if err := n.Check(); !errors.Is(err, ErrNormalization) || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", n, err)
		}
	}
}
