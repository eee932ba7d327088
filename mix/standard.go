package mix

import (
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Standard is the augmentation that every CIFAR recipe of the papers starts with. With probability one half it flips
// the image horizontally; then it pads the image with Pad black pixels on every side and crops it to its own size at a
// random position. The recipes of ImageNet have a random resized crop instead: that changes the size and so comes
// before the methods of this package, see augment.RandomResizedBox.
//
// Parity: exact for the same choices; the order of the draws (flip, row, column) is that of AugMix's and PixMix's code.
type Standard struct {
	Pad int // 0 to 1024 pixels; CIFAR's recipes have 4
}

var standardParams = params[Standard]{
	name:     "standard",
	doc:      "flip horizontally at random, then pad and crop at random: what CIFAR recipes start with",
	paper:    "He et al., Deep residual learning, CVPR 2016, section 4.2",
	defaults: Standard{Pad: 4},
	rows: []row[Standard]{{
		key: "p", name: "pad", doc: "pad by N black pixels", allowed: span{min: 0, max: 1 << 10}, always: true,
		integer: func(m *Standard) *int { return &m.Pad },
	}},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Standard) Check() error { return standardParams.check(m) }

// String returns the spec.
func (m *Standard) String() string { return standardParams.spec(m) }

// Apply implements [Augmentation].
func (m *Standard) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	if r.Bool() {
		augment.FlipH(&s.spare, src)
		src = &s.spare
	}
	augment.RandomPadCrop(dst, src, m.Pad, src.W, src.H, raster.RGB{}, r)
}

// ApplyPlanes implements [Augmentation].
func (m *Standard) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// viaBytes is ApplyPlanes for methods whose results are 8-bit.
func viaBytes(m Augmentation, dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	m.Apply(&s.result, src, r, s)
	s.planesOf(dst, &s.result, n)
}
