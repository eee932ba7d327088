package detmath

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// spread returns a positive number of random digits whose size, as a logarithm, is uniform between those of lo and hi.
func spread(r *rand.Rand, lo, hi float64) float64 {
	_, l := math.Frexp(lo)
	_, h := math.Frexp(hi)
	for {
		if x := math.Ldexp(0.5+r.Float64()/2, l+r.IntN(h-l+1)); x >= lo && x <= hi {
			return x
		}
	}
}

func signed(r *rand.Rand, x float64) float64 {
	if r.Uint64()&1 == 0 {
		return -x
	}
	return x
}

// TestAccuracy compares with multi-precision arithmetic over ranges that cover every branch. The bounds are the ones
// the package promises.
func TestAccuracy(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	type measure func(*rand.Rand) (ulp float64, at string)
	type drawer func(*rand.Rand) float64
	one := func(f func(float64) float64, ref func(*big.Float) *big.Float, draw drawer) measure {
		return func(r *rand.Rand) (float64, string) {
			x := draw(r)
			return ulps(f(x), ref(newBig(x))), fmt.Sprintf("%x", x)
		}
	}
	sin := func(x *big.Float) *big.Float { f, _ := x.Float64(); return bigSin(f, 0) }
	cos := func(x *big.Float) *big.Float { f, _ := x.Float64(); return bigSin(f, 1) }
	in := func(lo, hi float64) drawer {
		return func(r *rand.Rand) float64 { return lo + (hi-lo)*r.Float64() }
	}
	over := func(lo, hi float64) drawer {
		return func(r *rand.Rand) float64 { return spread(r, lo, hi) }
	}
	either := func(lo, hi float64) drawer {
		return func(r *rand.Rand) float64 { return signed(r, spread(r, lo, hi)) }
	}
	near := func(c, eps float64) drawer {
		return func(r *rand.Rand) float64 { return c + signed(r, spread(r, eps*0x1p-30, eps)) }
	}
	pow := func(draw func(*rand.Rand) (x, y float64)) measure {
		return func(r *rand.Rand) (float64, string) {
			x, y := draw(r)
			l := bigLog(newBig(x))
			return ulps(Pow(x, y), bigExp(l.Mul(l, newBig(y)))), fmt.Sprintf("%x, %x", x, y)
		}
	}
	atan := func(lo, hi, size float64) measure {
		return func(r *rand.Rand) (float64, string) {
			x := spread(r, 1, 2) * size
			y := x * spread(r, lo, hi)
			return ulps(Atan2(y, x), bigAtan2(newBig(y), newBig(x))), fmt.Sprintf("%x, %x", y, x)
		}
	}
	multiple := func(r *rand.Rand) float64 { // the doubles nearest to multiples of pi/2
		x := float64(1+r.IntN(1<<21)) * (math.Pi / 2)
		return math.Nextafter(x, x+float64(r.IntN(3)-1))
	}
	tests := []struct {
		name  string
		bound float64
		run   measure
	}{
		{"Log/all", 0.51, one(Log, bigLog, over(0x1p-1022, math.MaxFloat64))},
		{"Log/subnormal", 0.51, one(Log, bigLog, over(0x1p-1074, 0x1p-1022))},
		{"Log/unit", 0.51, one(Log, bigLog, in(0.25, 4))},
		{"Log/near1", 0.51, one(Log, bigLog, near(1, 0x1p-8))},
		{"Log/nearer1", 0.51, one(Log, bigLog, near(1, 0x1p-22))},
		{"Exp/all", 0.52, one(Exp, bigExp, in(-708, 709.7))},
		{"Exp/small", 0.52, one(Exp, bigExp, either(0x1p-60, 1))},
		{"Exp/subnormal", 1.01, one(Exp, bigExp, in(-745, -708))},
		{"Sin/first", 0.80, one(Sin, sin, either(0x1p-40, math.Pi))},
		{"Sin/moderate", 0.80, one(Sin, sin, in(-1000, 1000))},
		{"Sin/middle", 0.80, one(Sin, sin, either(1000, 0x1p21))},
		{"Sin/huge", 0.80, one(Sin, sin, either(0x1p20, math.MaxFloat64))},
		{"Sin/multiples", 0.80, one(Sin, sin, multiple)},
		{"Cos/first", 0.80, one(Cos, cos, either(0x1p-40, math.Pi))},
		{"Cos/moderate", 0.80, one(Cos, cos, in(-1000, 1000))},
		{"Cos/middle", 0.80, one(Cos, cos, either(1000, 0x1p21))},
		{"Cos/huge", 0.80, one(Cos, cos, either(0x1p20, math.MaxFloat64))},
		{"Cos/multiples", 0.80, one(Cos, cos, multiple)},
		{"Atan2/octant", 0.65, atan(1./256, 1, 1)},
		{"Atan2/low", 0.65, atan(0x1p-7, 0x1p-3, 1)},
		{"Atan2/steep", 0.65, atan(1, 1000, 1)},
		{"Atan2/flat", 0.65, atan(0x1p-600, 0.01, 1)},
		{"Atan2/large", 0.65, atan(0.01, 1, 0x1p1022)},
		{"Atan2/small", 0.65, atan(0.01, 1, 0x1p-1021)},
		{"Pow/moderate", 0.52, pow(func(r *rand.Rand) (x, y float64) {
			return spread(r, 1e-3, 1e3), 40 * (r.Float64() - 0.5)
		})},
		{"Pow/large result", 0.52, pow(func(r *rand.Rand) (x, y float64) {
			x = spread(r, 1e-300, 1e300)
			return x, 700 * (2*r.Float64() - 1) / math.Log(x)
		})},
		{"Pow/near one", 0.52, pow(func(r *rand.Rand) (x, y float64) {
			x = near(1, 0x1p-20)(r)
			return x, 700 * (2*r.Float64() - 1) / math.Log(x)
		})},
		{"Pow/tiny exponent", 0.52, pow(func(r *rand.Rand) (x, y float64) {
			return spread(r, 1e-300, 1e300), signed(r, spread(r, 0x1p-70, 1))
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, where := 0.0, ""
			for range n {
				if u, at := tt.run(r); u > worst || where == "" {
					worst, where = u, at
				}
			}
			t.Logf("%.4f ulp at %s", worst, where)
			if !(worst <= tt.bound) {
				t.Errorf("off by %.4f units in the last place at %s, promised %v", worst, where, tt.bound)
			}
		})
	}
}

// TestAgainstMath walks wide ranges densely and demands the neighborhood of package math's value. The distances
// allowed cover the errors of package math itself, which are a few units (dozens for Pow).
func TestAgainstMath(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		x := signed(r, spread(r, 0x1p-1022, math.MaxFloat64))
		y := signed(r, spread(r, 1e-5, 1e5))
		check := func(name string, got, want, ulp float64) {
			t.Helper()
			if got == want || got != got && want != want {
				return
			}
			unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
			if d := math.Abs(got - want); !(d <= ulp*unit) {
				t.Fatalf("%s at x = %x, y = %x: got %v, math has %v", name, x, y, got, want)
			}
		}
		check("Log", Log(x), math.Log(x), 2)
		check("Exp", Exp(y/200), math.Exp(y/200), 2)
		check("Sin", Sin(y), math.Sin(y), 4)
		check("Cos", Cos(y), math.Cos(y), 4)
		check("Atan2", Atan2(x, y), math.Atan2(x, y), 3)
		check("Atan2", Atan2(y, y*y), math.Atan2(y, y*y), 3)
		if w := math.Pow(math.Abs(y), y/1e4); w > 1e-300 {
			check("Pow", Pow(math.Abs(y), y/1e4), w, 100)
		}
	}
}

