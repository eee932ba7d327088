package mix

import (
	"fmt"
	"math"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Patch adds noise to a square of the image and clips: Patch Gaussian (Lopes et al., 2019) and, with uniform noise of
// the same standard deviation, Patch Uniform, a baseline of AugMix of which no settings are published. The standard
// deviation is drawn from Uniform[0, Sigma); the centre is uniform over the pixels and what lies outside is cut off.
//
// The published settings are width 25 and sigma 1 for CIFAR, and width up to 250 (Upto), sigma 1 for ImageNet.
//
// Parity: statistical.
type Patch struct {
	Uniform bool
	Width   int     // side of the square, 1 to 16384 pixels
	Upto    bool    // the side is drawn from 1 to Width
	Sigma   float64 // largest standard deviation, of values in [0, 1]
}

func (m *Patch) name() string {
	if m.Uniform {
		return "patchuniform"
	}
	return "patchgaussian"
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Patch) Check() error {
	switch {
	case m.Width < 1 || m.Width > maxPatch:
		return fmt.Errorf("%w: %s width w%d (allowed: 1 to %d pixels)", ErrSpec, m.name(), m.Width, maxPatch)
	case !(m.Sigma > 0 && m.Sigma <= maxSigma):
		return fmt.Errorf("%w: %s sigma s%v (allowed: more than 0, to %d)", ErrSpec, m.name(), m.Sigma, maxSigma)
	}
	return nil
}

// String returns the spec.
func (m *Patch) String() string {
	s := m.name() + "-w" + strconv.Itoa(m.Width) + "-s" + number(m.Sigma)
	if m.Upto {
		s += "-upto"
	}
	return s
}

func parsePatch(uniform bool) func(args []arg) (Mixer, error) {
	return func(args []arg) (Mixer, error) {
		m := &Patch{Uniform: uniform, Width: 25, Sigma: 1}
		err := eachArg(m.name(), "w, s, upto", args, func(a arg) (err error) {
			switch a.key {
			case "w":
				m.Width, err = a.int()
			case "s":
				m.Sigma, err = a.float()
			case "upto":
				m.Upto, err = true, a.bare()
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
}

// refine implements refiner.
func (m *Patch) refine(v []float32, w, h int, _ *Norm, r *rng.Rand, s *Scratch) {
	side := m.Width
	if m.Upto {
		side = 1 + r.IntN(m.Width)
	}
	sigma := r.Uniform(0, m.Sigma)
	y := r.IntN(h)
	x := r.IntN(w)
	b := augment.CutoutBox(x, y, side, w, h)
	s.noise = buffer.Resize(s.noise, 3*b.W*b.H)
	noise := s.noise
	if m.Uniform {
		reach := sigma * math.Sqrt(3)
		for i := range noise {
			noise[i] = float32(r.Uniform(-reach, reach))
		}
	} else {
		r.FillNormal32(noise)
		for i := range noise {
			noise[i] = float32(noise[i] * float32(sigma))
		}
	}
	for c := range 3 {
		for j := range b.H {
			row := v[(c*h+b.Y+j)*w+b.X:][:b.W]
			for i := range row {
				row[i] = min(max(row[i]+noise[i], 0), 1)
			}
			noise = noise[b.W:]
		}
	}
}

// Apply implements [Mixer].
func (m *Patch) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *Patch) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
