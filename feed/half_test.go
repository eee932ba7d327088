package feed

import (
	"math"
	"testing"
)

// fromHalf reads a 16-bit float with the given number of bits of mantissa.
func fromHalf(b uint16, mantissa int) float64 {
	exponents := 15 - mantissa
	bias := 1<<(exponents-1) - 1
	e, m := int(b&0x7fff)>>mantissa, int(b)&(1<<mantissa-1)
	sign := 1.0
	if b&0x8000 != 0 {
		sign = -1
	}
	switch {
	case e == 1<<exponents-1 && m != 0:
		return math.NaN()
	case e == 1<<exponents-1:
		return sign * math.Inf(1)
	case e == 0:
		return sign * math.Ldexp(float64(m), 1-bias-mantissa)
	}
	return sign * math.Ldexp(float64(m|1<<mantissa), e-bias-mantissa)
}

// TestHalf: every number of 16 bits is kept, and what lies between two goes to the nearer, in the middle to the even one.
func TestHalf(t *testing.T) {
	for _, c := range []struct {
		name     string
		mantissa int
		to       func(float32) uint16
		infinity uint16
	}{{"float16", 10, toFloat16, 0x7c00}, {"bfloat16", 7, toBFloat16, 0x7f80}} {
		for b := range uint16(0x8000) {
			v := fromHalf(b, c.mantissa)
			if math.IsNaN(v) {
				if got := c.to(float32(math.NaN())); !math.IsNaN(fromHalf(got, c.mantissa)) {
					t.Fatalf("%s of NaN is %#x", c.name, got)
				}
				continue
			}
			for _, sign := range []uint16{0, 0x8000} {
				x := float32(v)
				if sign != 0 {
					x = -x
				}
				if got := c.to(x); got != b|sign {
					t.Fatalf("%s of %v is %#x, want %#x", c.name, x, got, b|sign)
				}
			}
			if next := fromHalf(b+1, c.mantissa); b+1 < c.infinity {
				middle := float32((v + next) / 2)
				even := b + b&1
				if got := c.to(middle); got != even {
					t.Fatalf("%s of %v is %#x, want %#x", c.name, middle, got, even)
				}
				if got := c.to(math.Nextafter32(middle, float32(math.Inf(1)))); got != b+1 {
					t.Fatalf("%s above %v is %#x, want %#x", c.name, middle, got, b+1)
				}
				if got := c.to(math.Nextafter32(middle, 0)); got != b {
					t.Fatalf("%s below %v is %#x, want %#x", c.name, middle, got, b)
				}
			}
		}
		if got := c.to(math.MaxFloat32); got != c.infinity {
			t.Errorf("%s of the largest number is %#x", c.name, got)
		}
	}
}
