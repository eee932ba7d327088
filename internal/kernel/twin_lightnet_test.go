package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzLightNetTwins proves that every level gives the numbers of plain Go.
func FuzzLightNetTwins(f *testing.F) {
	for n := range 40 {
		f.Add(uint64(n), uint8(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8) {
		r := rand.New(rand.NewPCG(seed, 17))
		w := int(size)
		numbers := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				if v[i] = r.NormFloat64(); r.IntN(9) == 0 {
					v[i] = 0
				}
			}
			return v
		}
		sin, cos, columns, light := numbers(2*w), numbers(2*w), numbers(w), numbers(w)
		row, re, im := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		var wantMoved, wantLight []float64
		EachLevel(func(name string) {
			n := LightNet{make([]float64, 2*w), sin, cos, columns, row}
			got := slices.Clone(light)
			n.Move(re, im)
			n.Gather(got, re, im, 0.005)
			if wantMoved == nil {
				wantMoved, wantLight = n.Moved, got
			}
			if !slices.Equal(n.Moved, wantMoved) || !slices.Equal(got, wantLight) {
				t.Errorf("%d places differ with %s", w, name)
			}
		})
	})
}
