package metrics

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// zeros is a source with zeros in it, which are one word too many for every integer below a number that is no power of two.
type zeros struct {
	*rand.PCG
	calls int
}

func (z *zeros) Uint64() uint64 {
	if z.calls++; z.calls%5 == 0 {
		return 0
	}
	return z.PCG.Uint64()
}

// filled makes words in bulk.
type filled struct {
	zeros
	fills int
}

func (f *filled) Fill(dst []uint64) {
	f.fills++
	for i := range dst {
		dst[i] = f.Uint64()
	}
}

// TestDrawer: rows are drawn one by one in the order of the words, from sources of every kind, and no word is read too many.
func TestDrawer(t *testing.T) {
	seed := func() zeros { return zeros{PCG: rand.NewPCG(1, 2)} }
	one, plain, bulk := seed(), seed(), filled{zeros: seed()}
	a, b := drawer{src: &plain}, drawer{src: &bulk}
	for _, strata := range [][]int{{1}, {3}, {7, 1000}, {512, 513, 3}, {4000}} {
		total := 0
		for _, n := range strata {
			total += n
		}
		var want []uint32
		for _, n := range strata {
			w := make([]uint32, n)
			for range n {
				hi, lo := bits.Mul64(one.Uint64(), uint64(n))
				for lo < -uint64(n)%uint64(n) {
					hi, lo = bits.Mul64(one.Uint64(), uint64(n))
				}
				w[hi]++
			}
			want = append(want, w...)
		}
		for _, d := range []*drawer{&a, &b} {
			w := make([]uint32, total)
			w[0] = 9
			if d.draw(w, strata); !slices.Equal(w, want) {
				t.Errorf("%v: other rows", strata)
			}
		}
		if plain.calls != one.calls || bulk.calls != one.calls {
			t.Errorf("%v: %d and %d words, want %d", strata, plain.calls, bulk.calls, one.calls)
		}
	}
	if bulk.fills == 0 {
		t.Error("nothing was filled")
	}
}
