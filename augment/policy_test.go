package augment

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Parameters by the formulas of the three implementations, worked by hand.
func TestScaleValues(t *testing.T) {
	for _, c := range []struct {
		s    *Scale
		op   string
		m    float64
		side int
		want float64
	}{
		{ResearchScale, "shear_x", 8, 32, 0.24},
		{ResearchScale, "translate_y", 9, 32, 9},
		{ResearchScale, "rotate", 9, 32, 27},
		{ResearchScale, "posterize", 7, 32, 2}, // 4 - trunc(2.8)
		{ResearchScale, "posterize", 10, 32, 0},
		{ResearchScale, "solarize", 5, 32, 128},
		{ResearchScale, "solarize", 3, 32, 180}, // 256 - trunc(76.8)
		{ResearchScale, "color", 0, 32, 0.1},
		{ResearchScale, "contrast", 5, 32, 1},
		{ResearchScale, "cutout", 3, 32, 6},
		{ResearchScale, "equalize", 5, 32, 0},
		{TimmScale, "shear_y", 5, 224, 0.15},
		{TimmScale, "translate_x", 4, 224, 100},
		{TimmScale, "rotate", 8, 224, 24},
		{TimmScale, "posterize", 8, 224, 7}, // trunc(3.2) + 4
		{TimmScale, "solarize", 3, 224, 76},
		{TimmScale, "solarize", 10, 224, 256},
		{TimmScale, "sharpness", 7, 224, 1.36},
		{TorchvisionScale, "shear_x", 9, 224, 0.3},
		{TorchvisionScale, "shear_x", 3, 224, 0.1},
		{TorchvisionScale, "translate_x", 9, 224, 101}, // 150/331*224 = 101.5
		{TorchvisionScale, "translate_x", 8, 32, 12},   // 14.50*8/9 = 12.89
		{TorchvisionScale, "rotate", 8, 224, 240. / 9},
		{TorchvisionScale, "posterize", 5, 224, 6}, // 8 - round(2.22)
		{TorchvisionScale, "posterize", 8, 224, 4}, // 8 - round(3.56)
		{TorchvisionScale, "solarize", 0, 224, 255},
		{TorchvisionScale, "solarize", 4, 224, 142}, // 255 - 113.3 = 141.7, and v < 141.7 is v < 142
		{TorchvisionScale, "solarize", 9, 224, 0},
		{TorchvisionScale, "color", 6, 224, 1.6},
		{WideScale, "rotate", 30, 32, 135},
		{WideScale, "translate_x", 15, 224, 16},
		{WideScale, "posterize", 30, 32, 2},
		{WideScale, "brightness", 30, 32, 1.99},
		{StandardScale, "translate_y", 30, 224, 10},
		{StandardScale, "posterize", 30, 224, 4},
	} {
		if got := c.s.Value(c.op, c.m, c.side, c.side, false); math.Abs(got-c.want) > 2e-6 {
			t.Errorf("%s: %s at %v of %d pixels is %v, want %v", c.s.Name, c.op, c.m, c.side, got, c.want)
		}
	}
	if v := TorchvisionScale.Value("color", 6, 9, 9, true); math.Abs(v-0.4) > 1e-7 {
		t.Errorf("a negative enhancement is %v", v)
	}
	if v := ResearchScale.Value("color", 6, 9, 9, true); math.Abs(v-1.18) > 1e-9 {
		t.Errorf("the research code has no negative enhancements, got %v", v)
	}
	if v := ResearchScale.Value("rotate", 9, 9, 9, true); v != -27 {
		t.Errorf("a negative rotation is %v", v)
	}
}

func TestPolicies(t *testing.T) {
	for name, subs := range map[string]int{"cifar10": 25, "cifar10full": 95, "imagenet": 25, "svhn": 25} {
		p, err := PolicyByName(name)
		if err != nil || len(p) != subs {
			t.Fatalf("%s has %d sub-policies (%v), want %d", name, len(p), err, subs)
		}
		for i, sub := range p {
			for _, o := range sub {
				if policyOps[o.Op] == nil && o.Op != "cutout" || o.Prob < 0 || o.Prob > 1 || o.Level < 0 || o.Level > 9 || o.Level != math.Trunc(o.Level) {
					t.Errorf("%s %d: %+v", name, i, o)
				}
			}
		}
	}
	if _, err := PolicyByName("cifar"); !errors.Is(err, ErrOp) || !strings.Contains(err.Error(), "cifar10, cifar10full, imagenet, svhn") {
		t.Errorf("an unknown policy: %v", err)
	}
	// Rows that the paper's appendix repeats.
	p := policyImageNet
	if p[20] != p[4] || p[21] != p[1] || p[22] != p[13] || p[23] != p[14] || p[24] != p[2] {
		t.Error("ImageNet's repeated rows differ")
	}
	if policySVHN[9] != policySVHN[4] || policySVHN[13] != policySVHN[3] {
		t.Error("SVHN's repeated rows differ")
	}
}

