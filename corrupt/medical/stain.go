package medical

import (
	"math"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// A mark is the place where the sum of a few round hills is high: one blot with bays and lobes, dark inside and soft at its edge. All of
// it is ours.
const (
	hills     = 7
	hillReach = 0.28 // of the mark's size: how far the middles of hills lie from the mark's
	hillLeast = 0.18 // of the mark's size: radii
	hillMost  = 0.34
	edge      = 0.3 // sum of the hills at which ink begins
	softness  = 3.0 // ink per sum of the hills beyond that
	darkest   = 0.95
	margin    = 10.0 // of the image, as published
)

type hill struct{ x, y, radius float64 }

// runStains lays U{1..MARKS} marks over the image, their sizes 0.6 to 1 times SIZE.
func runStains(dst, src *raster.Image, v corruption.Row, r *rng.Rand, _ *corrupt.Scratch) {
	copy(dst.Pix, src.Pix)
	u := unit(src)
	for range upTo(r, 1, int(v[0])) {
		size := float64(float64(v[1]*u) * r.Uniform(0.6, 1))
		edge := float64(margin*u) + size/2
		x := r.Uniform(min(edge, float64(src.W)/2), max(float64(src.W)-edge, float64(src.W)/2))
		y := r.Uniform(min(edge, float64(src.H)/2), max(float64(src.H)-edge, float64(src.H)/2))
		var mark [hills]hill
		for i := range mark {
			dx, dy := r.Uniform(-hillReach, hillReach), r.Uniform(-hillReach, hillReach)
			mark[i] = hill{x + float64(dx*size), y + float64(dy*size), size * r.Uniform(hillLeast, hillMost)}
		}
		blot(dst, &mark, x, y, size)
	}
}

// blot darkens the pixels of a mark.
func blot(dst *raster.Image, mark *[hills]hill, cx, cy, size float64) {
	for y := max(int(cy-size), 0); y < min(int(cy+size)+1, dst.H); y++ {
		for x := max(int(cx-size), 0); x < min(int(cx+size)+1, dst.W); x++ {
			sum := 0.0
			for _, h := range mark {
				dx, dy := float64(x)+0.5-h.x, float64(y)+0.5-h.y
				if f := 1 - (float64(dx*dx)+float64(dy*dy))/float64(h.radius*h.radius); f > 0 {
					sum += float64(f * f)
				}
			}
			ink := min(float64((sum-edge)*softness), darkest)
			if ink <= 0 {
				continue
			}
			p := dst.Pix[4*(y*dst.W+x):][:3]
			for c := range p {
				p[c] = uint8(math.Floor(float64(p[c]) * (1 - ink)))
			}
		}
	}
}
