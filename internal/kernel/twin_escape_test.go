package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzEscapeTwins proves that every level gives the orbits of plain Go.
func FuzzEscapeTwins(f *testing.F) {
	for n := range 60 {
		f.Add(uint64(n), uint8(n), uint8(n/4), uint16(n*n), float32(n%9)/8)
	}
	f.Fuzz(func(t *testing.T, seed uint64, kind, degree uint8, limit uint16, spread float32) {
		if !(spread >= 0 && spread <= 2) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 15))
		const all, noSign = 1<<64 - 1, 1<<63 - 1
		m := EscapeMap{
			AndX: all, AndY: all, AndU: all, Degree: 2 + int64(degree%6), Limit: 1 + int64(limit%2000), Trap: int64(kind >> 2 % 3),
			X: r.NormFloat64(), Y: r.NormFloat64(), R2: r.Float64(), Sin: r.NormFloat64(), Cos: r.NormFloat64(),
		}
		switch kind & 3 {
		case 1:
			m.AndX, m.AndY = noSign, noSign
		case 2:
			m.FlipY = 1 << 63
		case 3:
			m.AndU = noSign
		}
		start, n := new(Orbits), 1+int(seed%150)
		x, y := 2*r.Float64()-1.4, 2*r.Float64()-1
		for i := range n {
			start.CX[i], start.CY[i] = x+float64(spread)*r.NormFloat64(), y+float64(spread)*r.NormFloat64()
			if seed%3 == 0 {
				start.X[i], start.Y[i] = r.NormFloat64(), r.NormFloat64()
			}
		}
		type result struct{ square, near, steps float64 }
		var want []result
		EachLevel(func(name string) {
			o := new(Orbits)
			*o = *start
			m.Iterate(o, n)
			got, found := make([]result, n), make([]bool, n)
			for j, i := range o.Index[:n] {
				got[i], found[i] = result{o.Square[j], o.Near[j], o.Steps[j]}, true
			}
			if slices.Contains(found, false) || o.X != start.X || o.CY != start.CY || o.Index[n] != 0 || o.Square[n] != 0 {
				t.Fatalf("%s: not every orbit is there, or more than those", name)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %v with %+v, want %v", name, got, m, want)
			}
		})
	})
}

// TestOrbit: an orbit that has just not escaped is tested again before its square is infinite, the limit is rounded up, and a cycle
// ends an orbit before it.
func TestOrbit(t *testing.T) {
	const all = 1<<64 - 1
	for degree := int64(2); degree <= 6; degree++ {
		m := EscapeMap{AndX: all, AndY: all, AndU: all, Degree: degree, Limit: 1}
		for a := range 64 {
			y, x := math.Sincos(float64(a) * math.Pi / 32)
			square, _, steps := m.Orbit(127.99*x, 127.99*y, 3*y, 3*x)
			if !(square > EscapeRadius2 && square <= math.MaxFloat64) || steps != float64(m.pace()) {
				t.Errorf("degree %d: an orbit ends at a square of %v after %v steps", degree, square, steps)
			}
		}
		if _, _, steps := m.Orbit(0, 0, 0.1, 0.9); steps > 8 {
			t.Errorf("degree %d: %v steps, the limit is 1", degree, steps)
		}
		m.Limit = 1000
		if square, _, steps := m.Orbit(0.1, 0.1, 0.1, 0.1); steps >= 100 || square > 1 {
			t.Errorf("degree %d: an orbit that runs into a point makes %v steps, to a square of %v", degree, steps, square)
		}
	}
}
