package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzFFTTwins proves that every level gives the numbers of plain Go.
func FuzzFFTTwins(f *testing.F) {
	for n := range 40 {
		f.Add(uint64(n), uint8(n), uint8(n*3%7), uint8(n%9))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, gap, half uint8) {
		r := rand.New(rand.NewPCG(seed, 16))
		numbers := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			return v
		}
		n, dx, dy, h := int(size), int(size)+int(gap%7), int(size)+int(gap/7), int(half%12)
		p := 2*h + 1
		x := Complex{numbers(max(4, p)*dx + n), numbers(max(4, p)*dx + n)}
		turn, last, turns := numbers(2*h*h), numbers(4*h), [6]float64(numbers(6))
		var want [2]Complex
		EachLevel(func(name string) {
			var got [2]Complex
			for i, places := range []int{4, p} {
				got[i] = Complex{make([]float64, places*dy+n), make([]float64, places*dy+n)}
			}
			FFT4(got[0], x, dy, dx, n, &turns)
			odd := FFTOdd{Half: h, Turn: turn, Last: last}
			odd.Pass(got[1], x, dy, dx, n)
			if want[0].Re == nil {
				want = got
			}
			for i, what := range []string{"FFT4", "FFTOdd"} {
				if !slices.Equal(got[i].Re, want[i].Re) || !slices.Equal(got[i].Im, want[i].Im) {
					t.Errorf("%s of %d numbers, %d and %d apart, factor %d, differs with %s", what, n, dx, dy, p, name)
				}
			}
		})
	})
}
