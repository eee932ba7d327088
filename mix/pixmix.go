package mix

import (
	"fmt"
	"image"
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Limits of PixMix's parameters, by sense: the published settings are k 4 and beta 3 or 4.
const (
	maxRounds = 32
	maxBeta   = 1000
)

// Variant says what PixMix mixes in.
type Variant uint8

const (
	// MixBoth mixes in, each with probability one half, the mixing image or a fresh augmentation of the input:
	// PixMix.
	MixBoth Variant = iota
	// MixInputOnly mixes in augmentations of the input only, and needs no mixing set ("Mix Input", table 5).
	MixInputOnly
	// MixAugOnly mixes in the mixing image only ("Mix Aug", table 5). That this variant is the one with the mixing set
	// follows from the paper's results: it has the calibration and anomaly detection that come with the set.
	MixAugOnly
)

// PixMixParams are the parameters of [PixMix].
//
// The published settings are k 4, beta 3, severity 3 for CIFAR and k 4, beta 4, severity 1 for ImageNet. The recipes of
// the reference draw from all thirteen operations (AllOps); its paper says that they do not overlap ImageNet-C.
type PixMixParams struct {
	K        int     // rounds are drawn from 0 to K; 1 to 32
	Beta     float64 // of the distributions of the coefficients; larger changes less; more than 0, to 1000
	Severity float64 // of the operations: levels are drawn from Uniform[0.1, Severity); 0.1 to 10
	AllOps   bool    // draw from all 13 operations, four of which overlap ImageNet-C
	Variant  Variant
	Fill     raster.RGB // color of positions outside the image
}

var pixMixParams = params[PixMixParams]{
	name:     "pixmix",
	doc:      "rounds of adding and multiplying with images of a mixing set",
	paper:    "Hendrycks et al., PixMix, CVPR 2022",
	defaults: PixMixParams{K: 4, Beta: 3, Severity: 3},
	rows: []row[PixMixParams]{
		{
			key: "k", name: "rounds", doc: "mix at most N times", allowed: span{min: 1, max: maxRounds, note: " rounds"},
			always: true, integer: func(p *PixMixParams) *int { return &p.K },
		},
		{
			key: "b", name: "beta", doc: "beta of the coefficients; larger changes less", paper: "4 for ImageNet",
			allowed: span{min: 0, max: maxBeta, above: true}, always: true,
			real: func(p *PixMixParams) *float64 { return &p.Beta },
		},
		{
			key: "m", name: "severity", doc: "severity of the operations", paper: "1 for ImageNet",
			allowed: severities, real: func(p *PixMixParams) *float64 { return &p.Severity },
		},
		word("all", "all 13 operations, with the four that overlap ImageNet-C, as in the published recipes",
			func(p *PixMixParams) *bool { return &p.AllOps }, true),
		word("input", "mix in augmentations of the input only (Mix Input of table 5); needs no mixing set",
			func(p *PixMixParams) *Variant { return &p.Variant }, MixInputOnly),
		word("aug", "mix in images of the mixing set only (Mix Aug of table 5)",
			func(p *PixMixParams) *Variant { return &p.Variant }, MixAugOnly),
		{key: "f", doc: fillDoc, color: func(p *PixMixParams) *raster.RGB { return &p.Fill }},
	},
	rule: func(p *PixMixParams) error {
		if p.Variant > MixAugOnly {
			return fmt.Errorf("%w: pixmix variant %d (allowed: 0 to %d)", ErrSpec, p.Variant, MixAugOnly)
		}
		return nil
	},
}

// DefaultPixMix returns the published CIFAR settings: k 4, beta 3, severity 3, nine operations.
func DefaultPixMix() PixMixParams { return pixMixParams.defaults }

// Check returns an error that wraps [ErrSpec], names the parameter and says what is allowed.
func (p PixMixParams) Check() error { return pixMixParams.check(&p) }

// String returns the spec: k and beta always, the others where they are not the default.
func (p PixMixParams) String() string { return pixMixParams.spec(&p) }

// needsSet reports whether the variant mixes in images of a mixing set.
func (p PixMixParams) needsSet() bool { return p.Variant != MixInputOnly }

func (p PixMixParams) needs() need { return need{mixingSet: p.needsSet()} }

func (p PixMixParams) with(o Options) (Augmentation, error) {
	if !p.needsSet() {
		return &PixMix{p, nil}, nil
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	return &PixMix{p, o.MixingSet}, nil
}

// PixMix is the augmentation of Hendrycks et al. (CVPR 2022, "Dreamlike Pictures Comprehensively Improve Safety
// Measures"): up to K rounds, each of which mixes the image, by an addition or a multiplication of values, with an
// image of a mixing set or with an augmentation of the original. Values are clipped to [0, 1] after every round and
// normalized once, at the end. The label does not change.
//
// One mixing image serves all rounds of a sample, at one random crop of the size of the training image, and is
// never augmented. An image of the set that is smaller than the training image, against the contract of [MixingSet],
// is continued by reflection.
//
// [NewPixMix] and [ParseMethod] make a PixMix. The zero value has no rounds: it applies one operation of the lowest
// levels to half of the images.
//
// Parity: within 1e-5 of the reference's float32 for the same choices (TestGolden); distributions are those of the
// reference.
type PixMix struct {
	params PixMixParams
	set    MixingSet
}

// NewPixMix returns a PixMix that mixes in images of set, which may be nil for [MixInputOnly] alone. The error wraps
// [ErrSpec] or [ErrMixingSet].
func NewPixMix(set MixingSet, p PixMixParams) (*PixMix, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if set != nil || p.needsSet() {
		if err := (Options{MixingSet: set}).check(p); err != nil {
			return nil, err
		}
	}
	return &PixMix{p, set}, nil
}

// Params returns the parameters.
func (p *PixMix) Params() PixMixParams { return p.params }

// MixingSet returns the mixing set, nil if there is none.
func (p *PixMix) MixingSet() MixingSet { return p.set }

// String returns the spec of the parameters.
func (p *PixMix) String() string { return p.params.String() }

// PixDraw is everything random about one PixMix image.
type PixDraw struct {
	Image  int        // index in the mixing set
	X, Y   float64    // position of the crop: 0 at the left and the top, towards 1 at the right and the bottom
	Start  Step       // what is done to the image at first; Op is nil for nothing
	Rounds []PixRound // then these
}

// PixRound is one round of mixing.
type PixRound struct {
	Step     Step // applied to the original to make what is mixed in; where Op is nil that is the mixing image
	Multiply bool // multiply, not add
	// A and B are the coefficients of the image and of what is mixed in. Half of the time they are Beta(beta, 1) and
	// Beta(1, beta), else 1 + Beta(1, beta) and minus Beta(1, beta).
	A, B float32
}

// DrawTo draws the choices for an image of w by h pixels into d, reusing its memory: image and crop, then the start,
// the number of rounds, and for each its source, operation, add or multiply, branch and coefficients.
func (p *PixMix) DrawTo(d *PixDraw, w, h int, r *rng.Rand) {
	d.Image = 0
	if p.set != nil {
		d.Image = r.IntN(p.set.Len())
	}
	d.Y, d.X = r.Float64(), r.Float64()
	set := opsOf(p.params.AllOps)
	d.Start = Step{}
	if r.Float64() < 0.5 {
		d.Start = drawStep(set, p.params.Severity, w, h, r)
	}
	d.Rounds = d.Rounds[:0]
	for range r.IntN(p.params.K + 1) {
		var o PixRound
		if p.params.Variant == MixInputOnly || p.params.Variant == MixBoth && r.Float64() < 0.5 {
			o.Step = drawStep(set, p.params.Severity, w, h, r)
		}
		o.Multiply = r.Bool()
		o.A, o.B = drawCoefficients(p.params.Beta, r)
		d.Rounds = append(d.Rounds, o)
	}
}

func drawCoefficients(beta float64, r *rng.Rand) (a, b float32) {
	if r.Float64() < 0.5 {
		return float32(r.Beta(beta, 1)), float32(r.Beta(1, beta))
	}
	// Rounded before 1 is added, as the reference does in float32.
	return 1 + float32(r.Beta(1, beta)), -float32(r.Beta(1, beta))
}

// Replay writes the image that d describes to dst, as Apply does for the choices it draws. d.Image is the index of an
// image of the mixing set; rounds without an operation need it.
func (p *PixMix) Replay(dst, src *raster.Image, d *PixDraw, s *Scratch) {
	first := p.inputs(src, d, s)
	if len(d.Rounds) == 0 {
		dst.CopyFrom(first)
		return
	}
	s.mixRounds(dst, first, d)
}

// mixRounds writes first after the rounds of d, which mix s.others in. dst may be first.
func (s *Scratch) mixRounds(dst, first *raster.Image, d *PixDraw) {
	dst.Reset(first.W, first.H)
	for from := 0; from < len(dst.Pix); from += 4 * pixBlock {
		to := min(from+4*pixBlock, len(dst.Pix))
		kernel.PlanesToBytes(dst.Pix[from:to], s.mixBlock(first, d, from, to))
	}
}

// ReplayPlanes is Replay with normalized float32 planes, as ApplyPlanes.
func (p *PixMix) ReplayPlanes(dst []float32, src *raster.Image, n *Normalization, d *PixDraw, s *Scratch) {
	first := p.inputs(src, d, s)
	if len(d.Rounds) == 0 {
		s.planesOf(dst, first, n)
		return
	}
	if len(dst) != 3*src.W*src.H {
		panic(fmt.Sprintf("mix: an image of %dx%d into %d values", src.W, src.H, len(dst)))
	}
	scale, bias := n.unit()
	for from := 0; from < len(src.Pix); from += 4 * pixBlock {
		to := min(from+4*pixBlock, len(src.Pix))
		block, plane := s.mixBlock(first, d, from, to), (to-from)/4
		for c := range 3 {
			out := dst[c*src.W*src.H+from/4:][:plane]
			kernel.ScaleBias(out, block[c*plane:][:plane], scale[c], bias[c])
		}
	}
}

// pixBlock is the number of pixels that go through all rounds together: 12 kB of float32, which stay in the first
// cache.
const pixBlock = 1024

// mixBlock takes the pixels of the bytes from to to of first through all rounds and returns their planes.
func (s *Scratch) mixBlock(first *raster.Image, d *PixDraw, from, to int) []float32 {
	s.block = buffer.Resize(s.block, 3*pixBlock)
	block := s.block[:3*(to-from)/4]
	s.sources, s.weights = append(s.sources[:0], first.Pix[from:to]), append(s.weights[:0], 1)
	kernel.MixPlanes(block, s.sources, s.weights, &unitScale, &noBias)
	for i := range d.Rounds {
		o, other := &d.Rounds[i], s.others[i].Pix[from:to]
		if o.Multiply {
			kernel.PixMultiply(block, other, o.A, o.B)
			continue
		}
		// (a(2x-1) + b(2y-1) + 1)/2 with the constants gathered.
		c := (1 - float64(o.A) - float64(o.B)) / 2
		kernel.PixAdd(block, other, o.A, float32(float64(o.B)/255), float32(c))
	}
	return block
}

var (
	unitScale = [3]float32{1.0 / 255, 1.0 / 255, 1.0 / 255}
	noBias    [3]float32
)

// inputs makes the image that rounds start from and leaves in s.others what each of them mixes in.
func (p *PixMix) inputs(src *raster.Image, d *PixDraw, s *Scratch) (first *raster.Image) {
	var cropped *raster.Image
	s.others = s.others[:0]
	for i := range d.Rounds {
		if st := d.Rounds[i].Step; st.Op != nil {
			s.others = append(s.others, p.augmented(i, src, st, s))
			continue
		}
		if cropped == nil {
			cropped = &s.mixing
			cropSet(cropped, p.set, d.Image, d.X, d.Y, src.W, src.H)
		}
		s.others = append(s.others, cropped)
	}
	return p.augmented(len(d.Rounds), src, d.Start, s)
}

// augmented applies one operation to src. The result is src where that changes nothing, else image i of the scratch.
func (p *PixMix) augmented(i int, src *raster.Image, st Step, s *Scratch) *raster.Image {
	if st.Op == nil || st.Op.Identity(st.Value) {
		return src
	}
	s.needChains(i + 1)
	st.Op.Apply(s.chains[i], src, st.Value, p.params.Fill)
	return s.chains[i]
}

// crop makes dst a crop of w by h pixels of src at the position x, y, see [PixDraw].
func crop(dst, src *raster.Image, x, y float64, w, h int) {
	dst.Reset(w, h)
	if src.W >= w && src.H >= h {
		raster.CopyRect(dst, image.Point{}, src, dst.Bounds().Add(image.Pt(position(x, src.W-w), position(y, src.H-h))))
		return
	}
	left, top := position(x, max(src.W-w, 0)), position(y, max(src.H-h, 0))
	for j := range h {
		row := src.Pix[4*src.W*reflect(top+j, src.H):][:4*src.W]
		for i := range w {
			copy(dst.Pix[4*(j*w+i):][:4], row[4*reflect(left+i, src.W):])
		}
	}
}

// position takes a fraction in [0, 1) to 0..most.
func position(u float64, most int) int { return min(int(math.Floor(u*float64(most+1))), most) }

// reflect continues 0..n-1 by reflection, edges repeated.
func reflect(i, n int) int {
	if i %= 2 * n; i >= n {
		return 2*n - 1 - i
	}
	return i
}

// Apply implements [Augmentation]: the result rounded to the nearest 8-bit value.
func (p *PixMix) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	p.DrawTo(&s.pix, src.W, src.H, r)
	p.Replay(dst, src, &s.pix, s)
}

// ApplyPlanes implements [Augmentation].
func (p *PixMix) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	p.DrawTo(&s.pix, src.W, src.H, r)
	p.ReplayPlanes(dst, src, n, &s.pix, s)
}
