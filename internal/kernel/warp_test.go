package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// testImage is noise with flat patches, steps and saturated areas: what interpolation and truncation are sensitive to.
func testImage(r *rand.Rand, w, h int) []uint8 {
	p := make([]uint8, 4*w*h)
	kind := r.IntN(4)
	for i := range p {
		x, y := i/4%w, i/4/w
		switch {
		case i%4 == 3:
			p[i] = 255
		case kind == 0 || (x/5+y/7)%3 == 0:
			p[i] = uint8(r.Uint32())
		case kind == 1:
			p[i] = uint8(x*3 + y*5)
		case kind == 2:
			p[i] = []uint8{0, 255, 128, 7}[(x/9+y/4)%4]
		}
	}
	return p
}

func testMap(r *rand.Rand, w, h int) Affine {
	u := func(v float64) float64 { return (2*r.Float64() - 1) * v }
	switch r.IntN(7) {
	case 5: // one coordinate kept or moved by whole pixels, the other not
		if r.IntN(2) == 0 {
			return Affine{A: 1, C: float64(r.IntN(9) - 4), D: u(0.5), E: 1 + u(0.2), F: u(4)}
		}
		return Affine{A: 1 + u(0.2), B: u(0.5), C: u(4), E: 1, F: float64(r.IntN(9) - 4)}
	case 0:
		return Affine{A: 1, B: u(0.1), E: 1}
	case 1:
		return Affine{A: 1, D: u(0.1), E: 1}
	case 2:
		if r.IntN(2) == 0 {
			return Affine{A: 1, B: float64(r.IntN(60)-30) / 100, E: 1}
		}
		return Affine{A: 1, B: u(3), E: 1}
	case 3: // fractions that are whole multiples of small powers of two
		q := func() float64 { return float64(r.IntN(65)-32) / 32 }
		return Affine{A: 1 + q(), B: q(), C: 4 * q(), D: q(), E: 1 + q(), F: 4 * q()}
	case 4:
		c, s := math.Cos(u(math.Pi)), math.Sin(u(math.Pi))
		return Affine{c, s, float64(w)/2 - c*float64(w)/2 - s*float64(h)/2, -s, c, float64(h)/2 + s*float64(w)/2 - c*float64(h)/2}
	}
	return Affine{1 + u(0.6), u(0.5), u(20), u(0.5), 1 + u(0.6), u(20)}
}

func checkWarp(t *testing.T, src []uint8, w, h int, m Affine) {
	t.Helper()
	fill := [4]uint8{1, 77, 200, 255}
	want, got := make([]uint8, len(src)), make([]uint8, len(src))
	warpScalar(want, src, w, h, &m, fill)
	EachLevel(func(name string) {
		clear(got)
		Warp(got, src, w, h, &m, fill)
		if bytes.Equal(got, want) {
			return
		}
		n := 0
		for i := range got {
			if got[i] != want[i] {
				if n++; n < 5 {
					t.Errorf("%s, %dx%d %+v: pixel (%d,%d) channel %d is %d, want %d",
						name, w, h, m, i/4%w, i/4/w, i%4, got[i], want[i])
				}
			}
		}
		t.Fatalf("%s: %d of %d bytes differ", name, n, len(got))
	})
}

func TestWarpVectorEqualsScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		w, h := 1+r.IntN(70), 1+r.IntN(70)
		if i%100 == 0 {
			w, h = 200+r.IntN(400), 200+r.IntN(100)
		}
		checkWarp(t, testImage(r, w, h), w, h, testMap(r, w, h))
	}
}

// Images as wide or high as vectors are used for, and beyond.
func TestWarpLargestSides(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, side := range []int{8191, 8192, 8193, maxWarp - 1, maxWarp, maxWarp + 1} {
		for _, size := range [][2]int{{side, 3}, {3, side}} {
			w, h := size[0], size[1]
			for _, m := range []Affine{
				{A: 1, B: 0.1, E: 1}, {A: 1, D: 0.001, E: 1}, {A: 1, B: 3, E: 1}, {A: 0.999, B: 0.02, C: 1, D: -0.0001, E: 1.001, F: 0.5},
			} {
				checkWarp(t, testImage(r, w, h), w, h, m)
			}
		}
	}
}

func FuzzWarp(f *testing.F) {
	f.Add(uint64(1), uint16(32), uint16(32), 1.0, 0.05, 0.0, 0.0, 1.0, 0.0)
	f.Add(uint64(2), uint16(33), uint16(17), 0.99, -0.14, 2.5, 0.14, 0.99, -1.5)
	f.Add(uint64(3), uint16(2), uint16(2), 1e300, math.Inf(1), math.NaN(), 0.0, 1.0, 0.0)
	f.Add(uint64(4), uint16(40), uint16(9), 1.0, 0.0, 0.0, -0.03, 1.0, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, w, h uint16, a, b, c, d, e, g float64) {
		wi, hi := 1+int(w%600), 1+int(h%100)
		checkWarp(t, testImage(rand.New(rand.NewPCG(seed, 0)), wi, hi), wi, hi, Affine{a, b, c, d, e, g})
	})
}

func BenchmarkWarp(b *testing.B) {
	for _, n := range []int{32, 224} {
		r := rand.New(rand.NewPCG(3, 4))
		src := testImage(r, n, n)
		for i := range src {
			if i%4 != 3 {
				src[i] = uint8(r.Uint32())
			}
		}
		dst := make([]uint8, len(src))
		c, s := math.Cos(0.07), math.Sin(0.07)
		half := float64(n) / 2
		for _, bm := range []struct {
			name string
			m    Affine
		}{
			{"rotate", Affine{c, s, half - c*half - s*half, -s, c, half + s*half - c*half}},
			{"shear_x", Affine{A: 1, B: 0.0437, E: 1}},
			{"shear_y", Affine{A: 1, D: 0.0437, E: 1}},
		} {
			EachLevel(func(name string) {
				b.Run(fmt.Sprintf("%s/%s/%d", bm.name, name, n), func(b *testing.B) {
					for b.Loop() {
						Warp(dst, src, n, n, &bm.m, [4]uint8{0, 0, 0, 255})
					}
				})
			})
		}
	}
}
