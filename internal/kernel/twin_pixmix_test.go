//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzPixMixTwins proves that assembly and plain Go give the same bits for the loops of PixMix.
func FuzzPixMixTwins(f *testing.F) {
	for n := range 40 {
		f.Add(uint64(n), uint16(n), float32(n)/20, float32(n)/40, float32(n)/50)
	}
	f.Add(uint64(1), uint16(1024), float32(1.97), float32(-0.99), float32(0.01))
	f.Add(uint64(2), uint16(300), float32(0), float32(1), float32(0))
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, a, b, c float32) {
		for _, v := range []float32{a, b, c} {
			if !(v > -4 && v < 4) || v == 0 && 1/v < 0 {
				return // PixMix's coefficients lie between -1 and 2; min and max of zeros of both signs differ
			}
		}
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + int(size%1100)
		pix := testImage(r, n, 1)
		values := make([]float32, 3*n)
		for i := range values {
			switch r.IntN(8) {
			case 0: // as it is
			case 1:
				values[i] = 1
			case 2:
				values[i] = r.Float32() * r.Float32() * r.Float32() * 1e-12
			default:
				values[i] = r.Float32()
			}
		}
		others := make([]float32, len(values))
		for i := range others {
			others[i] = r.Float32()
		}
		floats := func(what string, f func(v []float32)) {
			want, got := twins(func() []float32 {
				v := slices.Clone(values)
				f(v)
				return v
			})
			for name, g := range got {
				for i := range g {
					if g[i] != want[i] {
						t.Fatalf("%s of %d pixels with %s: value %d, from %v, is %v, want %v", what, n, name, i, values[i], g[i], want[i])
					}
				}
			}
		}
		floats("PixAdd", func(v []float32) { PixAdd(v, pix, a, b/255, c) })
		floats("PixMultiply", func(v []float32) { PixMultiply(v, pix, a, b) })
		floats("ScaleBias", func(v []float32) { ScaleBias(v, v, a, b) })
		floats("Blend", func(v []float32) { Blend(v, v, others, a, b) })
		want, got := twins(func() []uint8 {
			dst := make([]uint8, 4*n)
			wide := slices.Clone(values)
			ScaleBias(wide, wide, 1+max(a, -a), b/8)
			PlanesToBytes(dst, wide)
			return dst
		})
		for name, g := range got {
			mustEqual(t, "PlanesToBytes with "+name, n, g, want)
		}
	})
}
