package image2image

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/detmath"
)

// residual is a block of the tiny autoencoder: three convolutions beside the identity, and where pool says so first a
// branch with group norm that is added.
type residual struct {
	chain  []*layer
	widen  *layer // nil without the branch
	norm   numbers
	narrow *layer
}

// groupNormGroups and groupNormEps are those of the autoencoder's group norms.
const (
	groupNormGroups = 4
	groupNormEps    = 1e-5
)

func (b *binder) residual(name string, pool bool) func(s *Scratch, x feature) feature {
	const c = 64
	r := &residual{}
	for i := 0; i < 6; i += 2 {
		r.chain = append(r.chain, b.conv(fmt.Sprintf("%s.conv.%d", name, i), c, c, 3, 1, true))
	}
	if pool {
		r.widen = b.conv(name+".pool.0", 4*c, c, 1, 1, false)
		r.norm = b.norm(name+".pool.1", 4*c)
		r.narrow = b.conv(name+".pool.3", c, 4*c, 1, 1, false)
	}
	return r.run
}

// run frees x.
func (r *residual) run(s *Scratch, x feature) feature {
	if r.widen != nil {
		y := s.normalize(s.conv(x, r.widen, 1, 0), groupNormGroups, groupNormEps, r.norm.gain, r.norm.offset)
		x = s.sum(x, s.into(relu(y), r.narrow, 1, 0))
	}
	return relu(s.sum(s.chain(x, r.chain), x))
}

// autoencoder is TAEF2 of madebyollin/taesd.
func autoencoder(b *binder) *Network {
	const c, latent = 64, 32
	var steps []func(s *Scratch, x feature) feature
	conv := func(name string, out, in, stride int, bias bool) {
		l := b.conv(name, out, in, 3, 1, bias)
		steps = append(steps, func(s *Scratch, x feature) feature { return s.into(x, l, stride, 1) })
	}
	blocks := func(part string, from, to int, pool bool) {
		for i := from; i <= to; i++ {
			steps = append(steps, b.residual(fmt.Sprintf("%s.%d", part, i), pool))
		}
	}
	conv("encoder.0", c, 3, 1, true)
	blocks("encoder", 1, 1, false)
	for i := 2; i <= 10; i += 4 {
		conv(fmt.Sprintf("encoder.%d", i), c, c, 2, false)
		blocks("encoder", i+1, i+3, i == 10)
	}
	conv("encoder.14", latent, c, 1, true)
	steps = append(steps, func(_ *Scratch, x feature) feature {
		for i, v := range x.v {
			x.v[i] = 3 * tanh(v/3)
		}
		return x
	})
	conv("decoder.1", c, latent, 1, true)
	steps = append(steps, func(_ *Scratch, x feature) feature { return relu(x) })
	blocks("decoder", 3, 5, true)
	for i := 7; i <= 17; i += 5 {
		steps = append(steps, func(s *Scratch, x feature) feature { return s.double(x) })
		conv(fmt.Sprintf("decoder.%d", i), c, c, 1, false)
		blocks("decoder", i+1, min(i+3, 18), false)
	}
	conv("decoder.19", 3, c, 1, true)
	return &Network{multiple: 8, run: func(s *Scratch, x feature) feature {
		for _, step := range steps {
			x = step(s, x)
		}
		return x
	}}
}

func tanh(v float32) float32 { return float32(1 - 2/(detmath.Exp(2*float64(v))+1)) }
