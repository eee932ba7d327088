package fvis

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// The criterion of a degenerate image, one without structure over its whole: it is looked at in cells by cells parts, of which
// all but sparse must have contrast, and no more than filled of the pixels may be of one color, of bins to the power
// of 3. Chosen by eye: what fails is flat, a few blobs, or mostly black or white.
const (
	cells    = 8
	sparse   = 8
	contrast = 0.08 // standard deviation of a part, of values on [0, 1]
	bins     = 4
	filled   = 0.5
)

// merit is 1 or more for an image that is not degenerate, and orders those that are: the measure that fails worst, relative to what is
// asked, decides.
func merit(m *raster.Image) float64 {
	var std []float64
	for cy := range cells {
		for cx := range cells {
			std = append(std, deviation(m, cx*m.W/cells, cy*m.H/cells, (cx+1)*m.W/cells, (cy+1)*m.H/cells))
		}
	}
	slices.Sort(std)
	var count [bins * bins * bins]int
	for i := 0; i < len(m.Pix); i += 4 {
		at := 0
		for _, v := range m.Pix[i : i+3] {
			at = at*bins + int(v)*bins/256
		}
		count[at]++
	}
	share := float64(slices.Max(count[:])) / float64(m.W*m.H)
	return min(std[sparse]/contrast, filled/share)
}

// deviation returns the standard deviation of a rectangle, over its pixels and the three colors, each around its mean.
func deviation(m *raster.Image, x0, y0, x1, y1 int) float64 {
	var sum, square [3]float64
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			i := 4 * (y*m.W + x)
			for c, v := range m.Pix[i : i+3] {
				u := float64(v) / 255
				sum[c] += u
				square[c] += float64(u * u)
			}
		}
	}
	n, total := float64((x1-x0)*(y1-y0)), 0.0
	for c := range 3 {
		mean := sum[c] / n
		total += square[c]/n - float64(mean*mean)
	}
	return math.Sqrt(max(total, 0) / 3)
}
