package cbar

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/rng"
)

// Uniforms are uniform numbers in [0, 1), in the order that the corruption's Draw documents.
type Uniforms []float64

// Normals are standard normal numbers, in the order that the corruption's Draw documents.
type Normals []float64

// Point is a place in the image, in pixels; the middle of the first pixel is the origin.
type Point struct{ Row, Col float64 }

// reserve returns a slice of length n that shares the memory of s where that holds most elements, so that a later call
// with another n up to most need not allocate.
func reserve[T any](s []T, n, most int) []T { return buffer.Resize(s, max(n, most))[:n] }

// draw makes u n fresh uniform numbers.
func (u *Uniforms) draw(n int, r *rng.Rand) {
	*u = buffer.Resize(*u, n)
	var words [256]uint64
	for d := *u; len(d) > 0; {
		part := words[:min(len(d), len(words))]
		r.Fill(part)
		for i, w := range part {
			d[i] = float64(w>>11) * 0x1p-53
		}
		d = d[len(part):]
	}
}

// draw makes z n fresh normal numbers.
func (z *Normals) draw(n int, r *rng.Rand) {
	*z = buffer.Resize(*z, n)
	r.FillNormal(*z)
}

// anywhere returns a point that is uniform in the image, [0, h) by [0, w).
func anywhere(w, h int, r *rng.Rand) Point {
	return Point{Row: r.Uniform(0, float64(h)), Col: r.Uniform(0, float64(w))}
}
