package mix

import (
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// StyleParams are the parameters of [Style].
type StyleParams struct {
	Prob     float64 // of an image to be stylized; 0 to 1
	Strength float64 // more than 0, to 1: how far from the image's own style to the other
	Upto     bool    // the strength is drawn from Uniform[0, Strength)
}

var styleParams = params[StyleParams]{
	name:     "style",
	doc:      "give some of the images the style of a painting or texture (SIN)",
	paper:    "Geirhos et al., ImageNet-trained CNNs are biased towards texture, ICLR 2019",
	defaults: StyleParams{Prob: 0.5, Strength: 1},
	rows: []row[StyleParams]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			paper: "1 for Stylized-ImageNet alone, 0.5 for it beside ImageNet",
			real:  func(p *StyleParams) *float64 { return &p.Prob },
		},
		{
			key: "a", name: "strength", doc: "strength of the style", allowed: span{min: 0, max: 1, above: true},
			real: func(p *StyleParams) *float64 { return &p.Strength },
		},
		word("upto", "strength uniform from 0 to that", func(p *StyleParams) *bool { return &p.Upto }, true),
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (p StyleParams) Check() error { return styleParams.check(&p) }

// String returns the spec.
func (p StyleParams) String() string { return styleParams.spec(&p) }

func (p StyleParams) needs() need { return need{styles: true} }

func (p StyleParams) with(o Options) (Augmentation, error) { return NewStyle(o.Styles, p) }

// Style gives an image, with probability Prob, the style of one of a number of others, each as likely, and keeps its
// content and its label: training on Stylized-ImageNet (SIN), by a network of arbitrary style transfer. With probability one
// half, training sees as many stylized images as clean ones, as AugMix's table 2 does with ImageNet and SIN.
//
// Where it comes first, or second after a [Standard], it belongs to the image: all views of a step have one style, the clean
// view too, so that "style+augmix" augments stylized images as it augments the others.
//
// SIN was made with AdaIN (Huang and Belongie 2017) and paintings; the network here is that of package nn/image2image, which
// feeds the style in the same way. Parity: none, the images are others.
type Style struct {
	params StyleParams
	styles *image2image.Styles
}

// NewStyle returns a Style. The error wraps [ErrSpec] or [ErrStyles].
func NewStyle(styles *image2image.Styles, p StyleParams) (*Style, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if styles == nil || styles.Len() == 0 {
		return nil, missing(ErrStyles, p, "the weights of a style transfer network and images whose styles it takes")
	}
	return &Style{p, styles}, nil
}

// Params returns the parameters.
func (m *Style) Params() StyleParams { return m.params }

// Styles returns the styles.
func (m *Style) Styles() *image2image.Styles { return m.styles }

// String returns the spec of the parameters.
func (m *Style) String() string { return m.params.String() }

// refine implements refiner.
func (m *Style) refine(v []float32, w, h int, _ *Normalization, r *rng.Rand, s *Scratch) {
	if m.params.Prob < 1 && r.Float64() >= m.params.Prob {
		return
	}
	i := r.IntN(m.styles.Len())
	strength := m.params.Strength
	if m.params.Upto {
		strength = r.Uniform(0, strength)
	}
	m.styles.Apply(v, w, h, i, float32(strength), &s.network)
}

// Apply implements [Augmentation].
func (m *Style) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *Style) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
