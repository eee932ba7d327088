package mix

import (
	"image"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// sides is the range of the side of a square.
var sides = span{min: 1, max: 1 << 14, note: " pixels"}

// Cutout is the method of DeVries and Taylor (2017): a square of the image becomes flat. Its center is uniform over the
// pixels and the square is clipped to the image, so that squares at the border are smaller. PixMix compares with
// squares of half the image's side, 16 pixels on CIFAR and 112 on ImageNet.
//
// The square is 0 after normalization, that is, of the mean color. Apply has no normalization: there the color is
// (125, 122, 113), the mean of CIFAR-10 as AutoAugment's code writes it. Fixed says to use Fill in both.
//
// Parity: exact for the same center; distributions are those of the reference.
type Cutout struct {
	Side  int     // of the square in pixels; 0 takes Ratio of the image's shorter side instead
	Ratio float64 // 0 to 1
	Fixed bool
	Fill  raster.RGB
}

var cutoutParams = params[Cutout]{
	name:     "cutout",
	doc:      "blank a square",
	paper:    "DeVries and Taylor, Cutout, 2017",
	defaults: Cutout{Ratio: 0.5},
	rows: []row[Cutout]{
		{
			key: "r", name: "ratio", doc: "side as a share",
			allowed: span{min: 0, max: 1, above: true, note: ", of the shorter side"}, always: true,
			real:    func(m *Cutout) *float64 { return &m.Ratio },
			absent:  func(m *Cutout) bool { return m.Side != 0 },
			instead: func(m *Cutout) { m.Side = 0 },
		}, {
			key: "s", name: "side", doc: "side in pixels instead", allowed: sides, always: true,
			integer: func(m *Cutout) *int { return &m.Side },
			absent:  func(m *Cutout) bool { return m.Side == 0 },
			instead: func(m *Cutout) { m.Ratio = 0 },
		}, {
			key: "f", doc: fillDoc, other: meanDoc,
			color: func(m *Cutout) *raster.RGB { return &m.Fill }, fixed: func(m *Cutout) *bool { return &m.Fixed },
		},
	},
}

const meanDoc = "the mean: 0 after normalization"

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Cutout) Check() error { return cutoutParams.check(m) }

// String returns the spec.
func (m *Cutout) String() string { return cutoutParams.spec(m) }

func (m *Cutout) side(w, h int) int {
	if m.Side > 0 {
		return m.Side
	}
	return int(math.Round(m.Ratio * float64(min(w, h))))
}

// refine implements refiner.
func (m *Cutout) refine(v []float32, w, h int, n *Normalization, r *rng.Rand, _ *Scratch) {
	y := r.IntN(h)
	x := r.IntN(w)
	fill := meanFill(n)
	if m.Fixed {
		fill = unitColor(m.Fill)
	}
	fillPlanes(v, w, h, augment.CutoutBox(x, y, m.side(w, h), w, h), fill)
}

// meanFill is the color that is 0 after normalization.
func meanFill(n *Normalization) [3]float32 {
	if n == nil {
		return unitColor(augment.MeanColor)
	}
	return n.Mean
}

func unitColor(c raster.RGB) [3]float32 {
	return [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
}

func fillPlanes(v []float32, w, h int, b image.Rectangle, fill [3]float32) {
	for c := range 3 {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			row := v[(c*h+y)*w+b.Min.X:][:b.Dx()]
			for i := range row {
				row[i] = fill[c]
			}
		}
	}
}

// Apply implements [Augmentation].
func (m *Cutout) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *Cutout) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
