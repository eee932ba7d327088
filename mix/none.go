package mix

import (
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// None leaves images as they are: the clean view, and the baseline without augmentation.
type None struct{}

var noneParams = params[None]{name: "none", doc: "leave the image as it is"}

// String returns "none".
func (None) String() string { return "none" }

// Apply copies src to dst.
func (None) Apply(dst, src *raster.Image, _ *rng.Rand, _ *Scratch) { dst.CopyFrom(src) }

// ApplyPlanes writes the normalized src. It draws nothing.
func (None) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, _ *rng.Rand, s *Scratch) {
	s.planesOf(dst, src, n)
}
