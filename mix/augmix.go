package mix

import (
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// RandomDepth as AugMix.Depth draws each chain's depth from 1, 2, 3.
const RandomDepth = -1

// Limits of AugMix's parameters. Severity and levels are bounded by the scale on which the operations are defined (10
// is the strongest); the others only by sense.
const (
	minLevel = 0.1 // the reference draws levels from [0.1, severity)
	maxWidth = kernel.MaxMix - 1
	maxDepth = 64
)

var (
	severities = span{min: minLevel, max: 10}
	depths     = span{min: 1, max: maxDepth, also: []float64{RandomDepth}, note: ", or -1 for 1 to 3 at random"}
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
// size and fills with Fill; the paper's ImageNet runs filled with 128, which Pillow reads as (128, 0, 0) on RGB.
//
// Parity: chains are exact for the same choices; mixtures are within 1e-5 of the reference's float32 (they are summed
// in a different order); distributions are those of the reference.
type AugMix struct {
	Severity float64    // levels are drawn from Uniform[0.1, Severity); 0.1 to 10, not only whole numbers
	Width    int        // number of chains, 1 to 63
	Depth    int        // operations in a chain, 1 to 64, or RandomDepth
	Alpha    float64    // concentration of the Dirichlet and Beta distributions, positive
	AllOps   bool       // draw from all 13 operations, four of which overlap ImageNet-C
	Fill     raster.RGB // color of positions outside the image
	// Photometric draws from those that move nothing: autocontrast, equalize, posterize and solarize, with AllOps also color,
	// contrast, brightness and sharpness. Boxes and masks of the image hold for the mixture.
	Photometric bool
}

var augMixParams = params[AugMix]{
	name:     "augmix",
	doc:      "chains of operations, mixed with each other and with the original",
	paper:    "Hendrycks et al., AugMix, ICLR 2020",
	defaults: AugMix{Severity: 3, Width: 3, Depth: RandomDepth, Alpha: 1},
	rows: []row[AugMix]{
		{
			key: "m", name: "severity", doc: "severity of the operations", paper: "1 for ImageNet",
			allowed: severities, always: true, real: func(a *AugMix) *float64 { return &a.Severity },
		},
		{
			key: "w", name: "width", doc: "width: number of chains", allowed: span{min: 1, max: maxWidth}, always: true,
			integer: func(a *AugMix) *int { return &a.Width },
		},
		{
			key: "d", name: "depth", doc: "depth: operations in a chain", allowed: depths, always: true,
			integer: func(a *AugMix) *int { return &a.Depth },
		},
		{
			key: "a", name: "alpha", doc: "alpha of the Dirichlet and Beta distributions", allowed: positive,
			real: func(a *AugMix) *float64 { return &a.Alpha },
		},
		word("all", "all 13 operations, with the four that overlap ImageNet-C",
			func(a *AugMix) *bool { return &a.AllOps }, true),
		word("photometric", "only operations that move nothing, so that boxes and masks hold",
			func(a *AugMix) *bool { return &a.Photometric }, true),
		{
			key: "f", doc: fillDoc, paper: "800000 in the code for ImageNet",
			color: func(a *AugMix) *raster.RGB { return &a.Fill },
		},
	},
}

const fillDoc = "fill color in hexadecimal"

// NewAugMix returns the published CIFAR settings: severity 3, width 3, random depth, alpha 1, nine operations, black
// fill.
func NewAugMix() *AugMix {
	a := augMixParams.defaults
	return &a
}

// Check returns an error that wraps [ErrSpec], names the parameter and says what is allowed.
func (a *AugMix) Check() error { return augMixParams.check(a) }

// String returns the spec: severity, width and depth always, the others where they are not the default.
func (a *AugMix) String() string { return augMixParams.spec(a) }

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
	// stillOps are those that move nothing, of the nine and of all.
	stillOps = map[bool][]*augment.Op{false: still(nineOps), true: still(allOps)}
)

func still(ops []*augment.Op) []*augment.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(o *augment.Op) bool { return o.Moves })
}

