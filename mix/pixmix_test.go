package mix

import (
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// one is an image of a single pixel.
func one(r, g, b uint8) *raster.Image {
	m := raster.New(1, 1)
	m.Set(0, 0, raster.RGB{R: r, G: g, B: b})
	return m
}

// One pixel through rounds worked by hand.
func TestPixMixArithmetic(t *testing.T) {
	src, set := one(51, 0, 204), imageList{one(102, 0, 255)} // 0.2, 0, 0.8 with 0.4, 0, 1
	pow := math.Pow
	for name, c := range map[string]struct {
		rounds []PixRound
		want   [3]float64
	}{
		"nothing": {nil, [3]float64{0.2, 0, 0.8}},
		// (a(2x-1) + b(2y-1) + 1)/2: 0.5(-0.6) + 0.25(-0.2) + 1 = 0.65; 0.5(-1) + 0.25(-1) + 1 = 0.25; 0.3 + 0.25 + 1 =
		// 1.55.
		"add": {[]PixRound{{A: 0.5, B: 0.25}}, [3]float64{0.325, 0.125, 0.775}},
		// 1.5(-0.6) - 0.5(-0.2) + 1 = 0.2; -1.5 + 0.5 + 1 = 0; 1.5(0.6) - 0.5 + 1 = 1.4.
		"subtract": {[]PixRound{{A: 1.5, B: -0.5}}, [3]float64{0.1, 0, 0.7}},
		// 2(-0.6) + 0 + 1 = -0.2, clipped; 2(-1) + 1 = -1, clipped; 2(0.6) + 1 = 2.2, clipped.
		"clip":     {[]PixRound{{A: 2, B: 0}}, [3]float64{0, 0, 1}},
		"multiply": {[]PixRound{{Multiply: true, A: 0.5, B: 0.25}}, [3]float64{pow(0.4, 0.5) * pow(0.8, 0.25) / 2, 0, pow(1.6, 0.5) * pow(2, 0.25) / 2}},
		// 0 times 1e37^0.5 is 0; 0.4^1.5 / 0.8^0.5 / 2; 1.6^1.5 / 2^0.5 / 2.
		"divide": {[]PixRound{{Multiply: true, A: 1.5, B: -0.5}}, [3]float64{pow(0.4, 1.5) / pow(0.8, 0.5) / 2, 0, pow(1.6, 1.5) / pow(2, 0.5) / 2}},
		// The second round starts from what the first was clipped to: 0, 0, 1 to 0.25(-1) + 0.5(-0.2) + 1 = 0.65 and so
		// on.
		"clipped between": {
			[]PixRound{{A: 2, B: 0}, {A: 0.25, B: 0.5}},
			[3]float64{0.325, (0.25*-1 + 0.5*-1 + 1) / 2, (0.25 + 0.5 + 1) / 2},
		},
		// 0^0 is 1, and the floor of the second factor, 1e-37, to the power of 0.125 is 2.371e-5.
		"floor": {[]PixRound{{Multiply: true, A: 0, B: 0.125}}, [3]float64{pow(0.8, 0.125) / 2, pow(1e-37, 0.125) / 2, pow(2, 0.125) / 2}},
	} {
		p := mustPixMix(t, set, DefaultPixMix())
		var s Scratch
		d := PixDraw{Rounds: c.rounds}
		unit, half, dst := make([]float32, 3), make([]float32, 3), new(raster.Image)
		p.ReplayPlanes(unit, src, &Unit, &d, &s)
		p.ReplayPlanes(half, src, &Half, &d, &s)
		p.Replay(dst, src, &d, &s)
		for i, w := range c.want {
			if math.Abs(float64(unit[i])-w) > 1e-6 || math.Abs(float64(half[i])-(2*w-1)) > 2e-6 {
				t.Errorf("%s: channel %d is %v, normalized %v, want %v", name, i, unit[i], half[i], w)
			}
			if got := dst.Pix[i]; math.Abs(float64(got)-255*w) > 0.5001 {
				t.Errorf("%s: channel %d is %d in bytes, want %v", name, i, got, 255*w)
			}
		}
	}
}

func TestPixMixDistributions(t *testing.T) {
	const n = 40000
	set := imageList{one(1, 1, 1), one(2, 2, 2), one(3, 3, 3)}
	p := mustPixMix(t, set, DefaultPixMix())
	r := rng.New(21)
	var d PixDraw
	rounds, images, ops := map[int]int{}, map[int]int{}, map[string]int{}
	start, source, multiply, branch := map[bool]int{}, map[bool]int{}, map[bool]int{}, map[bool]int{}
	clean := 0
	var a1, b1, a2, b2, xs []float64
	for range n {
		p.DrawTo(&d, 32, 32, r)
		rounds[len(d.Rounds)]++
		images[d.Image]++
		start[d.Start.Op != nil]++
		xs = append(xs, d.X)
		if d.Start.Op != nil {
			ops[d.Start.Op.Name]++
		} else if len(d.Rounds) == 0 {
			clean++
		}
		for _, o := range d.Rounds {
			source[o.Step.Op != nil]++
			multiply[o.Multiply]++
			branch[o.B < 0]++
			if o.Step.Op != nil {
				ops[o.Step.Op.Name]++
			}
			if o.B < 0 {
				a2, b2 = append(a2, float64(o.A)-1), append(b2, -float64(o.B))
			} else {
				a1, b1 = append(a1, float64(o.A)), append(b1, float64(o.B))
			}
		}
	}
	// Bounds are quantiles of 0.999: a true distribution fails once in a thousand seeds, and the seed is fixed. With
	// 40000 samples a chi-square of five cells sees a cell that is off by 5 % nearly always.
	chiSquare(t, "rounds", rounds, 5)
	chiSquare(t, "images", images, 3)
	chiSquare(t, "starts", start, 2)
	chiSquare(t, "sources", source, 2)
	chiSquare(t, "additions and multiplications", multiply, 2)
	chiSquare(t, "branches", branch, 2)
	chiSquare(t, "operations", ops, 9)
	ks(t, "a of branch 1", a1, distuv.Beta{Alpha: 3, Beta: 1})
	ks(t, "b of branch 1", b1, distuv.Beta{Alpha: 1, Beta: 3})
	ks(t, "a of branch 2", a2, distuv.Beta{Alpha: 1, Beta: 3})
	ks(t, "b of branch 2", b2, distuv.Beta{Alpha: 1, Beta: 3})
	ks(t, "positions", xs, distuv.Beta{Alpha: 1, Beta: 1})
	// 1/(2(k+1)) of the samples are clean.
	if z := (float64(clean) - n/10.) / math.Sqrt(n*0.1*0.9); math.Abs(z) > 4 {
		t.Errorf("%d of %d samples are clean, z = %.1f", clean, n, z)
	}
}

func TestPixMixVariants(t *testing.T) {
	set := imageList(benchImages(2, 40))
	r := rng.New(3)
	var d PixDraw
	for variant, augmented := range map[Variant]bool{MixInputOnly: true, MixAugOnly: false} {
		p := mustPixMix(t, set, PixMixParams{K: 4, Beta: 3, Severity: 3, Variant: variant})
		for range 200 {
			p.DrawTo(&d, 32, 32, r)
			for _, o := range d.Rounds {
				if (o.Step.Op != nil) != augmented {
					t.Fatalf("variant %d draws a round with the operation %v", variant, o.Step.Op)
				}
			}
		}
	}
	p, err := NewPixMix(nil, PixMixParams{K: 4, Beta: 3, Severity: 3, Variant: MixInputOnly})
	if err != nil {
		t.Fatalf("Mix Input needs no mixing set: %v", err)
	}
	p.Apply(new(raster.Image), benchImages(1, 16)[0], r, new(Scratch))
}

// Every round of a sample sees the same crop of the same image.
func TestPixMixCrop(t *testing.T) {
	big := raster.New(10, 8)
	for i := range 80 {
		big.Set(i%10, i/10, raster.RGB{R: uint8(i), G: uint8(3 * i), B: 7})
	}
	p := mustPixMix(t, imageList{big}, PixMixParams{K: 4, Beta: 3, Severity: 3, Variant: MixAugOnly})
	src := benchImages(1, 6)[0]
	r, seen := rng.New(5), map[[2]int]int{}
	var s Scratch
	var d PixDraw
	for range 3000 {
		p.DrawTo(&d, 6, 6, r)
		if len(d.Rounds) < 2 {
			continue
		}
		p.inputs(src, &d, &s)
		for _, o := range s.others {
			if o != s.others[0] {
				t.Fatal("two rounds of a sample see two images")
			}
		}
		first := int(s.others[0].At(0, 0).R)
		seen[[2]int{first % 10, first / 10}]++
		want := new(raster.Image)
		want.Reset(6, 6)
		raster.CopyRect(want, image.Point{}, big, want.Bounds().Add(image.Pt(first%10, first/10)))
		if !raster.Equal(want, s.others[0]) {
			t.Fatalf("the crop at %d,%d is not that part of the image", first%10, first/10)
		}
	}
	chiSquare(t, "positions", seen, 5*3)
}

// An image smaller than the training image is continued by reflection.
func TestPixMixSmallImage(t *testing.T) {
	small := raster.New(3, 2)
	for i := range 6 {
		small.Set(i%3, i/3, raster.RGB{R: uint8(i)})
	}
	var got raster.Image
	crop(&got, small, 0.99, 0.99, 8, 3)
	want := []uint8{0, 1, 2, 2, 1, 0, 0, 1, 3, 4, 5, 5, 4, 3, 3, 4, 3, 4, 5, 5, 4, 3, 3, 4}
	for i, w := range want {
		if g := got.Pix[4*i]; g != w {
			t.Fatalf("pixel %d comes from %d, want %d", i, g, w)
		}
	}
}

func TestMixingSetRefuses(t *testing.T) {
	big, small := raster.New(40, 40), raster.New(64, 20)
	for _, c := range []struct {
		spec string
		o    Options
		says string
	}{
		{"pixmix", Options{}, "got none"},
		{"ipmix", Options{}, "got none"},
		{"standard+pixmix-k2+cutout", Options{}, "got none"},
		{"pixmix", Options{MixingSet: imageList{}}, "is empty"},
		{"pixmix", Options{MixingSet: imageList{small}, Size: 32}, "64x20, smaller than the training images (allowed: 32"},
	} {
		m, err := ParseMethod(c.spec, c.o)
		if !errors.Is(err, ErrMixingSet) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %v gives %v, %v, want one line with %q", c.spec, c.o.MixingSet, m, err, c.says)
		}
	}
	if _, err := ParseMethod("pixmix-k0", Options{MixingSet: imageList{big}}); !errors.Is(err, ErrSpec) {
		t.Errorf("pixmix-k0 gives %v", err)
	}
	m, err := ParseMethod("standard+pixmix-b4", Options{MixingSet: imageList{big}, Size: 40})
	if err != nil || m.String() != "standard-p4+pixmix-k4-b4" {
		t.Errorf("a good set gives %v, %v", m, err)
	}
	if p := m.Stages()[1].(*PixMix); p.MixingSet().Len() != 1 {
		t.Errorf("the method has the set %v", p.MixingSet())
	}
	for _, variant := range []Variant{MixBoth, MixAugOnly} {
		if p, err := NewPixMix(nil, PixMixParams{K: 4, Beta: 3, Severity: 3, Variant: variant}); !errors.Is(err, ErrMixingSet) {
			t.Errorf("variant %d without a set: %v, %v", variant, p, err)
		}
	}
	if p, err := NewPixMix(imageList{}, PixMixParams{K: 4, Beta: 3, Severity: 3, Variant: MixInputOnly}); !errors.Is(err, ErrMixingSet) {
		t.Errorf("an empty set: %v, %v", p, err)
	}
	for _, params := range []PixMixParams{{}, {K: 4, Beta: 3, Severity: 3, Variant: 9}} {
		if p, err := NewPixMix(imageList{big}, params); !errors.Is(err, ErrSpec) {
			t.Errorf("%+v: %v, %v", params, p, err)
		}
	}
}

