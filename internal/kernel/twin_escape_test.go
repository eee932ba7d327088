package kernel

import (
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
