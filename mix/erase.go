package mix

import (
	"fmt"
	"image"
	"math"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// RandomErasing is the method of Zhong et al. (AAAI 2020, algorithm 1): with probability Prob, a rectangle of Low to
// High of the image's area, with a ratio of sides from Ratio to 1/Ratio, is filled with independent values from
// Uniform[0, 1). The paper's settings are 0.5, 0.02, 0.4, 0.3.
//
// Rectangles that do not fit are drawn again, up to 100 times as in the authors' code. With Mean, the rectangle is 0
// after normalization instead; see [Cutout] for what that is in 8 bits.
//
// Parity: statistical.
type RandomErasing struct {
	Prob      float64 // 0 to 1
	Low, High float64 // shares of the area, more than 0, to 1
	Ratio     float64 // smallest height over width, more than 0, to 1
	Mean      bool
}

var randomErasingParams = params[RandomErasing]{
	name:     "randomerasing",
	doc:      "fill a random rectangle with random values",
	paper:    "Zhong et al., Random erasing, AAAI 2020",
	defaults: RandomErasing{Prob: 0.5, Low: 0.02, High: 0.4, Ratio: 0.3},
	rows: []row[RandomErasing]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(m *RandomErasing) *float64 { return &m.Prob },
		},
		{
			key: "l", name: "area", doc: "smallest share of the area", allowed: shares, always: true,
			real: func(m *RandomErasing) *float64 { return &m.Low },
		},
		{
			key: "h", name: "area", doc: "largest share of the area", allowed: shares, always: true,
			real: func(m *RandomErasing) *float64 { return &m.High },
		},
		{
			key: "r", name: "ratio", doc: "height over width from the value to its inverse", allowed: shares, always: true,
			real: func(m *RandomErasing) *float64 { return &m.Ratio },
		},
		word("mean", "fill with the mean instead: 0 after normalization",
			func(m *RandomErasing) *bool { return &m.Mean }, true),
	},
	rule: func(m *RandomErasing) error {
		if m.Low > m.High {
			return fmt.Errorf("%w: randomerasing areas l%v to h%v (allowed: %s, l not above h)",
				ErrSpec, m.Low, m.High, shares)
		}
		return nil
	},
}

var shares = span{min: 0, max: 1, above: true}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandomErasing) Check() error { return randomErasingParams.check(m) }

// String returns the spec.
func (m *RandomErasing) String() string { return randomErasingParams.spec(m) }

// box draws the rectangle, an empty one if none fits.
func (m *RandomErasing) box(w, h int, r *rng.Rand) image.Rectangle {
	for range 100 {
		area := float64(w*h) * r.Uniform(m.Low, m.High)
		ratio := r.Uniform(m.Ratio, 1/m.Ratio)
		bh, bw := int(math.Round(math.Sqrt(area*ratio))), int(math.Round(math.Sqrt(area/ratio)))
		if bw < w && bh < h {
			y := r.IntN(h - bh + 1)
			x := r.IntN(w - bw + 1)
			return image.Rect(x, y, x+bw, y+bh)
		}
	}
	return image.Rectangle{}
}

// refine implements refiner.
func (m *RandomErasing) refine(v []float32, w, h int, n *Normalization, r *rng.Rand, _ *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	b := m.box(w, h, r)
	if m.Mean {
		fillPlanes(v, w, h, b, meanFill(n))
		return
	}
	for c := range 3 {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			row := v[(c*h+y)*w+b.Min.X:][:b.Dx()]
			for i := range row {
				row[i] = float32(r.Uint64()>>40) * 0x1p-24
			}
		}
	}
}

// Apply implements [Augmentation].
func (m *RandomErasing) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *RandomErasing) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
