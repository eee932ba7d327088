package mix

import (
	"fmt"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

const maxPad = 1 << 10

// Standard is the augmentation that every CIFAR recipe of the papers starts with: mirrored left and right with
// probability one half, then padded with Pad black pixels on every side and cropped to its own size at a random place.
// The recipes of ImageNet have a random resized crop instead, which changes the size and so comes before a mix.
//
// Parity: exact for the same choices; the order (mirror, row, column) is that of AugMix's and PixMix's code.
type Standard struct {
	Pad int // 0 to 1024 pixels; CIFAR's recipes have 4
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Standard) Check() error {
	if m.Pad < 0 || m.Pad > maxPad {
		return fmt.Errorf("%w: standard pad p%d (allowed: 0 to %d)", ErrSpec, m.Pad, maxPad)
	}
	return nil
}

// String returns the spec.
func (m *Standard) String() string { return "standard-p" + strconv.Itoa(m.Pad) }

func parseStandard(args []arg) (Mixer, error) {
	m := &Standard{Pad: 4}
	err := eachArg("standard", "p", args, func(a arg) (err error) {
		if a.key != "p" {
			return errOption
		}
		m.Pad, err = a.int()
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

// Apply implements [Mixer].
func (m *Standard) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	if r.Bool() {
		augment.FlipH(&s.spare, src)
		src = &s.spare
	}
	augment.RandomPadCrop(dst, src, m.Pad, src.W, src.H, raster.RGB{}, r)
}

// ApplyPlanes implements [Mixer].
func (m *Standard) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// viaBytes is ApplyPlanes for methods whose results are 8-bit.
func viaBytes(m Mixer, dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	m.Apply(&s.result, src, r, s)
	s.planesOf(dst, &s.result, n)
}
