package mix

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Mixup is that of Zhang et al. (ICLR 2018): the image and its partner are averaged with a weight drawn from
// Beta(Alpha, Alpha), and so are their labels. Common settings are alpha 1 for CIFAR and 0.2 for ImageNet.
//
// Parity: exact arithmetic in float32 for the same weight (within rounding); distributions are those of the reference.
type Mixup struct {
	Alpha float64 // positive
	Each  bool    // a weight for each sample, not one for the batch
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Mixup) Check() error { return checkAlpha("mixup", m.Alpha) }

func checkAlpha(name string, alpha float64) error {
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		return fmt.Errorf("%w: %s alpha a%v (allowed: positive numbers)", ErrSpec, name, alpha)
	}
	return nil
}

// String returns the spec.
func (m *Mixup) String() string { return "mixup-a" + number(m.Alpha) + eachOption(m.Each) }

func eachOption(each bool) string {
	if each {
		return "-each"
	}
	return ""
}

func parseMixup(args []arg) (Mixer, error) {
	m := &Mixup{Alpha: 1}
	err := eachArg("mixup", "a, each", args, func(a arg) (err error) {
		switch a.key {
		case "a":
			m.Alpha, err = a.float()
		case "each":
			m.Each, err = true, a.bare()
		default:
			return errOption
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

// EachSample implements [Pair].
func (m *Mixup) EachSample() bool { return m.Each }

// DrawPair implements [Pair].
func (m *Mixup) DrawPair(_, _ int, r *rng.Rand) PairDraw {
	return PairDraw{Weight: float32(r.Beta(m.Alpha, m.Alpha))}
}

// ApplyPair implements [Pair].
func (m *Mixup) ApplyPair(dst, a, b *raster.Image, d *PairDraw) {
	mustMatch(a, b)
	dst.Reset(a.W, a.H)
	kernel.MixBytes(dst.Pix, [][]uint8{a.Pix, b.Pix}, []float32{d.Weight, 1 - d.Weight})
}

// ApplyPairPlanes implements [Pair].
func (m *Mixup) ApplyPairPlanes(dst, a, b []float32, _, _ int, d *PairDraw) {
	kernel.Blend(dst, a, b, d.Weight, 1-d.Weight)
}

// Apply panics: Mixup needs a partner, see [Pair].
func (m *Mixup) Apply(_, _ *raster.Image, _ *rng.Rand, _ *Scratch) { panicAlone(m) }

// ApplyPlanes panics: Mixup needs a partner, see [Pair].
func (m *Mixup) ApplyPlanes(_ []float32, _ *raster.Image, _ *Norm, _ *rng.Rand, _ *Scratch) {
	panicAlone(m)
}

func panicAlone(p Pair) {
	panic(fmt.Sprintf("mix: %s makes one image of two: use mix.Apply or Batch.Train (mix.NeedsPartner tells)", p))
}

func mustMatch(a, b *raster.Image) {
	if a.W != b.W || a.H != b.H {
		panic(fmt.Sprintf("mix: an image of %dx%d with one of %dx%d", a.W, a.H, b.W, b.H))
	}
}
