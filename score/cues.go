package score

import (
	"math"

	"github.com/augmix-go/augmix/results"
)

// Cues counts what predictions on images of conflicting cues go by: the shape, which is of one category, or the texture, which is of
// another (Geirhos et al., ImageNet-trained CNNs are biased towards texture, ICLR 2019).
type Cues struct {
	Names  []string // of the categories
	counts []cueCount
}

// cueCount counts the images whose shape is of one category.
type cueCount struct{ shape, texture, n int64 }

// Add counts a prediction, by the numbers of the categories. Images whose cues agree tell nothing and are not counted.
func (c *Cues) Add(shape, texture, said int) {
	if c.counts == nil {
		c.counts = make([]cueCount, len(c.Names))
	}
	if shape == texture {
		return
	}
	at := &c.counts[shape]
	at.n++
	switch said {
	case shape:
		at.shape++
	case texture:
		at.texture++
	}
}

// N returns how many images were counted.
func (c *Cues) N() (n int64) {
	for _, at := range c.counts {
		n += at.n
	}
	return n
}

// Rows returns of all images and, with View.Class, of those whose shape is of each category: the shape bias, which is the share of
// the shape among the predictions of either cue, NaN without any, and how often the prediction is of either.
func (c *Cues) Rows(base results.Row) []results.Row {
	var rows []results.Row
	add := func(at cueCount, class string) {
		r := base
		r.Class, r.Metric, r.N, r.Value = class, results.ShapeBias, at.shape+at.texture, math.NaN()
		if r.N > 0 {
			r.Value = float64(at.shape) / float64(r.N)
		}
		rows = append(rows, r)
		r.Metric, r.N, r.Value = results.CueAccuracy, at.n, float64(at.shape+at.texture)/float64(at.n)
		rows = append(rows, r)
	}
	var all cueCount
	for _, at := range c.counts {
		all.shape, all.texture, all.n = all.shape+at.shape, all.texture+at.texture, all.n+at.n
	}
	add(all, "")
	for i, at := range c.counts {
		if at.n > 0 {
			add(at, c.Names[i])
		}
	}
	return rows
}
