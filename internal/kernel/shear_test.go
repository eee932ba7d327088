//go:build (amd64 || arm64) && !noasm

package kernel

import "testing"

// TestShearFactor compares multiples of fractions all over [0, 1) with those of the factor that stands for each.
func TestShearFactor(t *testing.T) {
	table := cells()
	check := func(q uint32) {
		m := table.factor(q)
		near := false
		for d := uint32(1); d < 256; d++ {
			near = near || (d*q+160)&0xffffff < 320
			if m != undecided && d*m>>16 != d*q>>24 {
				t.Fatalf("factor of %d/2^24 is %d, which takes %d to %d, want %d", q, m, d, d*m>>16, d*q>>24)
			}
		}
		if near != (m == undecided) {
			t.Fatalf("factor of %d/2^24 is %d, but whether a multiple is near a whole number is %v", q, m, near)
		}
	}
	for q := uint32(0); q < 1<<24; q += 251 {
		check(q)
	}
	for b := 1; b < 256; b++ { // about the fractions where floors change
		for a := range b + 1 {
			for _, off := range []int{-161, -160, -159, -1, 0, 1, 159, 160, 161} {
				if q := (a<<24 + off) / b; q >= 0 && q < 1<<24 {
					check(uint32(q))
				}
			}
		}
	}
}
