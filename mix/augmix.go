package mix

import (
	"errors"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrSpec is wrapped by every error about the parameters of a method or its spec string.
var ErrSpec = errors.New("mix: bad spec")

// RandomDepth as AugMix.Depth draws each chain's depth from 1, 2, 3.
const RandomDepth = -1

// Limits of AugMix's parameters. Severity and levels are bounded by the scale on which the operations are defined (10 is
// the strongest); the others only by sense.
const (
	minLevel    = 0.1 // the reference draws levels from [0.1, severity)
	maxSeverity = 10
	maxWidth    = kernel.MaxMix - 1
	maxDepth    = 64
)

// AugMix is the augmentation of Hendrycks et al. (ICLR 2020, algorithm 1): Width chains of random operations, blended
// with Dirichlet(Alpha) weights into a mixture, which is blended with the original by a Beta(Alpha, Alpha) weight.
//
// The roles of m differ between the paper and its code: in the paper's pseudo-code m multiplies the original, in the
// reference code it multiplies the mixture. Beta(a, a) is symmetric, so the distribution is the same; this package
// follows the code, and Draw.M is the weight of the mixture.
//
// The published settings are severity 3 for CIFAR and 1 for ImageNet, width 3, random depth, alpha 1, nine operations.
// Operations work on 8-bit images and the mixture is never clipped, as in the reference. Geometry keeps the image's
// size and fills with Fill; the paper's ImageNet runs filled with 128 as Pillow reads it on RGB, which is (128, 0, 0).
//
// Parity: chains are exact for the same choices; mixtures are within 1e-5 of the reference's float32 (they are summed in
// a different order); distributions are those of the reference.
type AugMix struct {
	Severity float64    // levels are drawn from Uniform[0.1, Severity); 0.1 to 10, not only whole numbers
	Width    int        // number of chains, at least 1
	Depth    int        // operations in a chain, or RandomDepth
	Alpha    float64    // concentration of the Dirichlet and Beta distributions, positive
	AllOps   bool       // draw from all 13 operations, four of which overlap ImageNet-C
	Fill     raster.RGB // colour of positions outside the image
}

// NewAugMix returns the published CIFAR settings: severity 3, width 3, random depth, alpha 1, nine operations, black fill.
func NewAugMix() *AugMix {
	return &AugMix{Severity: 3, Width: 3, Depth: RandomDepth, Alpha: 1}
}

// Check returns an error that wraps [ErrSpec], names the parameter and says what is allowed.
func (a *AugMix) Check() error {
	switch {
	case !(a.Severity >= minLevel && a.Severity <= maxSeverity):
		return fmt.Errorf("%w: augmix severity m%v (allowed: %v to %v)", ErrSpec, a.Severity, minLevel, maxSeverity)
	case a.Width < 1 || a.Width > maxWidth:
		return fmt.Errorf("%w: augmix width w%d (allowed: 1 to %d)", ErrSpec, a.Width, maxWidth)
	case a.Depth != RandomDepth && (a.Depth < 1 || a.Depth > maxDepth):
		return fmt.Errorf("%w: augmix depth d%d (allowed: 1 to %d, or -1 for 1 to 3 at random)", ErrSpec, a.Depth, maxDepth)
	case !(a.Alpha > 0) || math.IsInf(a.Alpha, 1):
		return fmt.Errorf("%w: augmix alpha a%v (allowed: positive numbers)", ErrSpec, a.Alpha)
	}
	return nil
}

// Step is one drawn operation with its final parameter, sign applied.
type Step struct {
	Op    *augment.Op
	Value float64
}

// Draw is everything random about one AugMix image.
type Draw struct {
	Weights []float32 // Dirichlet weights of the chains; they sum to 1
	M       float32   // weight of the mixture against the original
	Steps   []Step    // the operations of all chains, one chain after the other
	Ends    []int     // Ends[i] is the end of chain i in Steps
}

var (
	nineOps = augment.AugMixOps(false)
	allOps  = augment.AugMixOps(true)
)

// DrawTo draws the choices for an image of w by h pixels into d, reusing its memory, in the reference's order: weights,
// m, then for each chain its depth, and for each operation of it which, level, sign.
func (a *AugMix) DrawTo(d *Draw, w, h int, r *rng.Rand, s *Scratch) {
	s.gammas = resize(s.gammas, a.Width)
	r.Dirichlet(s.gammas, a.Alpha)
	d.Weights = d.Weights[:0]
	for _, g := range s.gammas {
		d.Weights = append(d.Weights, float32(g))
	}
	d.M = float32(r.Beta(a.Alpha, a.Alpha))
	d.Steps, d.Ends = d.Steps[:0], d.Ends[:0]
	set := nineOps
	if a.AllOps {
		set = allOps
	}
	for range a.Width {
		depth := a.Depth
		if depth == RandomDepth {
			depth = 1 + r.IntN(3)
		}
		for range depth {
			d.Steps = append(d.Steps, drawStep(set, a.Severity, w, h, r))
		}
		d.Ends = append(d.Ends, len(d.Steps))
	}
}

// drawStep draws one operation and, where it has them, its level from Uniform[0.1, severity) and its sign.
func drawStep(set []*augment.Op, severity float64, w, h int, r *rng.Rand) Step {
	op := set[r.IntN(len(set))]
	if !op.HasLevel() {
		return Step{Op: op}
	}
	level := r.Uniform(minLevel, severity)
	negative := op.Signed && r.Float64() > 0.5
	return Step{op, op.Value(level, w, h, negative)}
}

// Chains applies the operations of d to src and returns one image for each chain. They belong to s and are valid until
// its next use.
func (a *AugMix) Chains(src *raster.Image, d *Draw, s *Scratch) []*raster.Image {
	for len(s.chains) < len(d.Ends) {
		s.chains = append(s.chains, new(raster.Image))
	}
	from := 0
	for i, end := range d.Ends {
		s.chain(i, src, d.Steps[from:end], a.Fill)
		from = end
	}
	return s.chains[:len(d.Ends)]
}

// chain runs steps over src and leaves the result in s.chains[i]. Results alternate between that image and the spare
// one; operations that change nothing cost nothing.
func (s *Scratch) chain(i int, src *raster.Image, steps []Step, fill raster.RGB) {
	cur := src
	for _, st := range steps {
		if st.Op.Identity(st.Value) {
			continue
		}
		dst := s.chains[i]
		if cur == dst {
			dst = &s.spare
		}
		st.Op.Apply(dst, cur, st.Value, fill)
		cur = dst
	}
	switch cur {
	case &s.spare:
		*s.chains[i], s.spare = s.spare, *s.chains[i]
	case src:
		s.chains[i].CopyFrom(src)
	}
}

// Replay writes the mixture that d describes to dst, as Apply does for the choices it draws.
func (a *AugMix) Replay(dst, src *raster.Image, d *Draw, s *Scratch) {
	s.blend(a, src, d)
	dst.Reset(src.W, src.H)
	kernel.MixBytes(dst.Pix, s.sources, s.weights)
}

// ReplayPlanes is Replay with normalised float32 planes, as ApplyPlanes.
func (a *AugMix) ReplayPlanes(dst []float32, src *raster.Image, n *Norm, d *Draw, s *Scratch) {
	s.blend(a, src, d)
	scale, bias := n.affine()
	kernel.MixPlanes(dst, s.sources, s.weights, &scale, &bias)
}

// blend runs the chains and lists what is summed with which weight: (1-m) of the original, m*w_i of chain i.
func (s *Scratch) blend(a *AugMix, src *raster.Image, d *Draw) {
	s.sources = append(s.sources[:0], src.Pix)
	s.weights = append(s.weights[:0], 1-d.M)
	for i, c := range a.Chains(src, d, s) {
		s.sources = append(s.sources, c.Pix)
		s.weights = append(s.weights, float32(d.M*d.Weights[i]))
	}
}

// Apply implements [Mixer]: the mixture rounded to the nearest 8-bit value.
func (a *AugMix) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	a.DrawTo(&s.draw, src.W, src.H, r, s)
	a.Replay(dst, src, &s.draw, s)
}

// ApplyPlanes implements [Mixer].
func (a *AugMix) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	a.DrawTo(&s.draw, src.W, src.H, r, s)
	a.ReplayPlanes(dst, src, n, &s.draw, s)
}

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
