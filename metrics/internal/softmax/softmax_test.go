package softmax

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestExp(t *testing.T) {
	if Exp(0) != 1 {
		t.Errorf("exp(0) = %v", Exp(0))
	}
	for _, x := range []float64{math.Nextafter(Floor, -1e9), -1e9, math.Inf(-1), math.NaN()} {
		if v := Exp(x); v != 0 {
			t.Errorf("exp(%v) = %v, want 0", x, v)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	worst, last := 0.0, 0.0
	for i := range 200_000 {
		x := Floor * r.Float64()
		if i%2 == 0 {
			x = -r.ExpFloat64()
		}
		got, want := Exp(x), math.Exp(x) // math.Exp is right to a unit in the last place, 2.3e-16
		off := math.Abs(got-want)/want - 2.3e-16
		if bound := 2.5e-15 + float64(math.Abs(x)*1.2e-16); off > bound {
			t.Fatalf("exp(%v) = %v, want %v: relative error %.3g, allowed %.3g", x, got, want, off, bound)
		}
		worst = max(worst, off)
		last = max(last, got)
	}
	if worst == 0 || last > 1 {
		t.Errorf("worst error %v, largest value %v", worst, last)
	}
}

// The table of roots is right to half a unit in the last place: its eighth powers surround powers of two.
func TestRoots(t *testing.T) {
	for i, b := range roots {
		v := math.Float64frombits(b + uint64(i)<<49)
		pow := func(x float64) *big.Float {
			p := big.NewFloat(1).SetPrec(600)
			for range 8 {
				p.Mul(p, new(big.Float).SetPrec(600).SetFloat64(x))
			}
			return p
		}
		want := new(big.Float).SetMantExp(big.NewFloat(1), i)
		if pow(math.Nextafter(v, 0)).Cmp(want) >= 0 || pow(math.Nextafter(v, 9)).Cmp(want) <= 0 {
			t.Errorf("2^(%d/8) = %v is not a neighbor of the root", i, v)
		}
	}
}

// testRow has ordinary values, equal ones, and sometimes zeros of both signs, NaN and infinities.
func testRow[F Float](r *rand.Rand, n int, odd bool) []F {
	row := make([]F, n)
	spread := math.Exp(8 * r.Float64())
	for i := range row {
		row[i] = F(spread * r.NormFloat64())
		if r.IntN(8) == 0 {
			row[i] = row[r.IntN(n)]
		}
	}
	if odd {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)} {
			if r.IntN(2) == 0 {
				row[r.IntN(n)] = F(v)
			}
		}
	}
	return row
}

// reference is what a row's functions promise, written as directly as it can be.
func reference[F Float](t *testing.T, row []F, skip int) {
	t.Helper()
	s := Scan(row)
	top, low, sum, squares := math.Inf(-1), math.Inf(1), 0.0, 0.0
	for _, f := range row {
		v := float64(f)
		top, low = max(top, v), min(low, v)
		sum += v
		squares += v * v
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(math.Abs(b)+math.Sqrt(squares)) }
	if s.Max != top || s.Min != low || !near(s.Sum, sum) || math.Abs(s.Squares-squares) > 1e-12*squares {
		t.Fatalf("Scan = %v, want %v %v %v %v", s, top, low, sum, squares)
	}
	m, least, ok := Peak(row)
	if m != top || least > low || !ok {
		t.Fatalf("Peak = %v, %v, %v, want %v and at most %v", m, least, ok, top, low)
	}
	var e, q float64
	for i, f := range row {
		if x := math.Exp(float64(f) - top); i != skip && float64(f)-top >= Floor {
			e += x
			q += x * x
		}
	}
	total, ge, gq := ExpSums(row, skip, top, least)
	if !near(total, sum) || math.Abs(ge-e) > 1e-12*e || math.Abs(gq-q) > 1e-12*q {
		t.Fatalf("ExpSums without %d of %d = %v, %v, %v, want %v, %v, %v", skip, len(row), total, ge, gq, sum, e, q)
	}
	if t2, e2, q2 := ExpSums(row, skip, top, math.Inf(-1)); t2 != total || e2 != ge || q2 != gq {
		t.Fatalf("ExpSums without %d of %d = %v, %v, %v where no least is known, else %v, %v, %v", skip, len(row), t2, e2, q2, total, ge, gq)
	}
	v := float64(row[skip])
	count := 0
	for _, f := range row {
		if float64(f) >= v {
			count++
		}
	}
	if got := CountFrom(row, v); got != count {
		t.Fatalf("CountFrom = %d, want %d", got, count)
	}
	if got, want := First(row, v), slices.IndexFunc(row, func(f F) bool { return float64(f) >= v }); got != want {
		t.Fatalf("First = %d, want %d", got, want)
	}
	if got := First(row, math.Inf(1)); got != len(row) {
		t.Fatalf("First of infinity = %d of %d", got, len(row))
	}
}

