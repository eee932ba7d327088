package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// None leaves pictures as they are: the clean view, and the baseline without augmentation.
type None struct{}

// String returns "none".
func (None) String() string { return "none" }

// Apply copies src to dst.
func (None) Apply(dst, src *raster.Image, _ *rng.Rand, _ *Scratch) { dst.CopyFrom(src) }

// ApplyPlanes writes the normalised src. It draws nothing.
func (None) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, _ *rng.Rand, s *Scratch) {
	s.sources = append(s.sources[:0], src.Pix)
	s.weights = append(s.weights[:0], 1)
	scale, bias := n.affine()
	kernel.MixPlanes(dst, s.sources, s.weights, &scale, &bias)
}

func parseNone(args []arg) (Mixer, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("%w: none takes no options, got %q", ErrSpec, args[0])
	}
	return None{}, nil
}
