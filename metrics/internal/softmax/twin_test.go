//go:build (amd64 || arm64) && !noasm

package softmax

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/cpu"
)

func atLevel(l cpu.Level, f func()) {
	old := level
	level = l
	defer func() { level = old }()
	f()
}

// bits are all results of a row's functions, bit by bit.
func bits[F Float](row []F, skip int, top, v float64) []uint64 {
	s := Scan(row)
	total, e, q := ExpSums(row, skip, top, math.Inf(-1))
	out := []uint64{uint64(CountFrom(row, v)), uint64(First(row, v))}
	values := []float64{s.Max, s.Min, s.Sum, s.Squares, e, q}
	peak, least, ok := Peak(row)
	values = append(values, peak+0, total) // a zero at the top has either sign
	if ok {
		total, e, q = ExpSums(row, skip, peak, least)
		values = append(values, least, total, e, q)
	}
	for _, x := range values {
		if math.IsNaN(x) {
			x = math.NaN() // its bits are nobody's promise
		}
		out = append(out, math.Float64bits(x))
	}
	return out
}

func twins[F Float](t *testing.T, row []F, skip int, top, v float64) {
	t.Helper()
	var want []uint64
	atLevel(cpu.Plain, func() { want = bits(row, skip, top, v) })
	for _, l := range cpu.Levels()[1:] {
		var got []uint64
		if atLevel(l, func() { got = bits(row, skip, top, v) }); !slices.Equal(got, want) {
			t.Fatalf("%s: %x, plain Go: %x (skip %d, top %v, v %v, row %v)", l, got, want, skip, top, v, row)
		}
	}
}

// FuzzTwins proves that assembly and plain Go give the same bits.
func FuzzTwins(f *testing.F) {
	for n := range 60 {
		f.Add(uint64(n), uint16(n), 100.0)
	}
	f.Add(uint64(9), uint16(1000), -3.0)
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, top float64) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 1 + int(size%2000)
		skip, v := r.IntN(n), 0.0
		a, b := testRow[float32](r, n, seed%3 == 0), testRow[float64](r, n, seed%3 == 0)
		if seed%2 == 0 {
			v = float64(a[skip])
			top = Scan(a).Max
		}
		twins(t, a, skip, top, v)
		twins(t, b, skip, top, v)
	})
}

func TestThereIsAssemblyToCompare(t *testing.T) {
	if level == cpu.Plain {
		t.Skip("this machine has none, or AUGMIX_CPU is plain: there is no assembly to compare with plain Go")
	}
}
