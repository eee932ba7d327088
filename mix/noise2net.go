package mix

import (
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Noise2Net runs an image, with probability Prob, through a small Res2Net of random weights (Hendrycks et al., ICCV 2021), see
// image2image.Noise2Net. It needs no weights. The reference runs half of each batch through networks whose weights are drawn anew for
// each batch, another network for each image, and draws kernel sizes and gaps for each epoch; here all of it is drawn for
// each image. There the result is not clipped; here values stay in [0, 1].
//
// The network sees normalized values: of the training's own normalization, or of ImageNet's where the result is 8-bit.
//
// Parity: statistical, but for the clipping.
type Noise2Net struct {
	Prob float64 // 0 to 1
}

var noise2NetParams = params[Noise2Net]{
	name:     "noise2net",
	doc:      "run some of the images through a network of random weights",
	paper:    "Hendrycks et al., The Many Faces of Robustness, ICCV 2021",
	defaults: Noise2Net{Prob: 0.5},
	rows: []row[Noise2Net]{{
		key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
		real: func(m *Noise2Net) *float64 { return &m.Prob },
	}},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Noise2Net) Check() error { return noise2NetParams.check(m) }

// String returns the spec.
func (m *Noise2Net) String() string { return noise2NetParams.spec(m) }

// refine implements refiner.
func (m *Noise2Net) refine(v []float32, w, h int, n *Normalization, r *rng.Rand, s *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	if n == nil {
		n = &ImageNet
	}
	image2image.Noise2Net(v, w, h, n.Mean, n.Std, r, &s.network)
}

// Apply implements [Augmentation].
func (m *Noise2Net) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *Noise2Net) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
