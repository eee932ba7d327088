package mix

import (
	"image"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// IPMixParams are the parameters of [IPMix].
type IPMixParams struct {
	Chains   int        // 1 to 63
	Mixes    int        // in a chain that mixes: 1 to this many; 1 to 32
	Beta     float64    // of the distributions of the coefficients, as PixMix's; more than 0, to 1000
	Severity float64    // of the operations: levels are drawn from Uniform[0.1, Severity); 0.1 to 10
	AllOps   bool       // draw from all 13 operations, four of which overlap ImageNet-C
	Fill     raster.RGB // color of positions outside the image
}

var ipMixParams = params[IPMixParams]{
	name:     "ipmix",
	doc:      "chains of operations or of mixes with an image of a mixing set, whole or in squares",
	paper:    "Huang et al., IPMix, NeurIPS 2023",
	defaults: IPMixParams{Chains: 3, Mixes: 3, Beta: 3, Severity: 3},
	rows: []row[IPMixParams]{
		{
			key: "k", name: "chains", doc: "number of chains", allowed: span{min: 1, max: maxWidth}, always: true,
			integer: func(p *IPMixParams) *int { return &p.Chains },
		},
		{
			key: "t", name: "mixes", doc: "mix at most N times in a chain", allowed: span{min: 1, max: maxRounds}, always: true,
			integer: func(p *IPMixParams) *int { return &p.Mixes },
		},
		{
			key: "b", name: "beta", doc: "beta of the coefficients; larger changes less",
			allowed: span{min: 0, max: maxBeta, above: true}, real: func(p *IPMixParams) *float64 { return &p.Beta },
		},
		{
			key: "m", name: "severity", doc: "severity of the operations", allowed: severities,
			real: func(p *IPMixParams) *float64 { return &p.Severity },
		},
		word("all", "all 13 operations, with the four that overlap ImageNet-C",
			func(p *IPMixParams) *bool { return &p.AllOps }, true),
		{key: "f", doc: fillDoc, color: func(p *IPMixParams) *raster.RGB { return &p.Fill }},
	},
}

// DefaultIPMix returns the published settings.
func DefaultIPMix() IPMixParams { return ipMixParams.defaults }

// Check returns an error that wraps [ErrSpec], names the parameter and says what is allowed.
func (p IPMixParams) Check() error { return ipMixParams.check(&p) }

// String returns the spec.
func (p IPMixParams) String() string { return ipMixParams.spec(&p) }

func (p IPMixParams) needs() need { return need{mixingSet: true} }

func (p IPMixParams) with(o Options) (Augmentation, error) {
	if err := o.check(p); err != nil {
		return nil, err
	}
	return &IPMix{p, o.MixingSet}, nil
}

// IPMix is the augmentation of Huang et al. (NeurIPS 2023, "IPMix: Label-Preserving Data Augmentation Method for Training
// Robust Classifiers"). Its chains are blended with each other and with the original as [AugMix] blends its own. A chain is
// one to three of AugMix's operations, or 1 to Mixes mixes with an image of a mixing set: of the whole image or of a square
// of 4, 8, 16 or 32 pixels, by an addition or a multiplication as [PixMix]'s, or by taking random pixels or random
// elements, which are values of one channel, from the mixing image. The label does not change.
//
// Either kind of chain, each of the five extents and each of the four ways to mix is as likely; a square lies anywhere
// within the image, and one that would be as large is the whole image; the share of pixels or elements that stay is
// Beta(Beta, 1); weights are AugMix's with alpha 1; one mixing image at one random crop serves all mixes of a sample; values
// are rounded to 8 bits after every mix. The authors' program differs: docs/training.md says how.
//
// [NewIPMix] and [ParseMethod] make an IPMix.
//
// Parity: none; operations and the arithmetic of additions and multiplications are those of AugMix and PixMix.
type IPMix struct {
	params IPMixParams
	set    MixingSet
}

// NewIPMix returns an IPMix that mixes in images of set. The error wraps [ErrSpec] or [ErrMixingSet].
func NewIPMix(set MixingSet, p IPMixParams) (*IPMix, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := (Options{MixingSet: set}).check(p); err != nil {
		return nil, err
	}
	return &IPMix{p, set}, nil
}

// Params returns the parameters.
func (m *IPMix) Params() IPMixParams { return m.params }

// MixingSet returns the mixing set.
func (m *IPMix) MixingSet() MixingSet { return m.set }

// String returns the spec of the parameters.
func (m *IPMix) String() string { return m.params.String() }

// chains draws the weights into s.draw, then draws and runs the chains.
func (m *IPMix) chains(src *raster.Image, r *rng.Rand, s *Scratch) []*raster.Image {
	p, d := &m.params, &s.draw
	d.drawWeights(p.Chains, 1, r, s)
	other := r.IntN(m.set.Len())
	x, y := r.Float64(), r.Float64()
	cropSet(&s.mixing, m.set, other, x, y, src.W, src.H)
	s.needChains(p.Chains)
	for i, c := range s.chains[:p.Chains] {
		if r.Bool() {
			d.Steps = drawSteps(d.Steps[:0], RandomDepth, opsOf(p.AllOps), p.Severity, src.W, src.H, r)
			s.chain(i, src, d.Steps, p.Fill)
			continue
		}
		c.CopyFrom(src)
		for range 1 + r.IntN(p.Mixes) {
			m.mix(c, r, s)
		}
	}
	return s.chains[:p.Chains]
}

// ipSides are the sides of what is mixed, in pixels; 0 is the whole image.
var ipSides = []int{0, 4, 8, 16, 32}

// mix mixes the mixing image, or a square of it, into the same place of c.
func (m *IPMix) mix(c *raster.Image, r *rng.Rand, s *Scratch) {
	side := ipSides[r.IntN(len(ipSides))]
	if side == 0 || side >= min(c.W, c.H) {
		m.mixAll(c, &s.mixing, r, s)
		return
	}
	at := image.Pt(r.IntN(c.W-side+1), r.IntN(c.H-side+1))
	box := image.Rectangle{Min: at, Max: at.Add(image.Pt(side, side))}
	square, other := &s.squares[0], &s.squares[1]
	square.Reset(side, side)
	other.Reset(side, side)
	raster.CopyRect(square, image.Point{}, c, box)
	raster.CopyRect(other, image.Point{}, &s.mixing, box)
	m.mixAll(square, other, r, s)
	raster.CopyRect(c, at, square, square.Bounds())
}

// The ways to mix.
const (
	ipAdd = iota
	ipMultiply
	ipPixels
	ipElements
	ipWays
)

// mixAll mixes other, of the size of c, into c.
func (m *IPMix) mixAll(c, other *raster.Image, r *rng.Rand, s *Scratch) {
	way := r.IntN(ipWays)
	if way == ipAdd || way == ipMultiply {
		o := PixRound{Multiply: way == ipMultiply}
		o.A, o.B = drawCoefficients(m.params.Beta, r)
		s.pix.Rounds = append(s.pix.Rounds[:0], o)
		s.others = append(s.others[:0], other)
		s.mixRounds(c, c, &s.pix)
		return
	}
	const bits = 21 // of one word of the stream for each channel
	stay := uint64(r.Beta(m.params.Beta, 1) * (1 << bits))
	for i := 0; i < len(c.Pix); i += 4 {
		u := r.Uint64()
		for k := range 3 {
			if u&(1<<bits-1) >= stay {
				c.Pix[i+k] = other.Pix[i+k]
			}
			if way == ipElements {
				u >>= bits
			}
		}
	}
}

// Apply implements [Augmentation]: the mixture rounded to the nearest 8-bit value.
func (m *IPMix) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	s.blend(dst, src, m.chains(src, r, s), &s.draw)
}

// ApplyPlanes implements [Augmentation].
func (m *IPMix) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	s.blendPlanes(dst, src, n, m.chains(src, r, s), &s.draw)
}
