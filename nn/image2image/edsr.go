package image2image

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

// EDSR is a network that enlarges images (Lim et al., Enhanced Deep Residual Networks for Single Image Super-Resolution, CVPR
// workshops 2017): residual blocks without norms, then channels that become pixels. Published are 16 blocks of 64 channels, the
// baseline, with 1,369,859, 1,554,499 and 1,517,571 parameters for scales 2, 3 and 4, and 32 of 256 with 40,729,603, 43,680,003
// and 43,089,923, the layers that shift the mean color not counted.
type EDSR struct {
	Blocks int // 1 to 256
	Width  int // channels, 1 to 1024
	Scale  int // 2, 3 or 4
}

// Check returns an error that says what is allowed for a network that cannot be.
func (e EDSR) Check() error {
	if e.Blocks < 1 || e.Blocks > 256 || e.Width < 1 || e.Width > 1024 || e.Scale < 2 || e.Scale > 4 {
		return fmt.Errorf("EDSR of %d blocks of %d channels, scale %d (allowed: 1 to 256, 1 to 1024, 2 to 4)", e.Blocks, e.Width, e.Scale)
	}
	return nil
}

// residual is what the result of a block is multiplied by before its input is added: section 3.3 of the paper has 0.1 for 256
// channels, and none for the baseline.
func (e EDSR) residual() float32 {
	if e.Width >= 256 {
		return 0.1
	}
	return 1
}

// steps are the factors by which the tail enlarges.
func (e EDSR) steps() []int {
	if e.Scale == 4 {
		return []int{2, 2}
	}
	return []int{e.Scale}
}

// edsrMean is the mean color of DIV2K, and edsrRange what the published networks take for white.
var edsrMean = [3]float32{0.4488, 0.4371, 0.4040}

const edsrRange = 255

// FillShift writes the values of a tensor of the layers that take the mean color off an image and put it back, which are not
// trained, and reports whether a tensor of that name is one of them.
func (e EDSR) FillShift(name string, data []float32) bool {
	sign := float32(-1)
	switch name {
	case "sub_mean.weight", "add_mean.weight":
		for i := range data {
			data[i] = 0
			if i%4 == 0 {
				data[i] = 1
			}
		}
		return true
	case "add_mean.bias":
		sign = 1
		fallthrough
	case "sub_mean.bias":
		for i := range data {
			data[i] = sign * edsrRange * edsrMean[i]
		}
		return true
	}
	return false
}

// Graph returns the network for images of a size, for package nn to train and nn/onnx to write (onnx.Options.Image): colors from 0
// to 255 go in and come out, tensors have the names of the authors' PyTorch program. Its result is flattened, in planes. The error
// wraps [ErrWeights].
func (e EDSR) Graph(h, w int) (*graph.Graph, error) {
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	b := graph.NewBuilder(fmt.Sprintf("edsr-%d-%d-x%d", e.Blocks, e.Width, e.Scale), graph.Shape{H: h, W: w, C: 3}, 3*h*w*e.Scale*e.Scale)
	conv := func(name string, out, k, x int) int {
		start := graph.Default(k * k * b.Shape(x).C)
		return b.Add(name, graph.Conv{Out: out, KH: k, KW: k, Stride: 1, Pad: k / 2, Groups: 1, Bias: true, Init: start, InitBias: start}, x)
	}
	head := conv("head.0", e.Width, 3, conv("sub_mean", 3, 1, 0))
	x := head
	for i := range e.Blocks {
		name := fmt.Sprintf("body.%d.body.", i)
		y := conv(name+"2", e.Width, 3, b.Add("", graph.ReLU{}, conv(name+"0", e.Width, 3, x)))
		if f := e.residual(); f != 1 {
			y = b.Add("", graph.Scale{Factor: float64(f)}, y)
		}
		x = b.Add("", graph.Add{}, y, x)
	}
	x = b.Add("", graph.Add{}, conv(fmt.Sprintf("body.%d", e.Blocks), e.Width, 3, x), head)
	for i, by := range e.steps() {
		x = b.Add("", graph.PixelShuffle{By: by}, conv(fmt.Sprintf("tail.0.%d", 2*i), by*by*e.Width, 3, x))
	}
	b.Add("", graph.Flatten{}, conv("add_mean", 3, 1, conv("tail.1", 3, 3, x)))
	return b.Done()
}

