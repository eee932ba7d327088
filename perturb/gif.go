package perturb

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"time"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
)

// maxGIFSide is the largest width and height of a GIF.
const maxGIFSide = 1<<16 - 1

// WriteGIF writes frames as an animated GIF that repeats for ever. All frames share a palette of 256 colors chosen
// by median cut from all of them, so that areas that stay as they are do not flicker; other colors are dithered
// (Floyd–Steinberg). Frames with 256 colors or fewer in all are kept without loss. delay is the time that each frame
// is shown, rounded to hundredths of a second, at most 655.35 s; many viewers slow down what is faster than 0.02 s.
// Frames must have one size, with sides of at most 65535; otherwise, or if there is none, the error wraps [ErrFrames]
// and nothing is written.
func WriteGIF(w io.Writer, frames []*raster.Image, delay time.Duration) error {
	if err := checkFrames(frames, maxGIFSide); err != nil {
		return fmt.Errorf("GIF: %w", err)
	}
	hundredths, err := ticks(delay, 100)
	if err != nil {
		return fmt.Errorf("GIF: %w", err)
	}
	p := newPalette(frames)
	colors := make(color.Palette, len(p.colors))
	for i, c := range p.colors {
		colors[i] = color.RGBA{c.R, c.G, c.B, 255}
	}
	g := gif.GIF{Config: image.Config{ColorModel: colors, Width: frames[0].W, Height: frames[0].H}}
	for _, m := range frames {
		out := image.NewPaletted(image.Rect(0, 0, m.W, m.H), colors)
		p.index(out.Pix, m)
		g.Image = append(g.Image, out)
		g.Delay = append(g.Delay, int(hundredths))
	}
	if err := gif.EncodeAll(w, &g); err != nil {
		return fmt.Errorf("GIF: %w", err)
	}
	return nil
}

// index makes dst the palette indices of the pixels of m.
func (p *palette) index(dst []uint8, m *raster.Image) {
	if p.exact == nil {
		p.dither(dst, m)
		return
	}
	for i := range dst {
		v := m.Pix[4*i:][:4:4]
		dst[i] = p.exact[raster.RGB{R: v[0], G: v[1], B: v[2]}]
	}
}

// dither does the same for colors that the palette lacks: the error of a pixel goes to its neighbors, 7/16 to the
// next, 3/16, 5/16 and 1/16 to the three below (Floyd and Steinberg, 1976). Rows are walked to the right and to the
// left in turn, lest errors drift to one side.
func (p *palette) dither(dst []uint8, m *raster.Image) {
	// Errors of this row and the one below, in 1/16, three a pixel, with a pixel beyond both ends.
	p.here, p.below = buffer.Resize(p.here, 3*(m.W+2)), buffer.Resize(p.below, 3*(m.W+2))
	clear(p.here)
	for y := range m.H {
		clear(p.below)
		x, step := 0, 1
		if y&1 == 1 {
			x, step = m.W-1, -1
		}
		for range m.W {
			dst[y*m.W+x] = p.spread(m.Pix[4*(y*m.W+x):][:3:3], x+1, step)
			x += step
		}
		p.here, p.below = p.below, p.here
	}
}

// spread returns the index of a pixel that stands at column x of the errors, and passes its error on.
func (p *palette) spread(pixel []uint8, x, step int) uint8 {
	var want [3]int32
	for k := range 3 {
		want[k] = min(max(int32(pixel[k])+(p.here[3*x+k]+8)>>4, 0), 255)
	}
	i := p.nearest(want)
	c := p.colors[i]
	for k, have := range [3]uint8{c.R, c.G, c.B} {
		e := want[k] - int32(have)
		p.here[3*(x+step)+k] += 7 * e
		p.below[3*(x-step)+k] += 3 * e
		p.below[3*x+k] += 5 * e
		p.below[3*(x+step)+k] += e
	}
	return i
}
