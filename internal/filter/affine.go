package filter

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

// Color is a pixel of three float32 samples; the fourth is padding.
type Color = kernel.Color

// Affine maps (x, y) to (A[0]x + A[1]y + A[2], A[3]x + A[4]y + A[5]).
type Affine [6]float64

// Point is a position in pixels: columns to the right, rows downward.
type Point struct{ X, Y float64 }

// AffineFrom returns the map that takes the three points p to the three points q, by Gaussian elimination with row
// pivoting in float64. The points p must not lie on a line.
func AffineFrom(p, q [3]Point) Affine {
	var m [3][5]float64
	for i := range m {
		m[i] = [5]float64{p[i].X, p[i].Y, 1, q[i].X, q[i].Y}
	}
	for c := range 3 {
		best := c
		for r := c + 1; r < 3; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[best][c]) {
				best = r
			}
		}
		m[c], m[best] = m[best], m[c]
		for r := c + 1; r < 3; r++ {
			f := m[r][c] / m[c][c]
			for j := c; j < 5; j++ {
				m[r][j] -= float64(f * m[c][j])
			}
		}
	}
	var a Affine
	for j := range 2 {
		for r := 2; r >= 0; r-- {
			v := m[r][3+j]
			for c := r + 1; c < 3; c++ {
				v -= float64(m[r][c] * a[3*j+c])
			}
			a[3*j+r] = v / m[r][r]
		}
	}
	return a
}

// invert returns the inverse as OpenCV's warpAffine computes it; a singular map gives zeros in place of the reciprocal
// determinant.
func (a Affine) invert() Affine {
	d := float64(a[0]*a[4]) - float64(a[1]*a[3])
	if d != 0 {
		d = 1 / d
	}
	i0, i4 := a[4]*d, a[0]*d
	i1, i3 := a[1]*-d, a[3]*-d
	return Affine{
		i0, i1, float64(-i0*a[2]) - float64(i1*a[5]),
		i3, i4, float64(-i3*a[2]) - float64(i4*a[5]),
	}
}

// WarpAffine moves every point of src by m (which maps source to destination) and interpolates bilinearly, with the
// arithmetic of OpenCV's warpAffine on float32 images: source coordinates are 1/32 pixel, from products with 1024
// rounded half to even, plus 16, shifted right by five; the four weights are float32 products of multiples of 1/32; the
// border rule is reflect101. dst and src hold w by h pixels and must not share memory. cols is scratch space.
//
// It returns cols, perhaps made longer.
func WarpAffine(dst, src []Color, w, h int, m Affine, cols []int32) []int32 {
	inv := m.invert()
	cols = buffer.Resize(cols, 2*w)
	xs, ys := cols[:w], cols[w:]
	for x := range w {
		xs[x] = fixed(float64(inv[0]*float64(x)) * 1024)
		ys[x] = fixed(float64(inv[3]*float64(x)) * 1024)
	}
	for y := range h {
		x0 := fixed((float64(inv[1]*float64(y))+inv[2])*1024) + 16
		y0 := fixed((float64(inv[4]*float64(y))+inv[5])*1024) + 16
		row := dst[y*w:][:w:w]
		for x := 0; x < w; {
			x += kernel.MoveColors(row[x:], src, w, h, xs[x:], ys[x:], x0, y0)
			for end := min(x+atBorder, w); x < end; x++ {
				warpPixel(&row[x], src, w, h, (x0+xs[x])>>5, (y0+ys[x])>>5)
			}
		}
	}
	return cols
}

// atBorder is how many pixels are done with care for the border once one needs it: its neighbors mostly do too.
const atBorder = 8

// fixed rounds half to even and cuts to the 32-bit range.
func fixed(v float64) int32 {
	return int32(min(max(math.RoundToEven(v), math.MinInt32), math.MaxInt32))
}

// warpPixel interpolates src at (fx, fy), in 1/32 pixel.
func warpPixel(dst *Color, src []Color, w, h int, fx, fy int32) {
	x, y := int(fx>>5), int(fy>>5)
	xa, xb := Reflect101.At(x, w), Reflect101.At(x+1, w)
	ya, yb := Reflect101.At(y, h)*w, Reflect101.At(y+1, h)*w
	kernel.BlendColors(dst, &src[ya+xa], &src[ya+xb], &src[yb+xa], &src[yb+xb], float32(fx&31)/32, float32(fy&31)/32)
}