// A PixMix that nobody made with a set can be used all the same.
func TestZeroPixMix(t *testing.T) {
	src, dst := benchImages(1, 16)[0], new(raster.Image)
	for seed := range uint64(50) {
		new(PixMix).Apply(dst, src, rng.New(seed), new(Scratch))
		if dst.W != 16 || dst.H != 16 {
			t.Fatalf("seed %d gives %dx%d", seed, dst.W, dst.H)
		}
	}
}

// Both forms make the same draws, and bytes are the rounded values.
func TestPixMixApplyAndPlanesAgree(t *testing.T) {
	set := imageList(benchImages(5, 60))
	for _, side := range []int{5, 33, 50} {
		src := benchImages(1, side)[0]
		var s Scratch
		for seed := range uint64(60) {
			p := mustPixMix(t, set, PixMixParams{K: 4, Beta: 3, Severity: 5, AllOps: true})
			dst, planes := new(raster.Image), make([]float32, 3*side*side)
			p.Apply(dst, src, rng.New(seed), &s)
			p.ApplyPlanes(planes, src, &Unit, rng.New(seed), &s)
			mustRound(t, dst, planes)
			if slices.ContainsFunc(planes, func(v float32) bool { return !(v >= 0 && v <= 1) }) {
				t.Fatalf("seed %d: a value outside [0, 1]", seed)
			}
		}
	}
}
