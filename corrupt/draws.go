package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/rng"
)

// Normals are standard normal numbers, in the order that the corruption's Draw documents.
type Normals []float32

// Uniforms are uniform numbers in [0, 1), multiples of 2^-24, in the order that the corruption's Draw documents.
type Uniforms []float32

// draw makes u n fresh uniform numbers, two from each word of the stream, the low half first.
func (u *Uniforms) draw(n int, r *rng.Rand) {
	d := buffer.Resize(*u, n)
	*u = d
	for len(d) >= 2 {
		w := r.Uint64()
		d[0] = float32(w<<32>>40) * 0x1p-24
		d[1] = float32(w>>40) * 0x1p-24
		d = d[2:]
	}
	if len(d) == 1 {
		d[0] = float32(r.Uint64()<<32>>40) * 0x1p-24
	}
}

// draw makes z n fresh normal numbers, one word of the stream each in nearly all cases.
func (z *Normals) draw(n int, r *rng.Rand) {
	*z = buffer.Resize(*z, n)
	r.FillNormal32(*z)
}
