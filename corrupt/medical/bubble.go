package medical

import (
	"math"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// How a bubble looks: the share of white, of 255, inside and on its border, and the border's width.
const (
	bubbleInside = 100
	bubbleBorder = 130
	borderWidth  = 2.0
	// Draws begin with these: at least so many bubbles, of at least this radius.
	fewestBubbles = 7
	leastRadius   = 3
)

// whites is the memory of the shares of white.
type whites struct{ share []uint8 }

// runBubbles lays U{7..BUBBLES} discs over the image, of radii U{3..RADIUS}, within it. A later one hides an earlier.
func runBubbles(dst, src *raster.Image, v corruption.Row, r *rng.Rand, s *corrupt.Scratch) {
	m, u := corrupt.Memory[whites](s), unit(src)
	m.share = buffer.Resize(m.share, src.W*src.H)
	clear(m.share)
	for range upTo(r, fewestBubbles, int(v[1])) {
		radius := float64(float64(upTo(r, leastRadius, int(v[0]))) * u)
		x := float64(upTo(r, int(math.Ceil(radius)), src.W-int(math.Ceil(radius))))
		y := float64(upTo(r, int(math.Ceil(radius)), src.H-int(math.Ceil(radius))))
		m.disc(src.W, src.H, x, y, radius+float64(borderWidth*u), bubbleBorder)
		m.disc(src.W, src.H, x, y, radius, bubbleInside)
	}
	for i, a := range m.share {
		for c := range 3 {
			t := int(src.Pix[4*i+c])*(255-int(a)) + 255*int(a) + 128 // over 255, rounded, as Pillow pastes
			dst.Pix[4*i+c] = uint8((t + t>>8) >> 8)
		}
		dst.Pix[4*i+3] = 255
	}
}

// disc gives the pixels of a disc that share.
func (m *whites) disc(w, h int, cx, cy, radius float64, share uint8) {
	for y := max(int(math.Ceil(cy-radius)), 0); y <= min(int(cy+radius), h-1); y++ {
		for x := max(int(math.Ceil(cx-radius)), 0); x <= min(int(cx+radius), w-1); x++ {
			dx, dy := float64(x)-cx, float64(y)-cy
			if float64(dx*dx)+float64(dy*dy) <= float64(radius*radius) {
				m.share[y*w+x] = share
			}
		}
	}
}
