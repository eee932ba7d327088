package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestShiftEqualsWarp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fill := [4]uint8{9, 8, 7, 255}
	for range 500 {
		w, h := 1+r.IntN(20), 1+r.IntN(20)
		src := testImage(r, w, h)
		tx, ty := r.IntN(50)-25, r.IntN(50)-25
		got, want := make([]uint8, len(src)), make([]uint8, len(src))
		Shift(got, src, w, h, tx, ty, fill)
		warpScalar(want, src, w, h, &Affine{A: 1, C: float64(tx), E: 1, F: float64(ty)}, fill)
		if !bytes.Equal(got, want) {
			t.Fatalf("%dx%d moved by (%d,%d) differs from the affine map", w, h, tx, ty)
		}
	}
}

func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, n := range []int{0, 1, 2, 3, 64, 101} {
		src := testImage(r, n, 1)
		var got, want [3][256]uint32
		for i, v := range src {
			if i%4 < 3 {
				want[i%4][v]++
			}
		}
		got[0][0] = 99 // cleared first
		if Histogram(&got, src); got != want {
			t.Errorf("histogram of %d pixels is wrong", n)
		}
	}
}

// Worked by hand: 0.5*10 + 0.25*20 + 0.25*31 = 17.75.
func TestMixByHand(t *testing.T) {
	px := func(v uint8) []uint8 { return []uint8{v, 0, 255, 255} }
	srcs, weights := [][]uint8{px(10), px(20), px(31)}, []float32{0.5, 0.25, 0.25}
	dst := make([]uint8, 4)
	MixBytes(dst, srcs, weights)
	if want := []uint8{18, 0, 255, 255}; !bytes.Equal(dst, want) {
		t.Errorf("MixBytes gives %v, want %v", dst, want)
	}
	f := make([]float32, 3)
	MixPlanes(f, srcs, weights, &[3]float32{2, 1, 1. / 255}, &[3]float32{-1, 4, 0})
	if f[0] != 34.5 || f[1] != 4 || f[2] != 1 {
		t.Errorf("MixPlanes gives %v, want [34.5 4 1]", f)
	}
}

func TestExtrapolate(t *testing.T) {
	for _, c := range []struct {
		a, b uint8
		f    float32
		want uint8
	}{
		{100, 200, 0, 100},
		{100, 200, 1, 200},
		{100, 200, 0.5, 150},
		{100, 201, 0.5, 150},
		{201, 100, 0.5, 150},
		{100, 200, 2, 255},
		{200, 100, 3, 0},
		{0, 255, 0.118, 30},
	} {
		if got := Extrapolate(c.a, c.b, c.f); got != c.want {
			t.Errorf("Extrapolate(%d, %d, %v) = %d, want %d", c.a, c.b, c.f, got, c.want)
		}
	}
}

func TestProgrammerMistakesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"lengths":       func() { And(make([]uint8, 8), make([]uint8, 4), 1) },
		"half a pixel":  func() { MinMax(make([]uint8, 6)) },
		"no images":     func() { MixBytes(make([]uint8, 4), nil, nil) },
		"weights":       func() { MixBytes(make([]uint8, 4), [][]uint8{make([]uint8, 4)}, nil) },
		"image size":    func() { MixBytes(make([]uint8, 4), [][]uint8{make([]uint8, 8)}, []float32{1}) },
		"planes":        func() { MixPlanes(make([]float32, 4), nil, nil, nil, nil) },
		"warp size":     func() { Warp(make([]uint8, 8), make([]uint8, 8), 3, 1, &Affine{}, [4]uint8{}) },
		"too many pics": func() { MixBytes(nil, make([][]uint8, MaxMix+1), make([]float32, MaxMix+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// TestMixBytesOfAllPairs: sums at and next to halves, where rounding changes, with every level.
func TestMixBytesOfAllPairs(t *testing.T) {
	a, b, got := make([]uint8, 4<<16), make([]uint8, 4<<16), make([]uint8, 4<<16)
	for i := range 1 << 16 {
		copy(a[4*i:], []uint8{uint8(i), uint8(i >> 8), uint8(i), 255})
		copy(b[4*i:], []uint8{uint8(i >> 8), uint8(i), uint8(i>>8) ^ 85, 255})
	}
	for _, w := range []float32{0, 0.5, 0.25, 1. / 3, 0.2, 1. / 255, 100. / 255, 0.7071, 1} {
		for _, weights := range [][]float32{{w, 1 - w}, {w, 1.0009 - w}, {w, 1.002 - w}, {1 + w, -w}} {
			var want []uint8
			EachLevel(func(name string) {
				MixBytes(got, [][]uint8{a, b}, weights)
				if want == nil {
					want = bytes.Clone(got)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s: %v of %d and %d is %d, want %d", name, weights, a[i], b[i], got[i], want[i])
					}
				}
			})
		}
	}
}

func BenchmarkPoint(b *testing.B) {
	for _, n := range []int{32, 224} {
		r := rand.New(rand.NewPCG(3, 4))
		src := testImage(r, n, n)
		dst := make([]uint8, len(src))
		var table Table
		var h [3][256]uint32
		srcs, weights := [][]uint8{src, src, src, src}, []float32{0.25, 0.25, 0.25, 0.25}
		planes := make([]float32, 3*n*n)
		for _, bm := range []struct {
			name string
			f    func()
		}{
			{"lookup", func() { Lookup(dst, src, &table) }},
			{"minmax", func() { MinMax(src) }},
			{"histogram", func() { Histogram(&h, src) }},
			{"and", func() { And(dst, src, 0xf0) }},
			{"invert_from", func() { InvertFrom(dst, src, 100) }},
			{"luma_sum", func() { LumaSum(src) }},
			{"gray", func() { Gray(dst, src) }},
			{"color_blend", func() { ColorBlend(dst, src, 0.3) }},
			{"sharpen", func() { Sharpen(dst, src, n, n, 0.3) }},
			{"mix_bytes_4", func() { MixBytes(dst, srcs, weights) }},
			{"mix_planes_4", func() { MixPlanes(planes, srcs, weights, &[3]float32{1, 1, 1}, &[3]float32{}) }},
		} {
			EachLevel(func(name string) {
				b.Run(fmt.Sprintf("%s/%s/%d", bm.name, name, n), func(b *testing.B) {
					for b.Loop() {
						bm.f()
					}
				})
			})
		}
	}
}
