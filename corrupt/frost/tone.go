package frost

import (
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// ranks are the places in the order of all pixels by luma for which quantiles hold the luma. The ends stand for .001
// and .999: the extremes of a photograph are accidents.
var ranks = quantiles{0, .01, .05, .1, .25, .5, .75, .9, .95, .99, 1}

type quantiles [11]float64

// The luma of the published photographs, rounded to levels.
var (
	frost1 = quantiles{90, 95, 102, 107, 116, 128, 141, 155, 163, 177, 193}
	frost2 = quantiles{105, 140, 165, 176, 193, 208, 220, 230, 235, 244, 251}
	frost4 = quantiles{50, 81, 102, 114, 132, 150, 167, 183, 196, 231, 251}
	frost5 = quantiles{33, 43, 58, 68, 89, 117, 149, 181, 202, 237, 254}
)

// target is the look of a kind.
type target struct {
	luma      quantiles
	red, blue offset
	hue       float32 // what one unit of the tint field, where there is one, adds to red; blue loses .6 of it
}

// offset is the difference between a channel and the luma: at luma 0, and its growth with each level of luma.
type offset struct{ base, growth float32 }

func (o offset) at(luma float32) float32 { return o.base + float32(o.growth*luma) }

// targets hold, by Kind, the luma and lines through the mean colors of the photographs' dark, middle and bright
// pixels; for Leaf, the colors of frost6.
var targets = [...]target{
	Fern:   {frost5, offset{-10, .01}, offset{15, -.015}, 0},
	Curl:   {frost2, offset{-4, 0}, offset{9.5, 0}, 0},
	Needle: {frost2, offset{-4, 0}, offset{9.5, 0}, 0},
	Rime:   {frost4, offset{-10, -.014}, offset{8, .05}, 0},
	Leaf:   {frost5, offset{-3, -.165}, offset{3, .135}, 3},
	Hoar:   {frost5, offset{-10, .01}, offset{15, -.015}, 0},
	Glaze:  {frost1, offset{-84, .25}, offset{56, -.15}, 20},
}

// bins is the number of steps of light that the tone curve tells apart.
const bins = 1 << 14

// develop makes dst the image of the light: the tone curve gives the pixels, by rank, the luma of the target, and
// the color follows the luma and the tint field, which may be nil.
func (t *target) develop(dst *raster.Image, light, tint *plane) {
	lo, hi := slices.Min(light.v), slices.Max(light.v)
	scale := float32(0)
	if hi-lo > 1e-30 { // the quotient is finite
		scale = (bins - 1) / (hi - lo)
	}
	count := make([]int, bins)
	for _, v := range light.v {
		count[int((v-lo)*scale)]++
	}
	curve := t.curve(count, len(light.v))
	for i, v := range light.v {
		l := curve[int((v-lo)*scale)]
		red, blue := t.red.at(l), t.blue.at(l)
		if tint != nil {
			c := float32(tint.v[i] * t.hue)
			red += c
			blue -= float32(.6 * c)
		}
		// Green makes up the rest of the luma .299 R + .587 G + .114 B.
		green := float32((float32(.299*red) + float32(.114*blue)) / -.587)
		p := dst.Pix[4*i:][:4]
		p[0], p[1], p[2], p[3] = gray(l+red), gray(l+green), gray(l+blue), 255
	}
}

// gray rounds and clips v to a byte.
func gray(v float32) uint8 { return uint8(min(max(v+.5, 0), 255)) }

// curve returns the luma of each bin, of which count holds how many of the n pixels it has: the target's at the middle
// rank of these pixels, between the known ranks by linear interpolation.
func (t *target) curve(count []int, n int) []float32 {
	luma := make([]float32, len(count))
	below, k := 0, 0
	for i, c := range count {
		rank := float64(2*below+c) / float64(2*n)
		below += c
		for k < len(ranks)-2 && rank > ranks[k+1] {
			k++
		}
		u := (rank - ranks[k]) / (ranks[k+1] - ranks[k])
		luma[i] = float32(t.luma[k] + float64(u*(t.luma[k+1]-t.luma[k])))
	}
	return luma
}
