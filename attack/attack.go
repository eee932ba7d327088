// Package attack makes adversarial images: projected gradient descent (Madry et al., Towards Deep Learning Models
// Resistant to Adversarial Attacks, ICLR 2018) with the settings of PixMix's tables as default. It knows no network: the
// caller gives the gradient.
package attack

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/rng"
)

// ErrOption is wrapped by the errors of PGD.Check, and by those of Attack for such settings or a gradient without numbers.
var ErrOption = errors.New("bad option")

// Gradient writes to dst the gradient of the summed cross-entropy of a batch with respect to its pixel values: x is
// [len(labels), C, H, W], not normalized, and dst has its length. Values are in [0, 1], but for a random start, which may lie
// beyond by Eps until the first step. The network is in evaluation mode.
type Gradient func(dst, x []float32, labels []int) error

// Norm is what an attack's size is measured in.
type Norm int

// The norms.
const (
	LInf Norm = iota // the largest change of a value
	L2               // the Euclidean length of an image's change
)

func (n Norm) String() string {
	if n == L2 {
		return "l2"
	}
	return "linf"
}

// PGD is an untargeted attack within the ball of radius Eps around the image and within [0, 1].
type PGD struct {
	Norm  Norm
	Eps   float64 // radius, in units of the pixel range
	Step  float64 // length of one step
	Steps int
	// Start draws the first point uniformly from the ball; for L2 from the cube of that half-side, then projected, which
	// for images is practically on the sphere. Otherwise it is the image.
	Start bool
	// Centered keeps the ball around the random start instead of the image, as the code that PixMix's published numbers
	// come from does by an aliased buffer: changes up to 2 Eps pass. It needs Start and LInf. Off, the textbook attack.
	Centered bool
}

// PixMix returns the attack of PixMix's tables (section 4.1): l-infinity, 2/255, 20 steps of 0.5/255 from a random start. For
// what its code computes, set Centered.
func PixMix() PGD {
	return PGD{Norm: LInf, Eps: 2. / 255, Step: 0.5 / 255, Steps: 20, Start: true}
}

// Training returns the usual attack of adversarial training on CIFAR: l-infinity, 8/255, 10 steps of 2/255. AugMix's
// table 1 does not state its settings.
func Training() PGD {
	return PGD{Norm: LInf, Eps: 8. / 255, Step: 2. / 255, Steps: 10, Start: true}
}

// String says the settings in 255ths.
func (p PGD) String() string {
	s := fmt.Sprintf("pgd-%v-eps%.4g/255-step%.4g/255-n%d", p.Norm, p.Eps*255, p.Step*255, p.Steps)
	if p.Centered {
		s += "-centered"
	}
	return s
}

// mostSize is far beyond every useful radius and step, and far from what float32 cannot hold.
const mostSize = 1e6

// Check returns an error that wraps ErrOption and says what is allowed.
func (p PGD) Check() error {
	switch {
	case !(p.Eps > 0 && p.Eps <= mostSize):
		return fmt.Errorf("%w: a radius of %v (allowed: above 0 to %g)", ErrOption, p.Eps, mostSize)
	case !(p.Step > 0 && p.Step <= mostSize):
		return fmt.Errorf("%w: a step of %v (allowed: above 0 to %g)", ErrOption, p.Step, mostSize)
	case p.Steps < 1 || p.Steps > 10000:
		return fmt.Errorf("%w: %d steps (allowed: 1 to 10000)", ErrOption, p.Steps)
	case p.Norm != LInf && p.Norm != L2:
		return fmt.Errorf("%w: norm %d (allowed: linf, l2)", ErrOption, p.Norm)
	case p.Centered && (!p.Start || p.Norm != LInf):
		return fmt.Errorf("%w: a ball around the start needs a random start and the norm linf", ErrOption)
	}
	return nil
}

// Scratch is the working memory of Attack. The zero value is ready.
type Scratch struct {
	Workers int // goroutines that Attack uses beside those of the gradient; 0: all cores

	grad, center []float32
}

