package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// None leaves images as they are: the clean view, and the baseline without augmentation.
type None struct{}

// String returns "none".
func (None) String() string { return "none" }

// Apply copies src to dst.
func (None) Apply(dst, src *raster.Image, _ *rng.Rand, _ *Scratch) { dst.CopyFrom(src) }

// ApplyPlanes writes the normalised src. It draws nothing.
func (None) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, _ *rng.Rand, s *Scratch) {
	s.planesOf(dst, src, n)
}

func parseNone(args []arg) (Mixer, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("%w: none takes no options, got %q", ErrSpec, args[0])
	}
	return None{}, nil
}
