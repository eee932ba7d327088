package filter

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/kernel"
)

// Worked by hand from the formulas.
func TestHSV(t *testing.T) {
	tests := []struct{ r, g, b, h, s, v float64 }{
		{0, 0, 0, 0, 0, 0},
		{.5, .5, .5, 0, 0, .5},
		{1, 0, 0, 0, 1, 1},
		{1, .5, .25, .25 / .75 / 6, .75, 1},
		{.25, 1, .5, (2 + .25/.75) / 6, .75, 1},
		{.5, .25, 1, (4 + .25/.75) / 6, .75, 1},
		{1, 0, .5, 1 - .5/6, 1, 1},        // red over blue: the hue wraps
		{1, 1, 0, (2 - 1.0) / 6, 1, 1},    // green goes before red
		{1, 0, 1, (4 + 1.0) / 6, 1, 1},    // blue before red
		{0, .5, .5, (4 - 1.0) / 6, 1, .5}, // blue before green
	}
	for _, tt := range tests {
		h, s, v := HSV(tt.r, tt.g, tt.b)
		if math.Abs(h-tt.h) > 1e-15 || math.Abs(s-tt.s) > 1e-15 || v != tt.v {
			t.Errorf("HSV(%v, %v, %v) = %v, %v, %v; want %v, %v, %v", tt.r, tt.g, tt.b, h, s, v, tt.h, tt.s, tt.v)
		}
		r, g, b := RGB(h, s, v)
		if math.Abs(r-tt.r)+math.Abs(g-tt.g)+math.Abs(b-tt.b) > 1e-15 {
			t.Errorf("RGB(%v, %v, %v) = %v, %v, %v; want %v, %v, %v", h, s, v, r, g, b, tt.r, tt.g, tt.b)
		}
	}
}

func TestHSVRoundTrip(t *testing.T) {
	for i := range 64 * 64 * 64 {
		r, g, b := kernel.Unit64[uint8(i>>12*4+3)], kernel.Unit64[uint8(i>>6&63*4+3)], kernel.Unit64[uint8(i&63*4+3)]
		h, s, v := HSV(r, g, b)
		if h < 0 || h >= 1 || s < 0 || s > 1 || v < 0 || v > 1 {
			t.Fatalf("HSV(%v, %v, %v) = %v, %v, %v, outside 0…1", r, g, b, h, s, v)
		}
		r2, g2, b2 := RGB(h, s, v)
		if math.Abs(r-r2)+math.Abs(g-g2)+math.Abs(b-b2) > 1e-14 {
			t.Fatalf("(%v, %v, %v) came back as (%v, %v, %v)", r, g, b, r2, g2, b2)
		}
	}
}
