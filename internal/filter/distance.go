package filter

import "github.com/augmix-go/augmix/internal/buffer"

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
// least [farAway] everywhere. work is scratch space; it is returned, perhaps generated.
func Distance(dst []int32, edges []uint8, w, h int, work []int32) []int32 {
	s := w + 4 // two columns of frame on each side, two rows above and below
	work = buffer.Resize(work, s*(h+4))
	for i := range work {
		work[i] = farAway
	}
	for y := range h {
		base := (y+2)*s + 2
		for x, e := range edges[y*w:][:w] {
			i := base + x
			if e != 0 {
				work[i] = 0
				continue
			}
			two, one := work[i-2*s-1:][:3], work[i-s-2:][:5]
			d := min(two[0], two[2], one[0], one[4]) + stepKnight
			d = min(d, min(one[1], one[3])+stepCorner)
			work[i] = min(d, min(one[2], work[i-1])+stepSide)
		}
	}
	for y := h - 1; y >= 0; y-- {
		base := (y+2)*s + 2
		out := dst[y*w:][:w]
		for x := w - 1; x >= 0; x-- {
			i := base + x
			d := work[i]
			if d > stepSide {
				two, one := work[i+2*s-1:][:3], work[i+s-2:][:5]
				d = min(d, min(two[0], two[2], one[0], one[4])+stepKnight)
				d = min(d, min(one[1], one[3])+stepCorner)
				d = min(d, min(one[2], work[i+1])+stepSide)
				work[i] = d
			}
			out[x] = d
		}
	}
	return work
}
