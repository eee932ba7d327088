package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// hsi returns the color of a hue in turns, a saturation and an intensity, 0 to 1 (Gonzalez and Woods, Digital Image
// Processing, section 6.2): within each third of the circle one channel is i(1-s), one follows from cosines and the
// last from the sum.
func hsi(hue, s, i float64) rgb {
	third := int(hue * 3)
	h := float64(2 * math.Pi * (hue - float64(third)/3))
	low := float64(i * (1 - s))
	high := float64(i * (1 + float64(s*detmath.Cos(h))/detmath.Cos(math.Pi/3-h)))
	rest := float64(3*i) - low - high
	v := [3]float32{float32(high), float32(rest), float32(low)}
	switch third % 3 {
	case 0:
		return rgb{v[0], v[1], v[2]}
	case 1:
		return rgb{v[2], v[0], v[1]}
	}
	return rgb{v[1], v[2], v[0]}
}