func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 70; n++ {
		for range 20 {
			reference(t, testRow[float32](r, n, false), r.IntN(n))
			reference(t, testRow[float64](r, n, false), r.IntN(n))
		}
	}
	if s := Scan[float32](nil); !math.IsInf(s.Max, -1) || !math.IsInf(s.Min, 1) || s.Sum != 0 || s.Squares != 0 {
		t.Errorf("Scan of nothing = %v", s)
	}
	if m, _, ok := Peak[float32](nil); !math.IsInf(m, -1) || !ok {
		t.Errorf("Peak of nothing = %v, %v", m, ok)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e39, -1e39} {
		for i := range 40 {
			narrow, row := make([]float32, 40), make([]float64, 40)
			narrow[i], row[i] = float32(bad), bad
			_, _, ok32 := Peak(narrow)
			if _, _, ok := Peak(row); ok || ok32 {
				t.Fatalf("Peak finds nothing wrong with %v at %d", bad, i)
			}
			row[39-i] = -bad // the sum of two is finite again
			if _, _, ok := Peak(row); ok {
				t.Fatalf("Peak finds nothing wrong with %v and its opposite", bad)
			}
		}
	}
	if CountFrom[float64](nil, 0) != 0 || First[float64](nil, 0) != 0 {
		t.Error("an empty row has elements")
	}
}

func BenchmarkScan(b *testing.B) {
	row := testRow[float32](rand.New(rand.NewPCG(1, 1)), 1000, false)
	b.SetBytes(4000)
	for b.Loop() {
		Scan(row)
	}
}

func BenchmarkPeak(b *testing.B) {
	row := testRow[float32](rand.New(rand.NewPCG(1, 1)), 1000, false)
	b.SetBytes(4000)
	for b.Loop() {
		Peak(row)
	}
}

func BenchmarkExpSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	row := make([]float32, 1000)
	for i := range row {
		row[i] = float32(2 * r.NormFloat64())
	}
	b.SetBytes(4000)
	for b.Loop() {
		ExpSums(row, 501, 9, -9)
	}
}

func BenchmarkCountFrom(b *testing.B) {
	row := testRow[float32](rand.New(rand.NewPCG(1, 1)), 1000, false)
	b.SetBytes(4000)
	for b.Loop() {
		CountFrom(row, 0)
	}
}

// TestPinned holds the bits of every function on some rows, which no processor and no architecture may change.
func TestPinned(t *testing.T) {
	h := fnv.New64a()
	put := func(v float64) {
		_ = binary.Write(h, binary.LittleEndian, math.Float64bits(v))
	}
	// A generator of its own, because math.Log, which normal numbers need, differs between architectures.
	state := uint64(1)
	next := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(int64(state)>>33) / (1 << 27)
	}
	for n := 1; n < 200; n += 7 {
		narrow, row := make([]float32, n), make([]float64, n)
		for i := range row {
			row[i] = next()
			narrow[i] = float32(row[i])
		}
		for _, v := range []float64{row[0], next(), -next()} {
			put(float64(CountFrom(row, v) + First(narrow, v)))
		}
		for _, s := range []Stats{Scan(row), Scan(narrow)} {
			put(s.Max)
			put(s.Min)
			put(s.Sum)
			put(s.Squares)
			_, e, q := ExpSums(row, n/2, s.Max, math.Inf(-1))
			put(e)
			put(q)
		}
		top, least, _ := Peak(narrow)
		sum, e, q := ExpSums(narrow, n/3, top, least)
		put(sum)
		put(e)
		put(q)
		put(Exp(-math.Abs(next())))
	}
	if got, want := h.Sum64(), uint64(0x9f38a7a51baa9380); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}
