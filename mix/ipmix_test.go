package mix

import (
	"errors"
	"image"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func mustIPMix(t *testing.T, set MixingSet, beta float64) *IPMix {
	t.Helper()
	p := DefaultIPMix()
	p.Beta = beta
	m, err := NewIPMix(set, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Random pixels are taken whole and random elements are not, both in the share that Beta says; the other two ways are PixMix's.
func TestIPMixWays(t *testing.T) {
	list := benchImages(2, 24)
	src, other := list[0], list[1]
	for i := range other.Pix { // no value is the same in both, so that each shows where it is from
		if i%4 < 3 && other.Pix[i] == src.Pix[i] {
			other.Pix[i] ^= 1
		}
	}
	m, p := mustIPMix(t, imageList{other}, 3), mustPixMix(t, imageList{other}, DefaultPixMix())
	var s, s2 Scratch
	c, want := new(raster.Image), new(raster.Image)
	const n = 2000
	ways, stayed := map[int]int{}, map[int]int{}
	for seed := range uint64(n) {
		c.CopyFrom(src)
		m.mixAll(c, other, rng.New(seed), &s)
		r := rng.New(seed)
		way := r.IntN(ipWays)
		ways[way]++
		if way == ipAdd || way == ipMultiply {
			o := PixRound{Multiply: way == ipMultiply}
			o.A, o.B = drawCoefficients(3, r)
			p.Replay(want, src, &PixDraw{Rounds: []PixRound{o}}, &s2)
			if !raster.Equal(c, want) {
				t.Fatalf("seed %d: not PixMix's round %+v", seed, o)
			}
			continue
		}
		split := false
		for i := 0; i < len(c.Pix); i += 4 {
			own := 0
			for k := i; k < i+3; k++ {
				switch c.Pix[k] {
				case src.Pix[k]:
					own++
				case other.Pix[k]:
				default:
					t.Fatalf("seed %d: value %d is %d, of neither image", seed, k, c.Pix[k])
				}
			}
			stayed[way] += own
			split = split || own == 1 || own == 2
		}
		if way == ipPixels && split {
			t.Fatalf("seed %d: a pixel is of both images", seed)
		}
	}
	chiSquare(t, "ways", ways, ipWays)
	for _, way := range []int{ipPixels, ipElements} { // the mean of Beta(3, 1) is 3/4, its deviation 0.19
		if share := float64(stayed[way]) / float64(3*24*24*ways[way]); share < 0.71 || share > 0.79 {
			t.Errorf("way %d: a share of %v stays, want 3/4", way, share)
		}
	}
}

// A mix changes one square of a published side, anywhere within the image, or all of it. A tiny beta changes every value.
func TestIPMixSquares(t *testing.T) {
	const w, h, n = 40, 36, 4000
	other := raster.New(w, h)
	other.Fill(raster.RGB{R: 200, G: 200, B: 200})
	m := mustIPMix(t, imageList{other}, 1e-3)
	var s Scratch
	s.mixing.CopyFrom(other)
	c, r := raster.New(w, h), rng.New(5)
	extents, corners := map[image.Point]int{}, map[image.Point]int{}
	for range n {
		c.Fill(raster.RGB{R: 100, G: 100, B: 100})
		m.mix(c, r, &s)
		var box image.Rectangle
		for i := range w * h {
			if c.At(i%w, i/w) != (raster.RGB{R: 100, G: 100, B: 100}) {
				box = box.Union(image.Rect(i%w, i/w, i%w+1, i/w+1))
			}
		}
		extents[box.Size()]++
		if box.Dx() == 32 {
			corners[box.Min]++
		}
	}
	for _, e := range []image.Point{{w, h}, {4, 4}, {8, 8}, {16, 16}, {32, 32}} {
		if extents[e] < n/5-120 || extents[e] > n/5+120 { // nearly five deviations
			t.Errorf("%v is mixed %d times of %d, want a fifth", e, extents[e], n)
		}
	}
	if len(extents) != 5 || len(corners) != 9*5 {
		t.Errorf("extents %v, squares of 32 at %d places, want 45", extents, len(corners))
	}
}

func TestIPMixApplyAndPlanesAgree(t *testing.T) {
	m := mustIPMix(t, imageList(benchImages(3, 40)), 3)
	for _, side := range []int{3, 33} {
		src := benchImages(1, side)[0]
		var s Scratch
		for seed := range uint64(40) {
			dst, planes := new(raster.Image), make([]float32, 3*side*side)
			m.Apply(dst, src, rng.New(seed), &s)
			m.ApplyPlanes(planes, src, &Unit, rng.New(seed), &s)
			mustRound(t, dst, planes)
		}
	}
}

func TestNewIPMixRefuses(t *testing.T) {
	if m, err := NewIPMix(nil, DefaultIPMix()); !errors.Is(err, ErrMixingSet) {
		t.Errorf("without a set: %v, %v", m, err)
	}
	if m, err := NewIPMix(imageList(benchImages(1, 8)), IPMixParams{}); !errors.Is(err, ErrSpec) {
		t.Errorf("no chains: %v, %v", m, err)
	}
}
