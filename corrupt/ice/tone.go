package ice

import (
	"math"

	"github.com/augmix-go/augmix/raster"
)

// ranks are the places in the order of all pixels by luma for which a target holds the luma.
var ranks = [...]float64{0, .01, .05, .1, .25, .5, .75, .9, .95, .99, 1}

// target is the look of a kind: the quantiles of its luma and its tint.
type target struct {
	quantile [len(ranks)]float64
	red      [2]float64 // red less luma: at luma 0, and its growth for each level of luma
	blue     [2]float64 // the same for blue
	hue      float64    // standard deviation of red from the tint field, where there is one
}

// targets hold, kind by kind, what was measured on the published photographs (see the package comment).
var targets = [...]target{
	Fern:   {[...]float64{12, 43, 58, 68, 89, 117, 149, 181, 202, 237, 255}, [2]float64{-10, .01}, [2]float64{15, -.015}, 1.5},
	Curl:   {[...]float64{95, 140, 165, 176, 193, 208, 220, 230, 235, 244, 255}, [2]float64{-4, 0}, [2]float64{9.5, 0}, 1},
	Needle: {[...]float64{95, 140, 165, 176, 193, 208, 220, 230, 235, 244, 255}, [2]float64{-4, 0}, [2]float64{9.5, 0}, 1.5},
	Rime:   {[...]float64{45, 81, 102, 114, 132, 150, 167, 183, 196, 231, 255}, [2]float64{-10, -.014}, [2]float64{8, .05}, 1},
	Leaf:   {[...]float64{4, 17, 29, 37, 56, 87, 119, 145, 159, 185, 235}, [2]float64{-3, -.165}, [2]float64{3, .135}, 5},
	Hoar:   {[...]float64{12, 43, 58, 68, 89, 117, 149, 181, 202, 237, 255}, [2]float64{-10, .01}, [2]float64{15, -.015}, 2},
	Glaze:  {[...]float64{80, 95, 102, 107, 116, 128, 141, 155, 163, 177, 225}, [2]float64{-84, .25}, [2]float64{56, -.15}, 20},
}

const bins = 1 << 14

// develop makes dst the picture of the light field: the tone curve gives the pixels, by rank, the luma of the target,
// and the colour follows the luma and, by its amount, the tint field, which has deviation 1.
func (t *target) develop(dst *raster.Image, light, tint *plane) {
	lo, hi := light.v[0], light.v[0]
	for _, v := range light.v {
		lo, hi = min(lo, v), max(hi, v)
	}
	scale := float32(0)
	if hi > lo {
		scale = (bins - 1) / (hi - lo)
	}
	count := make([]int32, bins)
	for _, v := range light.v {
		count[int((v-lo)*scale)]++
	}
	luma := t.curve(count, len(light.v))
	var red, blue float32
	for i, v := range light.v {
		l := luma[int((v-lo)*scale)]
		red = float32(t.red[0]) + float32(float32(t.red[1])*l)
		blue = float32(t.blue[0]) + float32(float32(t.blue[1])*l)
		if tint != nil {
			c := tint.v[i] * float32(t.hue)
			red += c
			blue -= c * .5
		}
		// Green makes up the rest of the luma .299 R + .587 G + .114 B.
		green := -(float32(red*.299) + float32(blue*.114)) * (1 / .587)
		p := dst.Pix[4*i:][:4]
		p[0], p[1], p[2], p[3] = level(l+red), level(l+green), level(l+blue), 255
	}
}

func level(v float32) uint8 { return uint8(min(max(v+.5, 0), 255)) }

// curve returns the luma of each bin: the target's at the middle rank of the bin's pixels.
func (t *target) curve(count []int32, n int) []float32 {
	luma := make([]float32, len(count))
	below, k := 0, 0
	for i, c := range count {
		rank := (float64(below) + float64(c)/2) / float64(n)
		below += int(c)
		for k < len(ranks)-2 && rank > ranks[k+1] {
			k++
		}
		u := (rank - ranks[k]) / (ranks[k+1] - ranks[k])
		luma[i] = float32(t.quantile[k] + float64(math.Min(u, 1)*(t.quantile[k+1]-t.quantile[k])))
	}
	return luma
}
