package mix

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PRIME is the augmentation of Modas et al. (ECCV 2022, "PRIME: A Few Primitives Can Boost Robustness to Common Corruptions"):
// Width chains of up to Depth transformations, blended with each other and with the original as [AugMix] blends its own. A
// transformation is of one of three families, each as likely, drawn so as to have the most entropy for its strength:
//
//   - spectral: a convolution of every channel with δ + ω, where the 3x3 values of ω are normal;
//   - color: a value v in [0, 1] becomes v + Σ β_n sin(nπv) over n = 1, ..., c, with β_n normal; 0 and 1 stay what they are;
//   - spatial: pixels are fetched from (x + dx, y + dy), where dx and dy are Σ β_kl sin(kπx) sin(lπy) over all k² + l² ≤ c²,
//     with β_kl normal and a variance in proportion to 1/(k² + l²); x and y run from 0 to 1 over the image, whose border
//     moves nowhere.
//
// The families, their mixture, the width, the depth, Sigma, Temperature and the range of the cut-offs c, to 100, are
// published. A chain has one to Depth transformations, each as likely; weights have alpha 1; the deviation of ω is uniform
// below Sigma and the variance of β_n below Temperature; ω is one for all channels and β_n another for each. Ours: c is uniform,
// from 1 of color and from 2 of displacements, and below the image's shorter side there; the root mean square of dx, and of
// dy, is uniform in its logarithm between half a pixel and 1/(πc) of the shorter side, or half a pixel where that is more;
// borders are repeated; the color map is linear between the 256 values of 8 bits. The authors' program differs:
// docs/training.md says how.
//
// A filter or a map of colors may come near a blur, a brightness or a contrast of ImageNet-C, as any family this rich; none
// is made after one.
//
// Parity: none.
type PRIME struct {
	Width       int     // number of chains, 1 to 63
	Depth       int     // most transformations in a chain, 1 to 64
	Sigma       float64 // largest of filters; more than 0, to 100
	Temperature float64 // largest of color maps; more than 0, to 1
}

var primeParams = params[PRIME]{
	name:     "prime",
	doc:      "chains of random filters, color maps and displacements, mixed with each other and with the original",
	paper:    "Modas et al., PRIME, ECCV 2022",
	defaults: PRIME{Width: 3, Depth: 3, Sigma: 4, Temperature: 0.01},
	rows: []row[PRIME]{
		{
			key: "w", name: "width", doc: "width: number of chains", allowed: span{min: 1, max: maxWidth}, always: true,
			integer: func(m *PRIME) *int { return &m.Width },
		}, {
			key: "d", name: "depth", doc: "depth: most transformations in a chain", allowed: span{min: 1, max: maxDepth}, always: true,
			integer: func(m *PRIME) *int { return &m.Depth },
		}, {
			key: "s", name: "sigma", doc: "largest deviation of the values of filters", allowed: span{min: 0, max: 100, above: true},
			real: func(m *PRIME) *float64 { return &m.Sigma },
		}, {
			key: "t", name: "temperature", doc: "largest variance of the waves of color maps", allowed: span{min: 0, max: 1, above: true},
			real: func(m *PRIME) *float64 { return &m.Temperature },
		},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *PRIME) Check() error { return primeParams.check(m) }

// String returns the spec.
func (m *PRIME) String() string { return primeParams.spec(m) }

// refine implements refiner.
func (m *PRIME) refine(v []float32, w, h int, _ *Normalization, r *rng.Rand, s *Scratch) {
	d, p := &s.draw, &s.prime
	d.drawWeights(m.Width, 1, r, s)
	p.source = append(p.source[:0], v...)
	kernel.ScaleBias(v, v, 1-d.M, 0)
	for _, weight := range d.Weights {
		p.chain = append(p.chain[:0], p.source...)
		for range 1 + r.IntN(m.Depth) {
			m.transform(w, h, r, p)
		}
		kernel.Blend(v, v, p.chain, 1, float32(d.M*weight))
	}
	for i, x := range v { // the weights sum to 1 but for rounding
		v[i] = min(max(x, 0), 1)
	}
}

// transform changes p.chain by one transformation.
func (m *PRIME) transform(w, h int, r *rng.Rand, p *primeScratch) {
	switch r.IntN(3) {
	case 0:
		p.filter(w, h, p.drawFilter(m.Sigma, r))
	case 1:
		p.recolor(p.drawColors(m.Temperature, r))
	default:
		if p.drawDisplacement(w, h, r) {
			p.displace(w, h)
		}
	}
}

// Apply implements [Augmentation].
func (m *PRIME) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *PRIME) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}

// primeScratch is the memory of [PRIME].
type primeScratch struct {
	source, chain, next []float32 // planes

	kernel [9]float64
	line   []float32 // of filters: three rows with their borders, and a sum
	colors [3][257]float32
	waves  []float64 // coefficients

	w, h         int       // of the tables of sines
	sinX, sinY   []float64 // [maxCut, w] and [h, maxCut]: sin(kπx) of column or row x, k from 1
	rows         []float64 // the first sines of sinY
	half, fields []float64 // a product, and the results
	dx, dy       []float64 // within fields
}

// swap makes next the chain.
func (p *primeScratch) swap() { p.chain, p.next = p.next, p.chain }

func (p *primeScratch) nextPlanes() []float32 {
	p.next = buffer.Resize(p.next, len(p.chain))
	return p.next
}
