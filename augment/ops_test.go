package augment

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func noise(w, h int, seed uint64) *raster.Image {
	r := rng.New(seed)
	m := raster.New(w, h)
	for i := range m.Pix {
		if i%4 != 3 {
			m.Pix[i] = uint8(r.Uint64())
		}
	}
	return m
}

// AugMix's effective ranges at the published severities (paper's CIFAR setting 3, ImageNet setting 1).
func TestLevelsAtPublishedSeverities(t *testing.T) {
	for _, c := range []struct {
		op          string
		side        int
		level, want float64
	}{
		{"posterize", 32, 2.49, 4},
		{"posterize", 32, 2.5, 3},
		{"posterize", 32, 2.99, 3},
		{"rotate", 32, 2.99, 8},
		{"rotate", 32, 0.1, 0},
		{"rotate", 224, 0.99, 2},
		{"solarize", 32, 0.1, 254},
		{"solarize", 32, 2.99, 180},
		{"solarize", 224, 0.99, 231},
		{"translate_x", 32, 2.99, 3},
		{"translate_y", 224, 0.99, 7},
		{"posterize", 32, 10, 0},
		{"solarize", 32, 10, 0},
		{"rotate", 32, 10, 30},
	} {
		op, err := ByName(c.op)
		if err != nil {
			t.Fatal(err)
		}
		if got := op.Value(c.level, c.side, c.side, false); got != c.want {
			t.Errorf("%s at level %v for side %d is %v, want %v", c.op, c.level, c.side, got, c.want)
		}
	}
	op, _ := ByName("translate_x")
	if got := op.Value(9, 90, 30, true); got != -27 {
		t.Errorf("translate_x of a 90x30 image at level 9 is %v, want -27: it goes by the width", got)
	}
}

func TestEveryOpKeepsSizeAndOpaque(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		src := noise(w, h, rapid.Uint64().Draw(t, "seed"))
		before := bytes.Clone(src.Pix)
		for _, op := range Ops() {
			level := rapid.Float64Range(0, 10).Draw(t, "level")
			v := op.Value(level, w, h, rapid.Bool().Draw(t, "negative"))
			if err := op.Check(v); err != nil {
				t.Fatalf("level %v: %v", level, err)
			}
			dst := noise(3, 3, 1)
			op.Apply(dst, src, v, raster.RGB{R: 1})
			if dst.W != w || dst.H != h || len(dst.Pix) != 4*w*h {
				t.Fatalf("%s turned %dx%d into %dx%d", op.Name, w, h, dst.W, dst.H)
			}
			for i := 3; i < len(dst.Pix); i += 4 {
				if dst.Pix[i] != 255 {
					t.Fatalf("%s(%v) left byte %d at %d, want 255", op.Name, v, i, dst.Pix[i])
				}
			}
			if op.Identity(v) && !raster.Equal(dst, src) {
				t.Fatalf("%s(%v) says it changes nothing but does", op.Name, v)
			}
			if !bytes.Equal(src.Pix, before) {
				t.Fatalf("%s changed its source", op.Name)
			}
		}
	})
}

func TestInPlace(t *testing.T) {
	src := noise(33, 17, 4)
	for name, f := range map[string]func(dst, src *raster.Image){
		"autocontrast": AutoContrast, "equalize": Equalize, "invert": Invert, "grayscale": Grayscale,
		"posterize":  func(d, s *raster.Image) { Posterize(d, s, 3) },
		"solarize":   func(d, s *raster.Image) { Solarize(d, s, 99) },
		"color":      func(d, s *raster.Image) { Color(d, s, 0.4) },
		"contrast":   func(d, s *raster.Image) { Contrast(d, s, 1.4) },
		"brightness": func(d, s *raster.Image) { Brightness(d, s, 0.4) },
	} {
		want, got := new(raster.Image), src.Clone()
		f(want, src)
		if f(got, got); !raster.Equal(got, want) {
			t.Errorf("%s in place differs", name)
		}
	}
}

func TestQuarterTurns(t *testing.T) {
	src := noise(9, 9, 2)
	a, b := new(raster.Image), new(raster.Image)
	Rotate(a, src, 90, raster.RGB{})
	if a.At(0, 8) != src.At(0, 0) || a.At(0, 0) != src.At(8, 0) {
		t.Error("90 degrees is not counter-clockwise")
	}
	Rotate(b, a, 270, raster.RGB{})
	if !raster.Equal(b, src) {
		t.Error("90 and 270 degrees do not undo each other")
	}
	Rotate(a, src, -180, raster.RGB{})
	Rotate(b, a, 540, raster.RGB{})
	if !raster.Equal(b, src) {
		t.Error("-180 and 540 degrees do not undo each other")
	}
	Rotate(a, src, -720, raster.RGB{})
	if !raster.Equal(a, src) {
		t.Error("-720 degrees is no copy")
	}
}

func TestErrors(t *testing.T) {
	if _, err := ByName("blur"); !errors.Is(err, ErrOp) {
		t.Errorf("ByName of an unknown operation gives %v", err)
	}
	op, _ := ByName("posterize")
	for _, v := range []float64{-1, 9, math.NaN()} {
		if err := op.Check(v); !errors.Is(err, ErrOp) {
			t.Errorf("posterize with %v bits gives %v", v, err)
		}
	}
}

func TestAugMixSets(t *testing.T) {
	if n := len(AugMixOps(false)); n != 9 {
		t.Errorf("%d operations, want 9", n)
	}
	all := AugMixOps(true)
	if len(all) != 13 || all[0].Name != "autocontrast" || all[3].Name != "rotate" || all[12].Name != "sharpness" {
		t.Errorf("the set of all operations is not the reference's: %d", len(all))
	}
}

func BenchmarkOps(b *testing.B) {
	for _, side := range []int{32, 224} {
		src, dst := noise(side, side, 1), new(raster.Image)
		for _, op := range Ops() {
			v := op.Value(1.7321, side, side, false)
			b.Run(op.Name+"/"+map[int]string{32: "32", 224: "224"}[side], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					op.Apply(dst, src, v, raster.RGB{})
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
