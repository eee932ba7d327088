package image2image

import (
	"fmt"

	"github.com/augmix-go/augmix/raster"
)

// CodeLen is the number of values that a style is described by.
const CodeLen = 100

// Code describes a style: what [Style.Predict] sees in an image.
type Code [CodeLen]float32

// Mix makes c the style that lies a of the way, 0 to 1, from another to c.
func (c *Code) Mix(from *Code, a float32) {
	for i := range c {
		c[i] = float32((1-a)*from[i]) + float32(a*c[i])
	}
}

// Style is a network of arbitrary style transfer (Ghiasi et al., BMVC 2017, in the small form of Google Magenta: a
// MobileNetV2 that predicts the style of an image, and a transformer whose instance norms the style enters through). It is
// not changed after [NewStyle] and may be used by several goroutines, each with its own [Scratch].
type Style struct {
	predict  predictor
	contract [3]*layer
	residual [5][2]styled
	expand   [3]styled
}

// styled is a convolution whose instance norm takes gain and offset from the style.
type styled struct{ conv, offset, gain *layer }

// styleEps is the constant under the root of the style norms: 1e-5 as float16, which the published weights are.
const styleEps = 1.0013580322265625e-05

// Sides of images that [Style] takes: the transformer works at a quarter of the size, and smaller images are continued by
// reflection.
const (
	styleMultiple = 4
	styleLeast    = 8
)

// NewStyle returns the network whose tensors ts are: those of Magenta's arbitrary image stylization v1-256, float32, named
// by their TensorFlow scopes with /w (output, row, column, input) and /b. The error wraps [ErrWeights] and names the tensor.
func NewStyle(ts []Tensor) (*Style, error) {
	b := newBinder("style transfer", ts)
	n := &Style{}
	n.predict.bind(b)
	const body = "transfer/transformer/"
	for i, in := range [3]int{3, 8, 16} {
		n.contract[i] = b.tensorFlow(fmt.Sprintf("%scontract/conv%d", body, i+1), 8<<i, in, [3]int{9, 3, 3}[i])
	}
	style := func(name string, out, in, k int) styled {
		const params = "transfer/style_params/transformer/"
		return styled{
			b.tensorFlow(body+name, out, in, k),
			b.tensorFlow(params+name+"/StyleNorm/Conv", out, CodeLen, 1),
			b.tensorFlow(params+name+"/StyleNorm/Conv_1", out, CodeLen, 1),
		}
	}
	for i := range n.residual {
		for k := range 2 {
			n.residual[i][k] = style(fmt.Sprintf("residual/residual%d/conv%d", i+1, k+1), 32, 32, 3)
		}
	}
	for i, out := range [3]int{16, 8, 3} {
		n.expand[i] = style(fmt.Sprintf("expand/conv%d/conv", i+1), out, 32>>i, [3]int{3, 3, 9}[i])
	}
	if err := b.done(); err != nil {
		return nil, err
	}
	return n, nil
}

// Predict sets dst to the style of an image of any size; the network was trained on 256 by 256 pixels.
func (n *Style) Predict(dst *Code, m *raster.Image, s *Scratch) {
	x := s.new(m.H, m.W, 3)
	for p := range m.H * m.W {
		for c := range 3 {
			x.v[3*p+c] = float32(m.Pix[4*p+c]) / 255
		}
	}
	n.predict.run(dst, s, x)
}

// PredictPlanes is Predict of 3*h*w values in [0, 1] in planes.
func (n *Style) PredictPlanes(dst *Code, v []float32, w, h int, s *Scratch) {
	n.predict.run(dst, s, s.load(v, w, h))
}

// Apply gives an image the style of a code: v are 3*h*w values in [0, 1] in planes, which are replaced.
func (n *Style) Apply(v []float32, w, h int, code *Code, s *Scratch) {
	x := s.fit(s.load(v, w, h), styleMultiple, styleLeast)
	for i, l := range n.contract {
		x = relu(s.mirrored(x, l, min(i+1, 2)))
	}
	for i := range n.residual {
		y := s.new(x.h, x.w, x.c)
		copy(y.v, x.v)
		y = relu(n.residual[i][0].run(s, y, code))
		x = s.sum(x, n.residual[i][1].run(s, y, code))
	}
	for i := range n.expand {
		if i < 2 {
			x = relu(n.expand[i].run(s, s.double(x), code))
			continue
		}
		x = n.expand[i].run(s, x, code)
	}
	for i, v := range x.v {
		x.v[i] = sigmoid(v)
	}
	s.store(v, w, h, x)
}

// run frees x.
func (l *styled) run(s *Scratch, x feature, code *Code) feature {
	x = s.mirrored(x, l.conv, 1)
	var gain, offset [32]float32
	return s.normalize(x, x.c, styleEps, l.gain.times(gain[:], code), l.offset.times(offset[:], code))
}

// times is a 1x1 convolution of the code.
func (l *layer) times(dst []float32, code *Code) []float32 {
	for o := range l.out {
		sum := 0.0
		for i, v := range code {
			sum += float64(float64(v) * float64(l.w[o*l.in+i]))
		}
		dst[o] = float32(sum) + l.b[o]
	}
	return dst
}
