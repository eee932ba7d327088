package mix

import (
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// DeepAugmentParams are the parameters of [DeepAugment].
type DeepAugmentParams struct {
	Prob  float64 // of an image to be distorted; 0 to 1
	Times int     // transformations of weights; 0 to 16
}

var deepAugmentParams = params[DeepAugmentParams]{
	name:     "deepaugment",
	doc:      "run some of the images through a network whose weights and activations are distorted",
	paper:    "Hendrycks et al., The Many Faces of Robustness, ICCV 2021",
	defaults: DeepAugmentParams{Prob: 0.5, Times: 5},
	rows: []row[DeepAugmentParams]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(p *DeepAugmentParams) *float64 { return &p.Prob },
		}, {
			key: "n", name: "times", doc: "transform the weights of a layer N times", allowed: span{min: 0, max: 16}, always: true,
			integer: func(p *DeepAugmentParams) *int { return &p.Times },
		},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (p DeepAugmentParams) Check() error { return deepAugmentParams.check(&p) }

// String returns the spec.
func (p DeepAugmentParams) String() string { return deepAugmentParams.spec(&p) }

func (p DeepAugmentParams) needs() need { return need{network: true} }

func (p DeepAugmentParams) with(o Options) (Augmentation, error) { return NewDeepAugment(o.Network, p) }

// DeepAugment runs an image, with probability Prob, through a network that would give it back much as it is, such as one of
// super-resolution or an autoencoder, with weights and activations that are distorted for this image alone: see
// image2image.Network.Distort. The published method draws new distortions for one image in twenty and writes distorted
// copies of a data set, with three transformations of EDSR or of an autoencoder of its own; here every image has its own,
// so that it does not depend on others. Parity: none.
type DeepAugment struct {
	params  DeepAugmentParams
	network *image2image.Network
}

// NewDeepAugment returns a DeepAugment. The error wraps [ErrSpec] or [ErrNetwork].
func NewDeepAugment(n *image2image.Network, p DeepAugmentParams) (*DeepAugment, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if n == nil {
		return nil, missing(ErrNetwork, p, "the weights of a network that makes images of images")
	}
	return &DeepAugment{p, n}, nil
}

// Params returns the parameters.
func (m *DeepAugment) Params() DeepAugmentParams { return m.params }

// Network returns the network.
func (m *DeepAugment) Network() *image2image.Network { return m.network }

// String returns the spec of the parameters.
func (m *DeepAugment) String() string { return m.params.String() }

// refine implements refiner.
func (m *DeepAugment) refine(v []float32, w, h int, _ *Normalization, r *rng.Rand, s *Scratch) {
	if m.params.Prob < 1 && r.Float64() >= m.params.Prob {
		return
	}
	m.network.Distort(v, w, h, m.params.Times, r, &s.network)
}

// Apply implements [Augmentation].
func (m *DeepAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *DeepAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
