package cbar

import (
	"math"

	"github.com/augmix-go/augmix/raster"
)

// bilinear samples m at a place between its pixels: four neighbors, byte v standing for tone[v], those outside the
// image for 0. The place must be within ±2^30.
func bilinear(m *raster.Image, tone *[256]float64, row, col float64) (v [3]float64) {
	top, left := math.Floor(row), math.Floor(col)
	f, g := row-top, col-left
	y, x := int(top), int(left)
	if uint(y) < uint(m.H-1) && uint(x) < uint(m.W-1) {
		a := m.Pix[4*(y*m.W+x):][:8:8]
		b := m.Pix[4*((y+1)*m.W+x):][:8:8]
		for k := range v {
			v[k] = blend(tone[a[k]], tone[a[k+4]], tone[b[k]], tone[b[k+4]], f, g)
		}
		return v
	}
	a, b := outside(m, tone, y, x), outside(m, tone, y, x+1)
	c, d := outside(m, tone, y+1, x), outside(m, tone, y+1, x+1)
	for k := range v {
		v[k] = blend(a[k], b[k], c[k], d[k], f, g)
	}
	return v
}

// blend weighs the neighbors a b of the upper row and c d of the lower row, f below the upper row and g right of the
// left column.
func blend(a, b, c, d, f, g float64) float64 {
	s := float64(a*float64((1-f)*(1-g))) + float64(b*float64((1-f)*g))
	s += float64(c * float64(f*(1-g)))
	return s + float64(d*float64(f*g))
}

// outside returns a pixel, 0 outside the image.
func outside(m *raster.Image, tone *[256]float64, y, x int) (v [3]float64) {
	if uint(y) >= uint(m.H) || uint(x) >= uint(m.W) {
		return v
	}
	p := m.Pix[4*(y*m.W+x):][:3:3]
	return [3]float64{tone[p[0]], tone[p[1]], tone[p[2]]}
}
