package filter

import "math"

// HSV converts a color from RGB to hue, saturation and value, all 0…1, with the formulas of scikit-image's rgb2hsv in
// float64: V the largest channel, S = (V-min)/V, H the sextant formula of the largest channel, divided by 6 and reduced
// modulo 1. Where channels tie for the largest, blue goes before green before red. Gray has H = S = 0.
func HSV(r, g, b float64) (h, s, v float64) {
	v = max(r, g, b)
	d := v - min(r, g, b)
	if d == 0 {
		return 0, 0, v
	}
	switch v {
	case b:
		h = 4 + (r-g)/d
	case g:
		h = 2 + (b-r)/d
	default:
		h = (g - b) / d
	}
	h /= 6
	return h - math.Floor(h), d / v, v
}

// RGB converts a color from hue, saturation and value back, with the formulas of scikit-image's hsv2rgb in float64.
func RGB(h, s, v float64) (r, g, b float64) {
	h6 := float64(h * 6)
	hi := math.Floor(h6)
	f := h6 - hi
	p := v * (1 - s)
	q := v * (1 - float64(f*s))
	t := v * (1 - float64((1-f)*s))
	switch uint8(hi) % 6 {
	case 0:
		return v, t, p
	case 1:
		return q, v, p
	case 2:
		return p, v, t
	case 3:
		return p, q, v
	case 4:
		return t, p, v
	}
	return v, p, q
}
