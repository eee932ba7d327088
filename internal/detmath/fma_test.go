package detmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactFMA rounds x*y + z once, from all its digits.
func exactFMA(x, y, z float32) float32 {
	f := func(v float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(v)) }
	sum := f(x)
	v, _ := sum.Add(sum.Mul(sum, f(y)), f(z)).Float32()
	if v == 0 && sum.Sign() == 0 { // big.Float has other zeros
		return float32(float64(x)*float64(y) + float64(z))
	}
	return v
}

func checkFMA32(t *testing.T, x, y, z float32) {
	t.Helper()
	got := FMA32(x, y, z)
	if soft := soft32(x, y, z); math.Float32bits(soft) != math.Float32bits(got) && (soft == soft || got == got) {
		t.Fatalf("soft32(%x, %x, %x) = %x, FMA32 is %x", x, y, z, soft, got)
	}
	for _, v := range []float32{x, y, z} {
		if v-v != 0 { // NaN or infinite: float64 has the same
			if want := float32(math.FMA(float64(x), float64(y), float64(z))); got != want && (got == got || want == want) {
				t.Fatalf("FMA32(%v, %v, %v) = %v, want %v", x, y, z, got, want)
			}
			return
		}
	}
	if want := exactFMA(x, y, z); math.Float32bits(got) != math.Float32bits(want) {
		t.Fatalf("FMA32(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
}

// TestFMA32 asks for sums whose float64 lies halfway between two float32, in every way to be off that point, and for
// results that are subnormal, overflow, or cancel.
func TestFMA32(t *testing.T) {
	// 2^-24 is half the last place of 1; the rest decides, and is lost in float64.
	for _, c := range [][4]float32{
		{0x1p-12, 0x1p-12, 1, 1},
		{0x1p-12 + 0x1p-35, 0x1p-12 + 0x1p-35, 1, 1 + 0x1p-23},
		{0x1p-12 - 0x1p-36, 0x1p-12, 1, 1},
		{0x1p-12, 0x1p-12, 1 + 0x1p-23, 1 + 0x1p-22},
		{0x1p-30 + 0x1p-53, 0x1p+6, 1, 1 + 0x1p-23},
		{0x1p-30 - 0x1p-54, 0x1p+6, 1 + 0x1p-23, 1 + 0x1p-23},
		{-0x1p-30 - 0x1p-53, 0x1p+6, -1, -1 - 0x1p-23},
		{0x1.fffffep-100, 0x1p-50, 0x1p-149, 0x1p-148},
		{0x1p-100, 0x1.000002p-50, 0, 0x1p-149},
		{0x1.000002p-75, 0x1.fffffcp-76, 0x1.000004p-127, 0x1.000004p-127}, // less than half the last place of a subnormal number
		{0x1p-100, 0x1p-50, 0, 0},
		{math.MaxFloat32, 1, 0x1.fffffep102, math.MaxFloat32},
		{math.MaxFloat32, 1, 0x1p103, float32(math.Inf(1))},
	} {
		if got := FMA32(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("FMA32(%x, %x, %x) = %x, want %x", c[0], c[1], c[2], got, c[3])
		}
		checkFMA32(t, c[0], c[1], c[2])
	}
	r := rand.New(rand.NewPCG(1, 2))
	short := func() float32 { // few bits, so that sums often end halfway
		return float32(int(r.Uint32()&31)-16) * float32(math.Ldexp(1, int(r.Uint32()%80)-40))
	}
	for range 100000 {
		checkFMA32(t, short(), short(), short()+short())
		any := func() float32 { return math.Float32frombits(r.Uint32()) }
		checkFMA32(t, any(), any(), any())
		near := func() float32 { return math.Float32frombits(0x3f800000 + r.Uint32()&0x80ffffff) }
		checkFMA32(t, near(), near(), near()*float32(math.Ldexp(1, int(r.Uint32()%60)-30)))
		checkFMA32(t, short()*0x1p-50, near()*0x1p-60, short()*0x1p-100)
	}
}

func TestFMA32x4(t *testing.T) {
	sum, w := [4]float32{0, 1, 1, 0x1p-140}, [4]float32{3, 0x1p-12 + 0x1p-35, 2, -5}
	const x = 0x1p-12 + 0x1p-35
	for name, f := range map[string]func(*[4]float32, float32, *[4]float32){"FMA32x4": FMA32x4, "soft32x4": soft32x4} {
		got := sum
		f(&got, x, &w)
		for i, v := range got {
			if want := FMA32(x, w[i], sum[i]); v != want {
				t.Errorf("%s: sum %d is %v, want %v", name, i, v, want)
			}
		}
	}
}

func FuzzFMA32(f *testing.F) {
	f.Add(uint32(0x3f800001), uint32(0x33800000), uint32(0x3f800001))
	f.Fuzz(func(t *testing.T, x, y, z uint32) {
		checkFMA32(t, math.Float32frombits(x), math.Float32frombits(y), math.Float32frombits(z))
	})
}
