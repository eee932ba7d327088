package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCosineTransform: against the sum itself, at some of its terms, and in place.
func TestCosineTransform(t *testing.T) {
	const n = smoothCells
	var c cosineTransform
	c.init()
	r := rand.New(rand.NewPCG(7, 8))
	x, y := make([]float64, n+1), make([]float64, n+1)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	c.of(y, x)
	for _, k := range []int{0, 1, 2, 3, 4, 5, 1023, 1024, 1025, n/2 - 1, n / 2, n/2 + 1, n - 2, n - 1, n} {
		want := x[0] / 2
		for j := 1; j < n; j++ {
			want += x[j] * math.Cos(math.Pi*float64(j*k%(2*n))/n)
		}
		want += x[n] / 2 * float64(1-k%2*2)
		near(t, fmt.Sprint("term ", k), y[k], want, 1e-10)
	}
	c.of(x, x)
	for k := range x {
		if x[k] != y[k] {
			t.Fatalf("term %d in place: %v, apart %v", k, x[k], y[k])
		}
	}
}
