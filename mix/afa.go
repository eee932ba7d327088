package mix

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// AFA is the augmentation of Vaish, Wang and Strisciuglio (CVPR 2024, "Fourier-basis functions to bridge augmentation gap"):
// it adds a plane wave to each channel and clips to [0, 1]. The wave of frequency f and direction d is
//
//	sin(2πf/S·(x·cos d + y·sin d) - π/4)
//
// scaled to Euclidean length S/32 over the channel, times a strength. Each channel draws its own f from 1, ..., S, d from
// Uniform[0, π) and the strength from the exponential distribution with mean Strength. S is the side of the image. A
// strength of 10 moves values by 0.31 in the root mean square, whatever the size. That the length grows with the side is
// not in the paper, but in its authors' program.
//
// This is the mix alone. The paper gives the network augmented images as well as these, with an auxiliary loss and batch norms
// of their own for these: the key aux-mix of package train. Ours are the unit of the strength, values in [0, 1], as of the Fourier maps of
// package eval; the longer side as S of images that are not square; where the fixed phase of π/4 stands; and Prob, since
// there is no second set of images.
//
// Two corruptions of ImageNet-C-bar are waves too, single_frequency_greyscale and cocentric_sine_waves: results on them
// say less.
//
// Parity: distribution.
type AFA struct {
	Prob     float64 // 0 to 1
	Strength float64 // mean length of a wave of values in [0, 1], in units of S/32; more than 0, to 1000
}

var afaParams = params[AFA]{
	name:     "afa",
	doc:      "add a plane wave to each channel of some of the images",
	paper:    "Vaish et al., Fourier-basis functions to bridge augmentation gap, CVPR 2024",
	defaults: AFA{Prob: 1, Strength: 10},
	rows: []row[AFA]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(m *AFA) *float64 { return &m.Prob },
		}, {
			key: "s", name: "strength", doc: "mean length of a wave", allowed: span{min: 0, max: 1000, above: true}, always: true,
			real: func(m *AFA) *float64 { return &m.Strength },
		},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *AFA) Check() error { return afaParams.check(m) }

// String returns the spec.
func (m *AFA) String() string { return afaParams.spec(m) }

// planeWave is a wave whose phase grows by x and y from one column and row to the next.
type planeWave struct{ x, y, length float64 }

func (m *AFA) draw(w, h int, r *rng.Rand) planeWave {
	side := max(w, h)
	k := 2 * math.Pi * float64(1+r.IntN(side)) / float64(side)
	direction := r.Uniform(0, math.Pi)
	length := m.Strength * r.Exponential() * (float64(side) / 32)
	return planeWave{float64(k * detmath.Cos(direction)), float64(k * detmath.Sin(direction)), length}
}

// refine implements refiner.
func (m *AFA) refine(v []float32, w, h int, _ *Normalization, r *rng.Rand, s *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	for c := range 3 {
		s.addWave(v[c*w*h:][:w*h], w, m.draw(w, h, r))
	}
}

// addWave adds a wave to a plane of rows of w values and clips. With a and b the phases of a column and a row,
// sin(a+b-π/4) is sin(a)·p + cos(a)·q over √2, where p = cos(b) + sin(b) and q = sin(b) - cos(b): no sine is taken for a pixel.
func (s *Scratch) addWave(plane []float32, w int, wave planeWave) {
	h := len(plane) / w
	s.phases = buffer.Resize(s.phases, 2*(w+h))
	sin, cos := s.phases[:w], s.phases[w:2*w]
	p, q := s.phases[2*w:][:h], s.phases[2*w+h:]
	sinCos(sin, cos, wave.x)
	sinCos(p, q, wave.y)
	for y, b := range p {
		p[y], q[y] = q[y]+b, b-q[y]
	}
	// The pixel at 0, 0 has q = -1 and so a part in the length that nothing takes away.
	squares := float64(dot(sin, sin)*dot(p, p)) + float64(2*float64(dot(sin, cos)*dot(p, q))) + float64(dot(cos, cos)*dot(q, q))
	scale := wave.length / math.Sqrt(squares)
	s.noise = buffer.Resize(s.noise, 3*w)
	sin32, cos32, line := s.noise[:w], s.noise[w:2*w], s.noise[2*w:]
	for x := range w {
		sin32[x], cos32[x] = float32(sin[x]), float32(cos[x])
	}
	for y := range h {
		kernel.Blend(line, sin32, cos32, float32(p[y]*scale), float32(q[y]*scale))
		row := plane[y*w:][:w]
		for x, e := range line {
			row[x] = min(max(row[x]+e, 0), 1)
		}
	}
}

// sinCos writes the sine and cosine of k·i for every index i.
func sinCos(sin, cos []float64, k float64) {
	for i := range sin {
		sin[i] = float64(i)
	}
	kernel.SinCos(sin, cos, sin, k)
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// Apply implements [Augmentation].
func (m *AFA) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *AFA) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
