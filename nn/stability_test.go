package nn

import (
	"math"
	"testing"
)

func TestStability(t *testing.T) {
	// By hand: p = (1/4, 3/4), q = (1/2, 1/2): log(2). p = q = (1/4, 3/4): the entropy of p.
	three := float32(math.Log(3))
	d := make([]float32, 8)
	got := Stability(d, []float32{0, three, 0, three, 0, 0, 0, three}, 2)
	entropy := math.Log(4) - 0.75*math.Log(3)
	if want := (math.Log(2) + entropy) / 2; math.Abs(got-want) > 1e-7 {
		t.Errorf("%v, want %v", got, want)
	}
	// The noisy rows get (q-p)/batch, by hand.
	for i, want := range []float32{0.125, -0.125, 0, 0} {
		if math.Abs(float64(d[4+i]-want)) > 1e-7 {
			t.Errorf("gradient %d is %v, want %v", 4+i, d[4+i], want)
		}
	}
	const classes = 5
	slope(t, "Stability", testLogits(2*3*classes), func(d, z []float32) float64 { return Stability(d, z, classes) })
	if l := Stability(d, []float32{0, float32(math.NaN()), 0, three, 0, 0, 0, three}, 2); l == l {
		t.Errorf("a loss of %v for NaN", l)
	}
	defer func() {
		if recover() == nil {
			t.Error("an odd number of rows is taken")
		}
	}()
	Stability(nil, make([]float32, 6), 2)
}
