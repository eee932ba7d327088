package mix

import (
	"fmt"
	"math"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

const maxPatch = 1 << 14

// Cutout is that of DeVries and Taylor (2017): a square of the image becomes flat. Its centre is uniform over the
// pixels and what lies outside is cut off, so that squares at the border are smaller. PixMix compares with squares of
// half the image's side, 16 pixels on CIFAR and 112 on ImageNet.
//
// The square is 0 after normalisation, that is, of the mean colour. 8-bit images know no normalisation: there it is
// (125, 122, 113), the mean of CIFAR-10 as AutoAugment's code writes it. Fixed says to use Fill in both.
//
// Parity: exact for the same centre; distributions are those of the reference.
type Cutout struct {
	Side  int     // of the square in pixels; 0 takes Ratio of the image's shorter side instead
	Ratio float64 // 0 to 1
	Fixed bool
	Fill  raster.RGB
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Cutout) Check() error {
	switch {
	case m.Side < 0 || m.Side > maxPatch:
		return fmt.Errorf("%w: cutout side s%d (allowed: 1 to %d pixels)", ErrSpec, m.Side, maxPatch)
	case m.Side == 0 && !(m.Ratio > 0 && m.Ratio <= 1):
		return fmt.Errorf("%w: cutout ratio r%v (allowed: more than 0, to 1, of the shorter side)", ErrSpec, m.Ratio)
	}
	return nil
}

// String returns the spec.
func (m *Cutout) String() string {
	s := "cutout-r" + number(m.Ratio)
	if m.Side > 0 {
		s = "cutout-s" + strconv.Itoa(m.Side)
	}
	if m.Fixed {
		s += fillText(m.Fill)
	}
	return s
}

func parseCutout(args []arg) (Mixer, error) {
	m := &Cutout{Ratio: 0.5}
	err := eachArg("cutout", "s, r, fRRGGBB", args, func(a arg) (err error) {
		switch a.key {
		case "s":
			if m.Side, err = a.int(); err == nil && m.Side == 0 {
				err = fmt.Errorf("%w: cutout side s0 (allowed: 1 to %d pixels)", ErrSpec, maxPatch)
			}
			m.Ratio = 0
		case "r":
			m.Ratio, err = a.float()
			m.Side = 0
		default:
			m.Fixed = true
			return a.fill(&m.Fill)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

func (m *Cutout) side(w, h int) int {
	if m.Side > 0 {
		return m.Side
	}
	return int(math.Round(m.Ratio * float64(min(w, h))))
}

// refine implements refiner.
func (m *Cutout) refine(v []float32, w, h int, n *Norm, r *rng.Rand, _ *Scratch) {
	y := r.IntN(h)
	x := r.IntN(w)
	fill := meanFill(n)
	if m.Fixed {
		fill = unitColour(m.Fill)
	}
	fillPlanes(v, w, h, augment.CutoutBox(x, y, m.side(w, h), w, h), fill)
}

// meanFill is the colour that is 0 after normalisation.
func meanFill(n *Norm) [3]float32 {
	if n == nil {
		return unitColour(augment.MeanColour)
	}
	return n.Mean
}

func unitColour(c raster.RGB) [3]float32 {
	return [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
}

func fillPlanes(v []float32, w, h int, b augment.Rect, fill [3]float32) {
	for c := range 3 {
		for y := b.Y; y < b.Y+b.H; y++ {
			row := v[(c*h+y)*w+b.X:][:b.W]
			for i := range row {
				row[i] = fill[c]
			}
		}
	}
}

// Apply implements [Mixer].
func (m *Cutout) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *Cutout) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
