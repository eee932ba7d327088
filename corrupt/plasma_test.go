package corrupt

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// TestExtent compares with the built-in functions.
func TestExtent(t *testing.T) {
	nan := math.NaN()
	r := rng.New(1)
	long := make([]float64, 1000)
	for i := range long {
		long[i] = r.Normal()
	}
	for _, a := range [][]float64{{0}, {3, 3}, {-1, 2, 0}, {2, -1, 0}, {nan, 1}, {1, nan, 2}, {1, 2, nan}, long} {
		lo, hi := a[0], a[0]
		for _, v := range a {
			lo, hi = min(lo, v), max(hi, v)
		}
		want := hi - lo
		if want == 0 {
			want = 1
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if least, span := extent(a); !same(least, lo) || !same(span, want) {
			t.Errorf("%v: %v and %v, want %v and %v", a, least, span, lo, want)
		}
	}
}
