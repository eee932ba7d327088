package frost

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestDevelopMonotone checks that more light never gives less luma, whatever the light, and that gray stays tinted as
// the target says.
func TestDevelopMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		light := newPlane(30, 20)
		light.addNoise(rapid.Float64Range(0, 1e6).Draw(t, "amount"), 2, 2, rng.New(rapid.Uint64().Draw(t, "seed")))
		m := raster.New(30, 20)
		targets[kind].develop(m, light, nil)
		order := make([]int, len(light.v))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, float64(light.v[a]-light.v[b]))) })
		for k := 1; k < len(order); k++ {
			if a, b := m.Pix[4*order[k-1]+1], m.Pix[4*order[k]+1]; a > b && light.v[order[k-1]] < light.v[order[k]] {
				t.Fatalf("%v: green falls from %d to %d", kind, a, b)
			}
		}
	})
}

// TestDevelopFlat checks that light without any difference gives the median.
func TestDevelopFlat(t *testing.T) {
	m := raster.New(8, 8)
	targets[Rime].develop(m, newPlane(8, 8), nil)
	p := m.At(3, 3)
	if l := .299*float64(p.R) + .587*float64(p.G) + .114*float64(p.B); math.Abs(l-150) > 1 {
		t.Errorf("luma %v, want 150", l)
	}
}

// TestCurve works a small case by hand: four pixels in two bins have the ranks 1/4 and 3/4.
func TestCurve(t *testing.T) {
	c := targets[Fern].curve([]int{2, 0, 2}, 4)
	if c[0] != 89 || c[1] != 117 || c[2] != 149 {
		t.Errorf("curve %v, want 89, 117, 149", c)
	}
}
