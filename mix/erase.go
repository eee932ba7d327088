package mix

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// RandomErasing is that of Zhong et al. (AAAI 2020, algorithm 1): with probability Prob, a rectangle of Low to High of
// the image's area, with a ratio of sides from Ratio to 1/Ratio, is filled with values drawn from Uniform[0, 1), each
// for itself. The paper's settings are 0.5, 0.02, 0.4, 0.3.
//
// Rectangles that do not fit are drawn again, up to 100 times as in the authors' code. With Mean, the rectangle is 0
// after normalisation instead; see [Cutout] for what that is in 8 bits.
//
// Parity: statistical.
type RandomErasing struct {
	Prob      float64 // 0 to 1
	Low, High float64 // shares of the area, more than 0, to 1
	Ratio     float64 // smallest height over width, more than 0, to 1
	Mean      bool
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandomErasing) Check() error {
	switch {
	case !(m.Low > 0 && m.Low <= m.High && m.High <= 1):
		return fmt.Errorf("%w: randomerasing areas l%v to h%v (allowed: more than 0, to 1, l not above h)",
			ErrSpec, m.Low, m.High)
	case !(m.Ratio > 0 && m.Ratio <= 1):
		return fmt.Errorf("%w: randomerasing ratio r%v (allowed: more than 0, to 1)", ErrSpec, m.Ratio)
	}
	return checkProb("randomerasing", m.Prob)
}

// String returns the spec.
func (m *RandomErasing) String() string {
	s := "randomerasing-p" + number(m.Prob) + "-l" + number(m.Low) + "-h" + number(m.High) + "-r" + number(m.Ratio)
	if m.Mean {
		s += "-mean"
	}
	return s
}

func parseRandomErasing(args []arg) (Mixer, error) {
	m := &RandomErasing{Prob: 0.5, Low: 0.02, High: 0.4, Ratio: 0.3}
	err := eachArg("randomerasing", "p, l, h, r, mean", args, func(a arg) (err error) {
		switch a.key {
		case "p":
			m.Prob, err = a.float()
		case "l":
			m.Low, err = a.float()
		case "h":
			m.High, err = a.float()
		case "r":
			m.Ratio, err = a.float()
		case "mean":
			m.Mean, err = true, a.bare()
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

// box draws the rectangle, an empty one if none fits.
func (m *RandomErasing) box(w, h int, r *rng.Rand) augment.Rect {
	for range 100 {
		area := float64(w*h) * r.Uniform(m.Low, m.High)
		ratio := r.Uniform(m.Ratio, 1/m.Ratio)
		bh, bw := int(math.Round(math.Sqrt(area*ratio))), int(math.Round(math.Sqrt(area/ratio)))
		if bw < w && bh < h {
			y := r.IntN(h - bh + 1)
			x := r.IntN(w - bw + 1)
			return augment.Rect{X: x, Y: y, W: bw, H: bh}
		}
	}
	return augment.Rect{}
}

// refine implements refiner.
func (m *RandomErasing) refine(v []float32, w, h int, n *Norm, r *rng.Rand, _ *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	b := m.box(w, h, r)
	if m.Mean {
		fillPlanes(v, w, h, b, meanFill(n))
		return
	}
	for c := range 3 {
		for y := b.Y; y < b.Y+b.H; y++ {
			row := v[(c*h+y)*w+b.X:][:b.W]
			for i := range row {
				row[i] = float32(r.Uint64()>>40) * 0x1p-24
			}
		}
	}
}

// Apply implements [Mixer].
func (m *RandomErasing) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *RandomErasing) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