// Attack writes adversarial versions of the images x, [len(labels), C, H, W] in [0, 1], to dst, which must not be x.
// Image i draws its start from the stream of keys[i]. It returns the errors of Check and of grad, and one that wraps
// ErrOption if grad is nil, or the gradient holds NaN, or an infinity where its length counts (L2).
func (p PGD) Attack(dst, x []float32, labels []int, keys []rng.Key, grad Gradient, s *Scratch) error {
	if err := p.Check(); err != nil {
		return err
	}
	if grad == nil {
		return fmt.Errorf("%w: the function that gives the gradient is nil", ErrOption)
	}
	n := len(labels)
	if n == 0 || len(keys) != n || len(x)%n != 0 || len(dst) != len(x) {
		panic(fmt.Sprintf("attack: %d values into %d with %d labels and %d keys", len(x), len(dst), n, len(keys)))
	}
	if len(s.grad) < len(x) {
		s.grad, s.center = make([]float32, len(x)), make([]float32, len(x))
	}
	size := len(x) / n
	each := func(f func(i int, dst, center, g []float32)) {
		parallel.Do(n, s.Workers, func(_, i int) {
			at := i * size
			f(i, dst[at:at+size], s.center[at:at+size], s.grad[at:at+size])
		})
	}
	each(func(i int, dst, center, _ []float32) {
		copy(center, x[i*size:])
		copy(dst, center)
		if !p.Start {
			return
		}
		r := keys[i].Rand()
		for j := range dst {
			dst[j] += float32(r.Uniform(-p.Eps, p.Eps))
		}
		switch {
		case p.Centered:
			copy(center, dst)
		case p.Norm == L2:
			p.project(dst, center)
		}
	})
	for range p.Steps {
		if err := grad(s.grad[:len(x)], dst, labels); err != nil {
			return err
		}
		var bad sync.Once
		var err error
		each(func(i int, dst, center, g []float32) {
			if !p.step(dst, g) {
				bad.Do(func() { err = fmt.Errorf("%w: the gradient of image %d holds NaN or an infinity", ErrOption, i) })
			}
			p.project(dst, center)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step goes up the gradient and reports whether it is one.
func (p PGD) step(x, g []float32) bool {
	if p.Norm == L2 {
		return p.stepL2(x, g)
	}
	step, ok := float32(p.Step), true
	for j, v := range g {
		switch {
		case v > 0:
			x[j] += step
		case v < 0:
			x[j] -= step
		case v != v:
			ok = false
		}
	}
	return ok
}

// stepL2 stays where the gradient is zero, as it is where a network is sure.
func (p PGD) stepL2(x, g []float32) bool {
	length := norm2(g)
	f := p.Step / length
	switch {
	case math.IsNaN(length) || math.IsInf(length, 0):
		return false
	case length == 0:
	case f > math.MaxFloat32: // a network is nearly sure; in float32, f times a zero of the gradient would be NaN
		for j := range x {
			x[j] += float32(f * float64(g[j]))
		}
	default:
		for j := range x {
			x[j] += float32(float32(f) * g[j])
		}
	}
	return true
}

// project takes x to the nearest point of the ball around the center, then cuts it to [0, 1].
func (p PGD) project(x, center []float32) {
	if p.Norm == LInf {
		eps := float32(p.Eps)
		for j, c := range center {
			x[j] = min(max(min(max(x[j], c-eps), c+eps), 0), 1)
		}
		return
	}
	sum := 0.0
	for j, c := range center {
		d := float64(x[j] - c)
		sum += float64(d * d)
	}
	f := float32(1)
	if length := math.Sqrt(sum); length > p.Eps {
		f = float32(p.Eps / length)
	}
	for j, c := range center {
		x[j] = min(max(c+float32(f*(x[j]-c)), 0), 1)
	}
}

func norm2(g []float32) float64 {
	sum := 0.0
	for _, v := range g {
		sum += float64(float64(v) * float64(v))
	}
	return math.Sqrt(sum)
}