// DrawTo draws the choices for an image of w by h pixels into d, reusing its memory, in the reference's order: weights,
// m, then for each chain its depth, and for each operation of it which, level, sign.
func (a *AugMix) DrawTo(d *Draw, w, h int, r *rng.Rand, s *Scratch) {
	d.drawWeights(a.Width, a.Alpha, r, s)
	d.Steps, d.Ends = d.Steps[:0], d.Ends[:0]
	set := opsOf(a.AllOps)
	if a.Photometric {
		set = stillOps[a.AllOps]
	}
	for range a.Width {
		d.Steps = drawSteps(d.Steps, a.Depth, set, a.Severity, w, h, r)
		d.Ends = append(d.Ends, len(d.Steps))
	}
}

func (d *Draw) drawWeights(width int, alpha float64, r *rng.Rand, s *Scratch) {
	s.gammas = buffer.Resize(s.gammas, width)
	r.Dirichlet(s.gammas, alpha)
	d.Weights = d.Weights[:0]
	for _, g := range s.gammas {
		d.Weights = append(d.Weights, float32(g))
	}
	d.M = float32(r.Beta(alpha, alpha))
}

// drawSteps appends the operations of one chain, which may be as deep as RandomDepth.
func drawSteps(steps []Step, depth int, set []*augment.Op, severity float64, w, h int, r *rng.Rand) []Step {
	if depth == RandomDepth {
		depth = 1 + r.IntN(3)
	}
	for range depth {
		steps = append(steps, drawStep(set, severity, w, h, r))
	}
	return steps
}

// opsOf returns all 13 operations or the nine that do not overlap ImageNet-C.
func opsOf(all bool) []*augment.Op {
	if all {
		return allOps
	}
	return nineOps
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
	s.needChains(len(d.Ends))
	from := 0
	for i, end := range d.Ends {
		s.chain(i, src, d.Steps[from:end], a.Fill)
		from = end
	}
	return s.chains[:len(d.Ends)]
}

// needChains makes s.chains at least n images.
func (s *Scratch) needChains(n int) {
	for len(s.chains) < n {
		s.chains = append(s.chains, new(raster.Image))
	}
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
	s.blend(dst, src, a.Chains(src, d, s), d)
}

// ReplayPlanes is Replay with normalized float32 planes, as ApplyPlanes.
func (a *AugMix) ReplayPlanes(dst []float32, src *raster.Image, n *Normalization, d *Draw, s *Scratch) {
	s.blendPlanes(dst, src, n, a.Chains(src, d, s), d)
}

// blend writes the mixture of src and its chains with the weights of d.
func (s *Scratch) blend(dst, src *raster.Image, chains []*raster.Image, d *Draw) {
	s.weigh(src, chains, d)
	dst.Reset(src.W, src.H)
	kernel.MixBytes(dst.Pix, s.sources, s.weights)
}

func (s *Scratch) blendPlanes(dst []float32, src *raster.Image, n *Normalization, chains []*raster.Image, d *Draw) {
	s.weigh(src, chains, d)
	scale, bias := n.affine()
	kernel.MixPlanes(dst, s.sources, s.weights, &scale, &bias)
}

// weigh lists what is summed with which weight: (1-m) of the original, m*w_i of chain i.
func (s *Scratch) weigh(src *raster.Image, chains []*raster.Image, d *Draw) {
	s.sources = append(s.sources[:0], src.Pix)
	s.weights = append(s.weights[:0], 1-d.M)
	for i, c := range chains {
		s.sources = append(s.sources, c.Pix)
		s.weights = append(s.weights, float32(d.M*d.Weights[i]))
	}
}

// Apply implements [Augmentation]: the mixture rounded to the nearest 8-bit value.
func (a *AugMix) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	a.DrawTo(&s.draw, src.W, src.H, r, s)
	a.Replay(dst, src, &s.draw, s)
}

// ApplyPlanes implements [Augmentation].
func (a *AugMix) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	a.DrawTo(&s.draw, src.W, src.H, r, s)
	a.ReplayPlanes(dst, src, n, &s.draw, s)
}
