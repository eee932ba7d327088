package filter

import (
	"math"

	"github.com/augmix-go/augmix/internal/kernel"
)

// Displace makes dst row y of src, w by h pixels, sampled at (x+dx[x], y+dy[x]), bilinearly in float64, with the arithmetic of
// SciPy's map_coordinates of order 1 and mode "reflect" as it was before SciPy 1.6: see [fold]. The sum is rounded to float32.
// Displacements are in pixels; w and h must be at least 2 and dst must not share memory with src.
func Displace(dst, src []Color, w, h, y int, dx, dy []float32) {
	for x := 0; x < w; {
		x += kernel.Displace(dst[x:], src, w, h, x, y, dx[x:], dy[x:])
		for end := min(x+atBorder, w); x < end; x++ {
			displacePixel(&dst[x], src, w, h, float64(x)+float64(dx[x]), float64(y)+float64(dy[x]))
		}
	}
}

func displacePixel(dst *Color, src []Color, w, h int, sx, sy float64) {
	xa, xb, u := taps(sx, w)
	ya, yb, v := taps(sy, h)
	kernel.BlendColors64(dst, &src[ya*w+xa], &src[ya*w+xb], &src[yb*w+xa], &src[yb*w+xb], u, v)
}

// taps returns the two samples of a row of n to interpolate between at position p, and the weight of the second.
func taps(p float64, n int) (a, b int, frac float64) {
	if p >= 0 && p < float64(n-1) {
		a = int(p)
		return a, a + 1, p - float64(a)
	}
	p = fold(p, n)
	f := math.Floor(p)
	a = int(f)
	return mirror(a, n), mirror(a+1, n), p - f
}

// fold brings position p into -1…n as SciPy before 1.6 did for mode "reflect": a negative position, reduced modulo 2n,
// becomes -p-1; one above n-1 is reduced modulo 2n and, from n on, becomes 2n-p-1. The result can still lie in -1…0 or
// n-1…n, where the taps beyond the edge are mirrored; SciPy 1.6 corrected this, which changes edge pixels only.
func fold(p float64, n int) float64 {
	period := float64(2 * n)
	switch {
	case p < 0:
		if p < -period {
			p += float64(period * math.Trunc(-p/period))
		}
		if p < float64(-n) {
			return p + period
		}
		return -p - 1
	case p > float64(n-1):
		p -= float64(period * math.Trunc(p/period))
		if p >= float64(n) {
			p = period - p - 1
		}
	}
	return p
}

// mirror brings the tap -1 or n back by reflection at the center of the edge sample.
func mirror(i, n int) int {
	if i < 0 {
		i = -i
	}
	if i >= n {
		i = 2*n - 2 - i
	}
	return i
}
