package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzPackedTwins proves that every level gives the numbers of plain Go.
func FuzzPackedTwins(f *testing.F) {
	for n := range 70 {
		f.Add(uint64(n), uint8(n), uint8(n*5%23), uint8(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, count, bits uint8) {
		r := rand.New(rand.NewPCG(seed, 11))
		n, k, width := int(size), int(count%40), uint(bits%52)+1
		sums := make([]uint64, n+50)
		for i := range sums {
			sums[i] = r.Uint64()
		}
		from, to := make([]int, k), make([]int, k)
		for i := range from {
			from[i], to[i] = r.IntN(51), r.IntN(51)
		}
		shift, weight := uint(r.IntN(int(65-width))), r.NormFloat64()
		start := make([]float64, n)
		for i := range start {
			start[i] = r.NormFloat64()
		}
		var wantRuns []uint64
		var wantBits []float64
		EachLevel(func(name string) {
			runs, added := make([]uint64, n), slices.Clone(start)
			Runs(runs, sums, from, to)
			AddBits(added, sums[:n], shift, width, weight)
			if wantRuns == nil {
				wantRuns, wantBits = runs, added
			}
			if !slices.Equal(runs, wantRuns) {
				t.Errorf("Runs of %d numbers, %d runs differs with %s", n, k, name)
			}
			if !slices.Equal(added, wantBits) {
				t.Errorf("AddBits of %d numbers, bits %d to %d differs with %s", n, shift, shift+width, name)
			}
		})
	})
}
