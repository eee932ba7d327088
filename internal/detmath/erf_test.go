package detmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestErf(t *testing.T) {
	check := func(x float64) {
		got, want := Erf(x), math.Erf(x)
		if d := math.Abs(got - want); !(d <= 1.5e-15*math.Min(1, math.Abs(x))) {
			t.Fatalf("Erf(%v) = %v, want %v", x, got, want)
		}
		if Erf(-x) != -got {
			t.Fatalf("Erf(%v) is not -Erf(%v)", -x, x)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200000 {
		check(7 * r.Float64())
		check(math.Ldexp(r.Float64(), -i%60))
		check(float64(i%200)/32 + 1e-9*(r.Float64()-0.5))
	}
	for _, x := range []float64{0, math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 6, math.Nextafter(6, 0)} {
		if got, want := Erf(x), math.Erf(x); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("Erf(%v) = %v, want %v", x, got, want)
		}
	}
	if v := Erf(math.NaN()); v == v {
		t.Errorf("Erf(NaN) = %v", v)
	}
}

// TestPinnedErf pins the bits that every architecture gives.
func TestPinnedErf(t *testing.T) {
	hash := uint64(14695981039346656037)
	for i := range 10000 {
		hash = (hash ^ math.Float64bits(Erf(float64(i)*0x1.5p-11))) * 1099511628211
	}
	const want = 0x739d0ea9dcd3ce18
	if hash != want {
		t.Errorf("hash %#x, want %#x", hash, uint64(want))
	}
}

func BenchmarkErf(b *testing.B) {
	for name, f := range map[string]func(float64) float64{"detmath": Erf, "math": math.Erf} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				f(float64(i&1023) * 0x1p-8)
			}
		})
	}
}
