// Package styletransfer is the corruption style_transfer: the image in the style of a painting, at five severities.
//
// The first version of the ImageNet-C paper (Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common
// Corruptions and Surface Variations", 2018, appendix E) measures such a corruption, made by AdaIN (Huang and Belongie
// 2017). It prints relative errors of networks and neither the paintings nor what a severity means; those here are
// ours. A severity is how far the style lies from the image's own to the painting's, and how much of the result is laid over
// the image:
//
//	severity   1     2     3     4     5
//	strength   0.6   0.7   0.8   0.9   1
//	share      0.4   0.55  0.7   0.85  1
//
// Between severities both are interpolated linearly; below 1 the share goes to 0.
//
// Without a share the first severity would not be mild: the network changes colors and fine detail even where it gives an
// image its own style. The painting is drawn for each image and severity. Results are rounded to bytes.
//
// It needs weights and paintings, which package mixset opens, and is a corrupt.Corruption like any other:
//
//	styles, err := mixset.OpenStyles(ctx, "paintings", "magenta_style.npz", mixset.Options{})
//	plan := transform.Corruptions{Own: []corrupt.Corruption{styletransfer.New(styles)}, ...}
package styletransfer

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Name is the name of the corruption.
const Name = "style_transfer"

// table is what the severities stand for: strength and share.
var table = corruption.Table{
	Kinds: []corruption.Kind{corruption.Level, corruption.Level},
	Clean: []float64{corruption.Stay(), 0},
	Sets:  [4]corruption.Set{{{0.6, 0.4}, {0.7, 0.55}, {0.8, 0.7}, {0.9, 0.85}, {1, 1}}},
}

// Op is the corruption.
type Op struct{ styles *image2image.Styles }

var _ corrupt.Corruption = Op{}

// New returns the corruption with the styles that it draws from, each as likely. It panics if there are none.
func New(styles *image2image.Styles) Op {
	if styles == nil || styles.Len() == 0 {
		panic("styletransfer: no styles")
	}
	return Op{styles}
}

// Name implements [corrupt.Corruption].
func (Op) Name() string { return Name }

// MinSide implements [corrupt.Corruption].
func (Op) MinSide() int { return 1 }

// memory is what one goroutine keeps from image to image.
type memory struct {
	before, v []float32
	network   image2image.Scratch
}

// Apply implements [corrupt.Corruption].
func (c Op) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error {
	if err := corruption.CheckSeverity(Name, severity); err != nil {
		return err
	}
	if severity == 0 {
		corruption.Copy("styletransfer", dst, src)
		return nil
	}
	corruption.Prepare("styletransfer", dst, src)
	v := table.Between(corruption.Sides[0], severity, 0)
	m, n, strength, share := corrupt.Memory[memory](s), src.W*src.H, float32(v[0]), float32(v[1])
	m.before, m.v = buffer.Resize(m.before, 3*n), buffer.Resize(m.v, 3*n)
	for p := range n {
		for k := range 3 {
			m.before[k*n+p] = float32(src.Pix[4*p+k]) / 255
		}
	}
	copy(m.v, m.before)
	c.styles.Apply(m.v, src.W, src.H, r.IntN(c.styles.Len()), strength, &m.network)
	for i, v := range m.v {
		m.v[i] = float32(share*v) + float32((1-share)*m.before[i])
	}
	kernel.PlanesToBytes(dst.Pix, m.v)
	return nil
}