// TestSpecial demands package math's answer for every combination of special arguments: NaN, infinities, zeros and ones
// with their signs. Other values need only be near; where package math itself is wrong (the logarithm of a subnormal
// number on amd64, the sign of an angle whose tangent underflows) there is nothing to compare.
func TestSpecial(t *testing.T) {
	inf := math.Inf(1)
	v := []float64{
		0, 1, 2, 3, 0.5, 1.5, 0x1p52, 0x1p53, 0x1p53 + 2, 0x1p52 + 1, 0x1p64, 0x1p70, 1e300, math.MaxFloat64,
		0x1p-1074, 0x1p-1022, 0x1p-60, 0x1p-70, 1 - 0x1p-53, 1 + 0x1p-52, 709, 710, 745, 746, 1e6, inf, math.NaN(),
	}
	for _, x := range v[:len(v):len(v)] {
		v = append(v, -x)
	}
	same := func(got, want float64) bool {
		switch {
		case want != want:
			return got != got
		case math.IsInf(want, 0), want == 0:
			return got == want && math.Signbit(got) == math.Signbit(want)
		}
		return math.Abs(got-want) <= 1e-6*math.Abs(want) || math.Abs(got-want) <= 0x1p-1074
	}
	for _, x := range v {
		unary := []struct {
			name string
			f, m func(float64) float64
		}{{"Log", Log, math.Log}, {"Exp", Exp, math.Exp}, {"Sin", Sin, math.Sin}, {"Cos", Cos, math.Cos}}
		for _, f := range unary {
			if f.name == "Log" && x > 0 && x < 0x1p-1022 {
				continue
			}
			if got, want := f.f(x), f.m(x); !same(got, want) {
				t.Errorf("%s(%v) = %v, want %v", f.name, x, got, want)
			}
		}
		for _, y := range v {
			if got, want := Pow(x, y), math.Pow(x, y); !same(got, want) {
				t.Errorf("Pow(%v, %v) = %v, want %v", x, y, got, want)
			}
			if y < 0 && x != 0 && x/y == 0 {
				continue
			}
			if got, want := Atan2(x, y), math.Atan2(x, y); !same(got, want) {
				t.Errorf("Atan2(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestPinned hashes the bits of many results: every architecture and compiler must reproduce them.
func TestPinned(t *testing.T) {
	h := fnv.New64a()
	put := func(x float64) {
		b := math.Float64bits(x)
		for i := range 8 {
			h.Write([]byte{byte(b >> (8 * i))})
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		x, y := math.Float64frombits(r.Uint64()&^(1<<63)|1), 200*(r.Float64()-0.5)
		if x != x {
			continue
		}
		put(Log(x))
		put(Exp(y))
		put(Pow(math.Abs(y), y/7))
		put(Sin(y))
		put(Cos(y))
		put(Sin(x))
		put(Cos(x * 0x1p-500))
		put(Atan2(y, 1+y*0.25))
	}
	const want = 0x749f9241c98b941d
	if got := h.Sum64(); got != want {
		t.Errorf("hash of results %#x, want %#x", got, uint64(want))
	}
}

func FuzzNoPanic(f *testing.F) {
	f.Add(1.0, 2.0)
	f.Add(math.Copysign(0, -1), math.Inf(-1))
	f.Add(0x1p1023, math.NaN())
	f.Fuzz(func(t *testing.T, x, y float64) {
		if s, c := Sin(x), Cos(x); math.Abs(s*s+c*c-1) > 1e-15 {
			t.Errorf("sin^2 + cos^2 of %x is off by %g", x, s*s+c*c-1)
		}
		if l := Log(x); x > 0 && x < math.MaxFloat64 && math.Abs(Exp(l)/x-1) > 1e-13*(1+math.Abs(l)) && x > 0x1p-1022 {
			t.Errorf("Exp(Log(%x)) = %x", x, Exp(l))
		}
		if a := math.Abs(Atan2(y, x)); a > math.Pi {
			t.Errorf("Atan2(%x, %x) = %v", y, x, a)
		}
		Pow(x, y)
	})
}

func Example() {
	fmt.Printf("%x\n", Log(2))
	fmt.Printf("%x\n", Exp(1))
	fmt.Printf("%x\n", Pow(10, -3))
	fmt.Printf("%x\n", Sin(1))
	// Output:
	// 0x1.62e42fefa39efp-01
	// 0x1.5bf0a8b145769p+01
	// 0x1.0624dd2f1a9fcp-10
	// 0x1.aed548f090ceep-01
}

var sink float64

func Benchmark(b *testing.B) {
	x := make([]float64, 1024)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range x {
		x[i] = 10 * r.Float64()
	}
	for _, f := range []struct {
		name string
		f    func(float64) float64
	}{
		{"Log", Log},
		{"Exp", Exp},
		{"Sin", Sin},
		{"Cos", Cos},
		{"Pow", func(x float64) float64 { return Pow(x, 2.4) }},
		{"Atan2", func(x float64) float64 { return Atan2(x, 3) }},
		{"mathLog", math.Log},
		{"mathExp", math.Exp},
		{"mathSin", math.Sin},
		{"mathPow", func(x float64) float64 { return math.Pow(x, 2.4) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			for i := range b.N {
				sink += f.f(x[i%1024])
			}
		})
	}
}
