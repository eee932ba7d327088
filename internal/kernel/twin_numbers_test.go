package kernel

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzNumberTwins proves that every level gives what plain Go gives.
func FuzzNumberTwins(f *testing.F) {
	for n := range 70 {
		f.Add(uint64(n), uint16(n), float32(n)/50)
	}
	f.Add(uint64(100), uint16(1000), float32(30))
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, scale float32) {
		if !(scale > 0 && scale < 1e6) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 14))
		n := int(size % 2000)
		src := testImage(r, n, 1)
		words, floats, doubles := make([]uint64, n), make([]float32, 3*n), make([]float64, 3*n)
		for i := range words {
			words[i] = r.Uint64()
		}
		for i := range floats {
			floats[i], doubles[i] = scale*r.Float32(), 66000*r.Float64()
			if r.IntN(2) > 0 {
				doubles[i] = float64(r.IntN(132000)) / 2
			}
		}
		near := make([]int32, n+11)
		for i := range near {
			near[i] = r.Int32N(40)
		}
		kinds := make([]uint8, 3*n)
		for i := range kinds {
			kinds[i] = uint8(r.IntN(3))
		}
		type results struct {
			units, samples, planes, scaled []float64
			uniforms, rounded              []float32
			quanta, mean                   []uint8
			steps                          []int32
			impulses, hit                  []uint8
		}
		var want *results
		EachLevel(func(level string) {
			got := &results{
				make([]float64, 3*n), make([]float64, 3*n), make([]float64, 3*n), make([]float64, 3*n),
				make([]float32, 2*n), make([]float32, 3*n), make([]uint8, 4*n), make([]uint8, 4*n), make([]int32, n),
				make([]uint8, 2*n), make([]uint8, 4*n),
			}
			Impulses(got.impulses, words, uint32(seed*0x9e3779b9)>>1)
			AddImpulses(got.hit, src, kinds)
			Chamfer(got.steps, near, near[7:], 3, 5, 7)
			BytesToNumbers(got.units, src, 255)
			BytesToNumbers(got.samples, src, 1)
			TonePlanes(got.planes, src)
			ScaleAdd(got.scaled, floats, float64(scale), -1)
			Uniforms(got.uniforms, words)
			Round32(got.rounded, doubles, float64(scale))
			QuantumToBytes(got.quanta, doubles)
			MeanToBytes(got.mean, got.planes, floats, scale)
			if want == nil {
				want = got
			}
			for name, same := range map[string]bool{
				"BytesToNumbers": slices.Equal(got.units, want.units) && slices.Equal(got.samples, want.samples),
				"TonePlanes":     slices.Equal(got.planes, want.planes),
				"ScaleAdd":       slices.Equal(got.scaled, want.scaled),
				"Uniforms":       slices.Equal(got.uniforms, want.uniforms),
				"Round32":        slices.Equal(got.rounded, want.rounded),
				"QuantumToBytes": bytes.Equal(got.quanta, want.quanta),
				"MeanToBytes":    bytes.Equal(got.mean, want.mean),
				"Chamfer":        slices.Equal(got.steps, want.steps),
				"Impulses":       bytes.Equal(got.impulses, want.impulses),
				"AddImpulses":    bytes.Equal(got.hit, want.hit),
			} {
				if !same {
					t.Errorf("%s of %d pixels differs with %s", name, n, level)
				}
			}
		})
	})
}
