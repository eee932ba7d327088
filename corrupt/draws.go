package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
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
	var words [drawWords]uint64
	for len(d) > 0 {
		part := d[:min(len(d), 2*len(words))]
		d = d[len(part):]
		r.Fill(words[:(len(part)+1)/2])
		n := len(part)
		kernel.Uniforms(part[:n&^1], words[:n/2])
		if n%2 == 1 {
			part[n-1] = float32(words[n/2]<<32>>40) * 0x1p-24
		}
	}
}

// drawWords is how many words a loop takes from the stream at a time.
const drawWords = 384

// draw makes z n fresh normal numbers, one word of the stream each in nearly all cases.
func (z *Normals) draw(n int, r *rng.Rand) {
	*z = buffer.Resize(*z, n)
	r.FillNormal32(*z)
}
