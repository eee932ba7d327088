package figure

import (
	"image/color"

	"github.com/augmix-go/augmix/internal/chart"
)

// look is how a class is painted; a color without opacity is none. It is the light form of chart.CSS.
type look struct {
	fill, stroke color.NRGBA
	width        float64   // of the stroke, in points
	dash         []float64 // lengths of dashes and gaps
	round        bool      // ends of lines
	size         float64   // of text
	bold         bool
}

// palette has the colors of series.
var palette = [chart.Colors]color.NRGBA{
	{0x11, 0x6f, 0xb9, 255},
	{0xc3, 0x54, 0x06, 255},
	{0x49, 0x91, 0x64, 255},
	{0xa1, 0x62, 0x88, 255},
	{0xad, 0x93, 0x00, 255},
	{0x16, 0x9c, 0xd1, 255},
	{0x4c, 0x4a, 0x6a, 255},
	{0x66, 0x42, 0x03, 255},
}

var (
	ink   = color.NRGBA{0x33, 0x39, 0x3f, 255}
	faint = color.NRGBA{0x6b, 0x73, 0x7b, 255}
	grid  = color.NRGBA{0xe3, 0xe6, 0xe9, 255}
	axis  = color.NRGBA{0x8b, 0x93, 0x9b, 255}
	paper = color.NRGBA{255, 255, 255, 255}
)

// lookOf returns the look of a class. A class that it does not know is invisible.
func lookOf(c chart.Class) look {
	series := palette[c.Color%chart.Colors]
	switch c.Name {
	case "grid":
		return look{stroke: grid, width: 1}
	case "axis":
		return look{stroke: axis, width: 1}
	case "diag":
		return look{stroke: axis, width: 1, dash: []float64{4, 4}}
	case "w":
		return look{stroke: ink, width: 1.3}
	case "wh":
		return look{stroke: paper, width: 3}
	case "e":
		return look{stroke: series, width: 1.2}
	case "ref":
		return look{stroke: ink, width: 2.2}
	case "halo":
		return look{stroke: paper, width: 5}
	case "span":
		return look{stroke: grid, width: 5, round: true}
	case "none":
		return look{stroke: grid, width: 1}
	case "box":
		return look{stroke: axis, width: 1}
	case "any":
		return look{fill: axis}
	case "l", "m", "b":
		return lookOfSeries(c, series)
	case "tick":
		return look{fill: faint, stroke: paper, width: 3, round: true, size: 11}
	case "val":
		return look{fill: ink, stroke: paper, width: 3, round: true, size: 11.5}
	case "lab", "leg":
		return look{fill: ink, size: 12}
	case "miss":
		return look{fill: faint, size: 9}
	case "title":
		return look{fill: ink, size: 14, bold: true}
	case "head":
		return look{fill: ink, size: 12.5, bold: true}
	}
	return look{}
}

// lookOfSeries is the look of lines, marks and bars: dashed, hollow or pale for published numbers.
func lookOfSeries(c chart.Class, series color.NRGBA) look {
	switch {
	case c.Name == "l" && c.Published:
		return look{stroke: series, width: 1.4, dash: []float64{5, 3}}
	case c.Name == "l":
		return look{stroke: series, width: 1.8}
	case c.Name == "m" && c.Published:
		return look{fill: paper, stroke: series, width: 1.5}
	case c.Name == "m":
		return look{fill: series, stroke: paper, width: 1}
	case c.Name == "b" && c.Published:
		return look{fill: pale(series, 0.28), stroke: series, width: 1, dash: []float64{3, 2}}
	}
	return look{fill: series}
}

func pale(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(opacity*255 + 0.5)
	return c
}