// Every operation of a scale leaves src alone, gives dst its size and, geometry by nearest sampling, only colors of
// the image and the fill.
func TestScaleApply(t *testing.T) {
	src := raster.New(13, 9)
	r := rng.New(3)
	palette := []raster.RGB{{R: 10}, {G: 200}, {B: 77}}
	for i := range 13 * 9 {
		src.Set(i%13, i/13, palette[r.IntN(3)])
	}
	before, fill := src.Clone(), raster.RGB{R: 1, G: 2, B: 3}
	for _, s := range []*Scale{ResearchScale, TimmScale, TorchvisionScale, RandScale, WideScale, StandardScale} {
		for _, op := range []string{
			"identity", "shear_x", "shear_y", "translate_x", "translate_y", "rotate", "posterize", "solarize", "color", "contrast",
			"brightness", "sharpness", "autocontrast", "equalize", "invert",
		} {
			dst := new(raster.Image)
			v := s.Value(op, s.Max, src.W, src.H, s.Signed(op))
			s.Apply(dst, src, op, v, fill)
			if !raster.Equal(src, before) || dst.W != 13 || dst.H != 9 {
				t.Fatalf("%s: %s changes its source, or the size", s.Name, op)
			}
			if op == "identity" != raster.Equal(src, dst) && op == "identity" {
				t.Errorf("%s: identity changes the image", s.Name)
			}
			if !s.nearest || !strings.HasPrefix(op, "shear") && op != "rotate" && !strings.HasPrefix(op, "translate") {
				continue
			}
			for i := range 13 * 9 {
				c := dst.At(i%13, i/13)
				if c != fill && c != palette[0] && c != palette[1] && c != palette[2] {
					t.Fatalf("%s: %s makes the color %v", s.Name, op, c)
				}
			}
		}
	}
}

func TestRotateNearest(t *testing.T) {
	src := raster.New(5, 5)
	for i := range 25 {
		src.Set(i%5, i/5, raster.RGB{R: uint8(i)})
	}
	exact, near := new(raster.Image), new(raster.Image)
	for _, deg := range []float64{0, 90, 180, 270, 360, -90} {
		Rotate(exact, src, deg, raster.RGB{})
		RotateNearest(near, src, deg, raster.RGB{})
		if !raster.Equal(exact, near) {
			t.Errorf("%v degrees differ from Rotate", deg)
		}
	}
	RotateNearest(near, src, 45, raster.RGB{B: 9})
	if near.At(0, 0) != (raster.RGB{B: 9}) || near.At(2, 2) != src.At(2, 2) {
		t.Error("45 degrees: the corner is not fill, or the center moved")
	}
}

// Operations at every strength and of either sign have the bytes of torchvision 0.14.1 on Pillow 9.4 (AutoAugment of
// ten bins, RandAugment, TrivialAugmentWide; nearest sampling, black fill): hashes of all results of an operation, one
// after the other, strength by strength, positive first. A translation moves the content there and the window here: its
// sign is turned.
func TestTorchvision(t *testing.T) {
	src := raster.New(37, 29)
	for y := range 29 {
		for x := range 37 {
			src.Set(x, y, raster.RGB{R: uint8(7*x + 3*y), G: uint8(x*y%200 + 20), B: uint8((x/5+y/4)%2*180 + x)})
		}
	}
	for s, ops := range map[*Scale]map[string]string{
		TorchvisionScale: {
			"shear_x":     "c2b16f7426bce22c00a5fd2b",
			"shear_y":     "d3ee4f6edb5248f5834dd226",
			"translate_x": "8cc97f9435a03e3a4430f782",
			"translate_y": "1814acc2df4a4089e28ca65d",
			"rotate":      "5dea470ca1ffac14ca041992",
			"brightness":  "fd0d9c5bb4a53caa85dc7c72",
			"color":       "129d585e551098afab1fb631",
			"contrast":    "b710baaafed0c5b6147d59f3",
			"sharpness":   "ed6d72db8f87011c7895836d",
			"posterize":   "2e8e6764efc049397749f5c5",
			"solarize":    "34a263c31c9d0b48e2a37a70",
		},
		RandScale: {
			"shear_x":     "844df1395d38910b10a7aedf",
			"shear_y":     "05a8f104f5bb09eee6d5621d",
			"translate_x": "0bdd5ef734c32b61068af847",
			"translate_y": "7037f97ef04753a3796b5644",
			"rotate":      "010947b9e314a7dbf82cb14d",
			"brightness":  "07c9413a982b374350f4a2e7",
			"color":       "11b348d7bb1373bb91d11f8f",
			"contrast":    "d2bf98031a6c6bcb46b47be9",
			"sharpness":   "44f33aa7331726dfbc735d92",
			"posterize":   "d40dd90987d2596acd2c3186",
			"solarize":    "95c2a75ed2193bb3a8681375",
		},
		WideScale: {
			"shear_x":     "c09bfe1cd87118167213dc11",
			"shear_y":     "a17d4db209f30d0f53f56671",
			"translate_x": "a0c7868428dfd64f68ef86d6",
			"translate_y": "2c131b452d23b0fd5189f8b3",
			"rotate":      "aac3224143c993ce3b2cec17",
			"brightness":  "9a7d4dae18d597e1abba56a8",
			"color":       "315e93d9247a59fd86c4de81",
			"contrast":    "ff955e4e589ff825ae972df1",
			"sharpness":   "a0fa234c8dda7b1c4c848d97",
			"posterize":   "1ce6921c4ac98d8e09c04808",
			"solarize":    "95c2a75ed2193bb3a8681375",
		},
	} {
		for op, want := range ops {
			h, dst := sha256.New(), new(raster.Image)
			for m := range int(s.Max) + 1 {
				for _, negative := range signsOf(s, op) {
					s.Apply(dst, src, op, s.Value(op, float64(m), 37, 29, negative), raster.RGB{})
					h.Write(dst.AppendRGB(nil))
				}
			}
			if got := hex.EncodeToString(h.Sum(nil))[:24]; got != want {
				t.Errorf("%s: %s gives %s, torchvision %s", s.Name, op, got, want)
			}
		}
	}
}

func signsOf(s *Scale, op string) []bool {
	if s.Signed(op) {
		return []bool{false, true}
	}
	return []bool{false}
}
