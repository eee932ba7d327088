package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Pixelate shrinks the image to trunc(Scale·side) along each axis and enlarges it again, both with Pillow's box
// filter. Least side 5. Parity: exact.
type Pixelate struct {
	Scale float64 // of each side, below 1
}

var pixelateTable = table{
	Kinds: []kind{level},
	Clean: []float64{1},
	Sets: [4]set{
		{{.95}, {.9}, {.85}, {.75}, {.65}},
		{{.9}, {.8}, {.7}, {.6}, {.5}},
		{{.6}, {.5}, {.4}, {.3}, {.25}},
		{{.5}, {.4}, {.3}, {.25}, {.2}},
	},
}

func runPixelate(j job) error {
	Pixelate{j.v[0]}.Apply(j.dst, j.src, j.s)
	return nil
}

// Apply makes dst the coarser src.
func (c Pixelate) Apply(dst, src *raster.Image, s *Scratch) {
	prepare(dst, src)
	w, h := max(1, int(c.Scale*float64(src.W))), max(1, int(c.Scale*float64(src.H)))
	s.shrink.Resize(&s.image, src, w, h, filter.Box)
	s.enlarge.Resize(dst, &s.image, src.W, src.H, filter.Box)
}
