package perturb

import (
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// maxColors is the size of a GIF's color table.
const maxColors = 256

// palette is a set of colors that stands for those of some images.
type palette struct {
	colors      []raster.RGB
	exact       map[raster.RGB]uint8 // index of every color of the images, if they fit; else nil
	cells       []int16              // index of the color nearest to a cell of 4x4x4 colors, -1 if not known yet
	here, below []int32              // for dithering
}

const (
	cellBits = 6 // a channel
	binBits  = 5
)

// newPalette chooses the colors for all images together.
func newPalette(images []*raster.Image) *palette {
	if p := exactPalette(images); p != nil {
		return p
	}
	p := &palette{colors: medianCut(histogram(images), maxColors), cells: make([]int16, 1<<(3*cellBits))}
	for i := range p.cells {
		p.cells[i] = -1
	}
	return p
}

// exactPalette returns a palette of all colors of the images in order of appearance, or nil if they are too many.
func exactPalette(images []*raster.Image) *palette {
	p := &palette{exact: map[raster.RGB]uint8{}}
	for _, m := range images {
		for v := m.Pix; len(v) >= 4; v = v[4:] {
			c := raster.RGB{R: v[0], G: v[1], B: v[2]}
			if _, known := p.exact[c]; known {
				continue
			}
			if len(p.colors) == maxColors {
				return nil
			}
			p.exact[c] = uint8(len(p.colors))
			p.colors = append(p.colors, c)
		}
	}
	return p
}

// nearest returns the index of a color near the wanted one: the nearest to the middle of its cell, the first of
// equals.
func (p *palette) nearest(c [3]int32) uint8 {
	const shift = 8 - cellBits
	cell := &p.cells[c[0]>>shift<<(2*cellBits)|c[1]>>shift<<cellBits|c[2]>>shift]
	if *cell < 0 {
		const half = 1 << shift / 2
		for k := range c {
			c[k] = c[k]>>shift<<shift + half
		}
		*cell = p.search(c)
	}
	return uint8(*cell)
}

func (p *palette) search(c [3]int32) int16 {
	best, least := 0, int32(1<<30)
	for i, q := range p.colors {
		r, g, b := int32(q.R)-c[0], int32(q.G)-c[1], int32(q.B)-c[2]
		if d := r*r + g*g + b*b; d < least {
			best, least = i, d
		}
	}
	return int16(best)
}

// bin counts the pixels whose channels agree in their upper bits.
type bin struct {
	n   int64
	sum [3]int64 // of the channels
}

// mean returns the mean of a channel.
func (b *bin) mean(k int) float64 { return float64(b.sum[k]) / float64(b.n) }

// histogram returns the bins that have pixels, in order of their color.
func histogram(images []*raster.Image) []bin {
	all := make([]bin, 1<<(3*binBits))
	for _, m := range images {
		for v := m.Pix; len(v) >= 4; v = v[4:] {
			const shift = 8 - binBits
			b := &all[int(v[0]>>shift)<<(2*binBits)|int(v[1]>>shift)<<binBits|int(v[2]>>shift)]
			b.n++
			for k := range b.sum {
				b.sum[k] += int64(v[k])
			}
		}
	}
	return slices.DeleteFunc(all, func(b bin) bool { return b.n == 0 })
}

// box is a group of bins that one color stands for.
type box struct {
	bins   []bin
	spread float64 // sum of the squared distances from the mean, along the axis where it is largest
	axis   int
}

func newBox(bins []bin) box {
	b := box{bins: bins, spread: -1}
	for k := range 3 {
		total := sumOf(bins)
		mean, s := total.mean(k), 0.0
		for i := range bins {
			d := bins[i].mean(k) - mean
			s += float64(float64(bins[i].n) * float64(d*d))
		}
		if s > b.spread {
			b.spread, b.axis = s, k
		}
	}
	return b
}

func sumOf(bins []bin) (t bin) {
	for i := range bins {
		t.n += bins[i].n
		for k := range t.sum {
			t.sum[k] += bins[i].sum[k]
		}
	}
	return t
}

// medianCut returns at most n colors for the bins (Heckbert, 1982): the box with the largest spread is cut at the
// median of its longest axis, until there are n boxes or none has two bins; the colors are the means of the boxes.
func medianCut(bins []bin, n int) []raster.RGB {
	boxes := []box{newBox(bins)}
	for len(boxes) < n {
		widest := -1
		for i := range boxes {
			if len(boxes[i].bins) > 1 && (widest < 0 || boxes[i].spread > boxes[widest].spread) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		lower, upper := boxes[widest].cut()
		boxes[widest] = lower
		boxes = append(boxes, upper)
	}
	colors := make([]raster.RGB, len(boxes))
	for i := range boxes {
		t := sumOf(boxes[i].bins)
		round := func(k int) uint8 { return uint8((2*t.sum[k] + t.n) / (2 * t.n)) }
		colors[i] = raster.RGB{R: round(0), G: round(1), B: round(2)}
	}
	return colors
}

// cut sorts the bins, of which there are two at least, along the axis and divides them so that either side has half of
// the pixels, as nearly as bins allow, and one bin at least.
func (b box) cut() (lower, upper box) {
	slices.SortStableFunc(b.bins, func(x, y bin) int {
		switch p, q := x.mean(b.axis), y.mean(b.axis); {
		case p < q:
			return -1
		case p > q:
			return 1
		}
		return 0
	})
	half, n, at := sumOf(b.bins).n/2, int64(0), 1
	for i := range len(b.bins) - 1 {
		if n += b.bins[i].n; n > half && i > 0 {
			break
		}
		at = i + 1
	}
	return newBox(b.bins[:at]), newBox(b.bins[at:])
}