// EDSROf returns the network that tensors are of, and what it takes for white, 1 or 255. It returns false where they are not those of an
// EDSR.
func EDSROf(ts []Tensor) (e EDSR, white float32, ok bool) {
	b := newBinder("EDSR", ts)
	if !b.has("head.0.weight") {
		return e, 0, false
	}
	edsr(b)
	if b.done() != nil {
		return e, 0, false
	}
	return b.edsr(), b.white(), true
}

// white is 255 unless the mean color says that colors go to 1.
func (b *binder) white() float32 {
	if t := b.tensors["sub_mean.bias"]; t != nil && len(t.Data) > 0 && t.Data[0] < -1 {
		return edsrRange
	}
	return 1
}

// edsr returns the network that the shapes of the tensors tell.
func (b *binder) edsr() (e EDSR) {
	if t := b.tensors["head.0.weight"]; len(t.Shape) == 4 {
		e.Width = t.Shape[0]
	}
	for b.has(fmt.Sprintf("body.%d.body.0.weight", e.Blocks)) {
		e.Blocks++
	}
	switch t := b.tensors["tail.0.0.weight"]; {
	case b.has("tail.0.2.weight"):
		e.Scale = 4
	case t != nil && len(t.Shape) == 4 && t.Shape[0] == 9*e.Width:
		e.Scale = 3
	default:
		e.Scale = 2
	}
	return e
}

// edsr binds the network.
func edsr(b *binder) *Network {
	e := b.edsr()
	if err := e.Check(); err != nil {
		b.err = fmt.Errorf("%w: %w", ErrWeights, err)
		return &Network{}
	}
	subtract := b.conv("sub_mean", 3, 3, 1, 1, true)
	head := b.conv("head.0", e.Width, 3, 3, 1, true)
	blocks := make([][2]*layer, e.Blocks)
	for i := range blocks {
		for k := range blocks[i] {
			blocks[i][k] = b.conv(fmt.Sprintf("body.%d.body.%d", i, 2*k), e.Width, e.Width, 3, 1, true)
		}
	}
	body := b.conv(fmt.Sprintf("body.%d", e.Blocks), e.Width, e.Width, 3, 1, true)
	var tail []*layer
	for i, by := range e.steps() {
		tail = append(tail, b.conv(fmt.Sprintf("tail.0.%d", 2*i), by*by*e.Width, e.Width, 3, 1, true))
	}
	exit := b.conv("tail.1", 3, e.Width, 3, 1, true)
	restore := b.conv("add_mean", 3, 3, 1, 1, true)
	white := b.white()
	return &Network{scale: e.Scale, enlarge: func(s *Scratch, x feature) feature {
		x = s.into(x.times(white), subtract, 1, 0)
		first := s.into(x, head, 1, 1)
		y := s.new(first.h, first.w, first.c)
		copy(y.v, first.v)
		for _, l := range blocks {
			y = s.sum(s.into(relu(s.conv(y, l[0], 1, 1)), l[1], 1, 1).times(e.residual()), y)
		}
		y = s.sum(s.into(y, body, 1, 1), first)
		for i, by := range e.steps() {
			y = s.shuffle(s.into(y, tail[i], 1, 1), by)
		}
		y = s.into(s.into(y, exit, 1, 1), restore, 1, 0)
		return y.times(1 / white)
	}}
}

// times multiplies the values of x and returns x.
func (x feature) times(f float32) feature {
	if f != 1 {
		for i := range x.v {
			x.v[i] *= f
		}
	}
	return x
}
