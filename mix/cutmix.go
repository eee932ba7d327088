package mix

import (
	"fmt"
	"image"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// CutMix is that of Yun et al. (ICCV 2019): a box of the partner replaces that of the image, and the labels are mixed
// by the areas. With lambda from Beta(Alpha, Alpha) the box has sqrt(1-lambda) of the width and of the height, its
// centre is uniform over the pixels, and what lies outside the image is cut off; the weight of the label is the area
// that is left in fact.
//
// With probability 1-Prob nothing happens. The paper's algorithm always cuts (1); the authors' CIFAR runs use 0.5.
//
// Parity: exact for the same box; distributions are those of the reference.
type CutMix struct {
	Alpha float64 // positive; 1 in the paper
	Prob  float64 // 0 to 1
	Each  bool    // a box for each sample, not one for the batch
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *CutMix) Check() error {
	if err := checkProb("cutmix", m.Prob); err != nil {
		return err
	}
	return checkAlpha("cutmix", m.Alpha)
}

func checkProb(name string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("%w: %s probability p%v (allowed: 0 to 1)", ErrSpec, name, p)
	}
	return nil
}

// String returns the spec.
func (m *CutMix) String() string {
	return "cutmix-a" + number(m.Alpha) + "-p" + number(m.Prob) + eachOption(m.Each)
}

func parseCutMix(args []arg) (Mixer, error) {
	m := &CutMix{Alpha: 1, Prob: 1}
	err := eachArg("cutmix", "a, p, each", args, func(a arg) (err error) {
		switch a.key {
		case "a":
			m.Alpha, err = a.float()
		case "p":
			m.Prob, err = a.float()
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
func (m *CutMix) EachSample() bool { return m.Each }

// DrawPair implements [Pair].
func (m *CutMix) DrawPair(w, h int, r *rng.Rand) PairDraw {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return PairDraw{Weight: 1}
	}
	lambda := r.Beta(m.Alpha, m.Alpha)
	x, y := r.IntN(w), r.IntN(h)
	return cutMixDraw(lambda, x, y, w, h)
}

// cutMixDraw is the box around (x, y) for lambda.
func cutMixDraw(lambda float64, x, y, w, h int) PairDraw {
	side := math.Sqrt(1 - lambda)
	bw, bh := int(float64(w)*side), int(float64(h)*side)
	x0, x1 := max(x-bw/2, 0), min(x+bw/2, w)
	y0, y1 := max(y-bh/2, 0), min(y+bh/2, h)
	area := (x1 - x0) * (y1 - y0)
	return PairDraw{
		Weight: float32(1 - float64(area)/float64(w*h)),
		Box:    augment.Rect{X: x0, Y: y0, W: x1 - x0, H: y1 - y0},
	}
}

// ApplyPair implements [Pair].
func (m *CutMix) ApplyPair(dst, a, b *raster.Image, d *PairDraw) {
	mustMatch(a, b)
	dst.CopyFrom(a)
	box := image.Rect(d.Box.X, d.Box.Y, d.Box.X+d.Box.W, d.Box.Y+d.Box.H)
	raster.CopyRect(dst, box.Min, b, box)
}

// ApplyPairPlanes implements [Pair].
func (m *CutMix) ApplyPairPlanes(dst, a, b []float32, w, h int, d *PairDraw) {
	if &dst[0] != &a[0] {
		copy(dst, a)
	}
	for c := range 3 {
		for y := d.Box.Y; y < d.Box.Y+d.Box.H; y++ {
			at := (c*h+y)*w + d.Box.X
			copy(dst[at:][:d.Box.W], b[at:])
		}
	}
}

// Apply panics: CutMix needs a partner, see [Pair].
func (m *CutMix) Apply(_, _ *raster.Image, _ *rng.Rand, _ *Scratch) { panicAlone(m) }

// ApplyPlanes panics: CutMix needs a partner, see [Pair].
func (m *CutMix) ApplyPlanes(_ []float32, _ *raster.Image, _ *Norm, _ *rng.Rand, _ *Scratch) {
	panicAlone(m)
}
