package filter

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

// Chamfer costs of a step along a row or column, along a diagonal, and of a knight's move, 1, 1.4 and 2.1969 in 16.16
// fixed point: OpenCV's 5x5 mask for the Euclidean distance.
const (
	stepSide   = 1 << 16
	stepCorner = 91750
	stepKnight = 143976
)

// farAway is the distance beyond the image, far above any within it and small enough that sums stay in 32 bits.
const farAway = 1<<29 - 1

// Distance sets dst to the distance of every pixel to the nearest one where edges is not 0, in 16.16 fixed-point
// pixels, by two chamfer passes with a 5x5 mask (OpenCV's distanceTransform, DIST_L2). An image without edges gives at
// least [farAway] everywhere. work is scratch space; it is returned, perhaps made longer.
func Distance(dst []int32, edges []uint8, w, h int, work []int32) []int32 {
	s := w + 4 // two columns of frame on each side, two rows above and below
	work = buffer.Resize(work, s*(h+4))
	for i := range work {
		work[i] = farAway
	}
	row := func(y int) []int32 { return work[(y+2)*s:][:s] } // with its frame
	for y := range h {
		line := row(y)[2:][:w]
		kernel.Chamfer(line, row(y-1), row(y-2), stepSide, stepCorner, stepKnight)
		d := int32(farAway)
		for x, e := range edges[y*w:][:w] {
			d = min(d+stepSide, line[x])
			if e != 0 {
				d = 0
			}
			line[x] = d
		}
	}
	for y := h - 1; y >= 0; y-- {
		line, out := row(y)[2:][:w], dst[y*w:][:w]
		kernel.Chamfer(out, row(y+1), row(y+2), stepSide, stepCorner, stepKnight)
		d := int32(farAway)
		for x := w - 1; x >= 0; x-- {
			d = min(d+stepSide, line[x], out[x])
			line[x], out[x] = d, d
		}
	}
	return work
}
