package decimal

import (
	"math"
	"strconv"
	"testing"
)

func TestFormat(t *testing.T) {
	// Every half between two numbers of one digit, as a percentage of a fraction.
	for i := range 1000 {
		fraction := float64(10*i+5) / 1e4
		want := strconv.FormatFloat(float64(i+1)/10, 'f', 1, 64)
		if got := Format(100*fraction, 1); got != want {
			t.Errorf("%v with one digit is %s, want %s", 100*fraction, got, want)
		}
		if got := Format(-100*fraction, 1); got != "-"+want {
			t.Errorf("%v with one digit is %s, want -%s", -100*fraction, got, want)
		}
	}
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{{0, 1, "0.0"}, {62.2499999, 1, "62.2"}, {0.12344999, 4, "0.1234"}, {1e6, 0, "1000000"}, {math.NaN(), 1, "NaN"}} {
		if got := Format(c.v, c.digits); got != c.want {
			t.Errorf("%v with %d digits is %s, want %s", c.v, c.digits, got, c.want)
		}
	}
}
