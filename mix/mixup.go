package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Mixup is the method of Zhang et al. (ICLR 2018): the image and its partner are averaged with a weight drawn from
// Beta(Alpha, Alpha), and so are their labels. Common settings are alpha 1 for CIFAR and 0.2 for ImageNet.
//
// Parity: exact arithmetic in float32 for the same weight (within rounding); distributions are those of the reference.
type Mixup struct {
	Alpha float64 // positive
	Each  bool    // a weight for each sample, not one for the batch
}

var mixupParams = params[Mixup]{
	name:     "mixup",
	doc:      "average two images and their labels",
	paper:    "Zhang et al., mixup, ICLR 2018",
	defaults: Mixup{Alpha: 1},
	rows: []row[Mixup]{
		{
			key: "a", name: "alpha", doc: "alpha of the Beta distribution", paper: "0.2 is common for ImageNet",
			allowed: positive, always: true, real: func(m *Mixup) *float64 { return &m.Alpha },
		},
		word("each", "a weight for each sample of a batch, not one for all",
			func(m *Mixup) *bool { return &m.Each }, true),
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Mixup) Check() error { return mixupParams.check(m) }

// String returns the spec.
func (m *Mixup) String() string { return mixupParams.spec(m) }

// EachSample implements [BatchMix].
func (m *Mixup) EachSample() bool { return m.Each }

// DrawPair implements [BatchMix].
func (m *Mixup) DrawPair(_, _ int, r *rng.Rand) PairDraw {
	return PairDraw{Weight: float32(r.Beta(m.Alpha, m.Alpha))}
}

// ApplyPair implements [BatchMix].
func (m *Mixup) ApplyPair(dst, a, b *raster.Image, d *PairDraw) {
	mustMatch(a, b)
	dst.Reset(a.W, a.H)
	kernel.MixBytes(dst.Pix, [][]uint8{a.Pix, b.Pix}, []float32{d.Weight, 1 - d.Weight})
}

// ApplyPairPlanes implements [BatchMix].
func (m *Mixup) ApplyPairPlanes(dst, a, b []float32, _, _ int, d *PairDraw) {
	kernel.Blend(dst, a, b, d.Weight, 1-d.Weight)
}

func mustMatch(a, b *raster.Image) {
	if a.W != b.W || a.H != b.H {
		panic(fmt.Sprintf("mix: an image of %dx%d with one of %dx%d", a.W, a.H, b.W, b.H))
	}
}
