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
			AndX: all, AndY: all, AndU: all, Degree: 2 + int64(degree%6), Limit: 1 + int64(limit%2000), Cross: int64(kind >> 2 & 1),
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
		start := newOrbits(1 + int(seed%150))
		x, y := 2*r.Float64()-1.4, 2*r.Float64()-1
		for i := range start.X {
			start.CX[i], start.CY[i] = x+float64(spread)*r.NormFloat64(), y+float64(spread)*r.NormFloat64()
			if seed%3 == 0 {
				start.X[i], start.Y[i] = r.NormFloat64(), r.NormFloat64()
			}
		}
		var want *Orbits
		EachLevel(func(name string) {
			got := newOrbits(len(start.X))
			for i, v := range start.slices() {
				copy(*got.slices()[i], *v)
			}
			m.Iterate(got)
			if want == nil {
				want = got
			}
			for i, v := range got.slices() {
				if !slices.Equal(*v, *want.slices()[i]) {
					t.Fatalf("%s: slice %d is %v with %+v, want %v", name, i, *v, m, *want.slices()[i])
				}
			}
		})
	})
}

func (o *Orbits) slices() []*[]float64 {
	return []*[]float64{&o.X, &o.Y, &o.CX, &o.CY, &o.Near, &o.Steps}
}

func newOrbits(n int) *Orbits {
	o := new(Orbits)
	for _, v := range o.slices() {
		*v = make([]float64, n)
	}
	return o
}
