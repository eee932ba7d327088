package corrupt

import (
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Fog adds a cloud, a plasma fractal, to the image and scales the sum so that the brightest tone M of the image
// stays the bound: clip((x + Amount·cloud)·M/(M+Amount)). The cloud is the top left part of a map in 0…1 whose side is the
// least power of two that covers the image. Least side 1; a single pixel gets no cloud.
type Fog struct {
	Amount float64 // of cloud, white is 1
	Decay  float64 // factor between the roughness of one scale and the next
}

var fogTable = table{
	Kinds: []kind{level, level},
	Clean: []float64{0, stay},
	Sets: [4]set{
		{{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}},
		{{.4, 3}, {.7, 3}, {1, 2.5}, {1.5, 2}, {2, 1.75}},
		{{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}},
		{{1.5, 2}, {2, 2}, {2.5, 1.8}, {2.5, 1.6}, {3, 1.5}},
	},
}

func runFog(j job) error {
	c, d := Fog{j.v[0], j.v[1]}, &j.s.draws.plasma
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
	return nil
}

// mapSide returns the side of the plasma map for a w by h image.
func (c Fog) mapSide(w, h int) int {
	n := 1
	for n < w || n < h {
		n *= 2
	}
	return n
}

// Draw makes d the uniform numbers of the plasma map of a w by h image: one for each point of the map but the first,
// in the order of [Fog.Apply].
func (c Fog) Draw(d *Uniforms, w, h int, r *rng.Rand) {
	n := c.mapSide(w, h)
	d.draw(n*n-1, r)
}

// Apply makes dst the fogged src, in float64. The numbers are used scale by scale from coarse to fine; at each scale
// those of the square centers, then of the centers of the horizontal sides, then of the vertical sides, each in row
// order.
func (c Fog) Apply(dst, src *raster.Image, d Uniforms, s *Scratch) {
	prepare(dst, src)
	n := c.mapSide(src.W, src.H)
	mustLen("uniform numbers", len(d), n*n-1)
	f := &s.field
	f.Reset(n, n, 1)
	plasma(f.Pix, n, c.Decay, d)
	lo, span := extent(f.Pix)
	top := kernel.Unit64[brightest(src)]
	for y := range src.H {
		cloud := f.Pix[y*n:][:src.W]
		stretch(cloud, lo, span)
		kernel.Fog(dst.Pix[4*y*src.W:][:4*src.W], src.Pix[4*y*src.W:][:4*src.W], cloud, c.Amount, top)
	}
}

// brightest returns the largest channel value.
func brightest(m *raster.Image) uint8 {
	var v uint8
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		v = max(v, p[0], p[1], p[2])
	}
	return v
}
