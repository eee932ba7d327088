package graph

import "fmt"

// Op is the operation of a node, one of the types of this file.
type Op interface {
	// Kind is the operation's name in files.
	Kind() string
	shape(in []Shape) (Shape, error)
	params(in []Shape) []Tensor
	multiplyAdds(in []Shape, out Shape) int64
}

// Input is the image, normalized.
type Input struct{}

// Conv is a convolution (cross-correlation) with zero padding. The weight has the shape [Out, C/Groups, KH, KW].
type Conv struct {
	Out    int
	KH, KW int
	Stride int
	Pad    int // on every side
	Groups int
	Bias   bool
	Init   Init // of the weight
	// InitBias is how the bias starts.
	InitBias Init
}

// BatchNorm normalizes each channel: by the batch's statistics in training, by running averages otherwise. Parameters
// weight (gamma) and bias (beta), buffers running_mean and running_var. In training it needs two values of a channel or more, over the pixels
// and the images of a batch: of a single one the variance is 0, the result is the bias, and no gradient goes through.
type BatchNorm struct {
	Eps float64 // 1e-5 in every published network here
	// Momentum is the weight of the new batch in the running averages, PyTorch's convention: 0.1.
	Momentum float64
	// ZeroGamma starts the weight at 0 instead of 1.
	ZeroGamma bool
}

// ReLU is max(x, 0).
type ReLU struct{}

// GELU is x*Phi(x), or with Sigmoid x*sigmoid(1.702 x), the form of AugMix's AllConvNet.
type GELU struct{ Sigmoid bool }

// MaxPool is the maximum over K x K windows; padding never wins.
type MaxPool struct {
	K, Stride, Pad int
	// Ceil lets a last window reach over the border, as SqueezeNet does.
	Ceil bool
}

// AvgPool is the mean over K x K windows without padding; what does not fill a window is left out.
type AvgPool struct{ K, Stride int }

// AdaptivePool averages to H x W whatever comes in, window i of n covering [floor(i*in/n), ceil((i+1)*in/n)).
// H = W = 1 is global average pooling.
type AdaptivePool struct{ H, W int }

// BlurPool is a fixed depthwise filter, the outer product of the binomial row of the given Taps (1 to 7) normalized to 1,
// over reflected borders (floor((Taps-1)/2) left and above, ceil((Taps-1)/2) right and below), at the given stride. Zhang,
// Making Convolutional Networks Shift-Invariant Again, ICML 2019.
type BlurPool struct{ Taps, Stride int }

// Row returns the binomial row that is the filter in one direction, normalized to 1. Its numbers are exact.
func (o BlurPool) Row() []float64 {
	row := []float64{1}
	for len(row) < o.Taps { // the next row of Pascal's triangle, halved to keep the sum 1
		row = append(row, 0)
		for i := len(row) - 1; i > 0; i-- {
			row[i] = (row[i] + row[i-1]) / 2
		}
		row[0] /= 2
	}
	return row
}

// Linear is a matrix and a bias over a vector. The weight has the shape [Out, In]. An image has to be flattened before.
type Linear struct {
	Out      int
	Bias     bool
	Init     Init
	InitBias Init
}

// Flatten makes a vector in the order channels, rows, columns: PyTorch's.
type Flatten struct{}

// Dropout zeroes each value with probability P in training and scales the others by 1/(1-P).
type Dropout struct{ P float64 }

// Add is the sum of its inputs.
type Add struct{}

// Concat joins its inputs' channels in order.
type Concat struct{}

// Subsample keeps every Stride-th row and column and adds Before and After channels of zeros: the shortcut without
// parameters of CIFAR ResNets (He et al. 2016, option A).
type Subsample struct{ Stride, Before, After int }

// ShakeShake joins two branches: in training alpha*a + (1-alpha)*b, where alpha is drawn on [0, 1) for each image, and of the
// gradient the branches get beta and 1-beta, drawn apart; otherwise (a+b)/2. Gastaldi, Shake-Shake regularization, 2017.
type ShakeShake struct{}

// Shift moves the image By pixels up and left; what comes in from the right and from below is zero.
type Shift struct{ By int }

// LearnedGroupConv is a 1x1 convolution that becomes sparse in training: output o belongs to group o mod Groups, and each
// group keeps 1/Condense of the inputs; the weights of the others are 0. Its weight has the shape [Out, C, 1, 1]. Huang et
// al., CondenseNet, CVPR 2018.
type LearnedGroupConv struct {
	Out, Groups, Condense int
	Lasso                 float64 // of the group lasso that training adds to the loss; 0 for none
	Init                  Init
}

// Select takes Out channels, which the buffer index says: whole numbers from 0 to C-1, an input more than once or never.
type Select struct{ Out int }

// Shuffle turns the channels of Groups groups, one group after another, into the first of each group, then the second of
// each, and so on.
type Shuffle struct{ Groups int }

// Upsample repeats each pixel By times in both directions: the nearest neighbor.
type Upsample struct{ By int }

// PixelShuffle turns every By*By channels into By by By pixels of one.
type PixelShuffle struct{ By int }

// Scale multiplies by a constant.
type Scale struct{ Factor float64 }

// Kind implements Op.
func (Input) Kind() string { return "input" }

// Kind implements Op.
func (Conv) Kind() string { return "conv" }

// Kind implements Op.
func (BatchNorm) Kind() string { return "batch_norm" }

// Kind implements Op.
func (ReLU) Kind() string { return "relu" }

// Kind implements Op.
func (GELU) Kind() string { return "gelu" }

// Kind implements Op.
func (MaxPool) Kind() string { return "max_pool" }

// Kind implements Op.
func (AvgPool) Kind() string { return "avg_pool" }

// Kind implements Op.
func (AdaptivePool) Kind() string { return "adaptive_pool" }

// Kind implements Op.
func (BlurPool) Kind() string { return "blur_pool" }

// Kind implements Op.
func (Linear) Kind() string { return "linear" }

// Kind implements Op.
func (Flatten) Kind() string { return "flatten" }

// Kind implements Op.
func (Dropout) Kind() string { return "dropout" }

// Kind implements Op.
func (Add) Kind() string { return "add" }

// Kind implements Op.
func (Concat) Kind() string { return "concat" }

// Kind implements Op.
func (Subsample) Kind() string { return "subsample" }

// Kind implements Op.
func (ShakeShake) Kind() string { return "shake_shake" }

// Kind implements Op.
func (Shift) Kind() string { return "shift" }

// Kind implements Op.
func (LearnedGroupConv) Kind() string { return "learned_group_conv" }

// Kind implements Op.
func (Select) Kind() string { return "select" }

// Kind implements Op.
func (Shuffle) Kind() string { return "shuffle" }

// Kind implements Op.
func (Upsample) Kind() string { return "upsample" }

// Kind implements Op.
func (PixelShuffle) Kind() string { return "pixel_shuffle" }

// Kind implements Op.
func (Scale) Kind() string { return "scale" }

// one returns the only input's shape.
func one(in []Shape) (Shape, error) {
	if len(in) != 1 {
		return Shape{}, fmt.Errorf("%d inputs, not 1", len(in))
	}
	return in[0], nil
}

// window returns the size of a sliding window's result.
func window(in, k, stride, pad int, ceil bool) (int, error) {
	if k < 1 || stride < 1 || pad < 0 || in+2*pad < k {
		return 0, fmt.Errorf("a window of %d with stride %d and padding %d does not fit %d pixels", k, stride, pad, in)
	}
	n := (in + 2*pad - k) / stride
	if ceil && (in+2*pad-k)%stride != 0 && (n+1)*stride < in+pad {
		n++
	}
	return n + 1, nil
}

func windows(s Shape, kh, kw, stride, pad int, ceil bool) (Shape, error) {
	h, err := window(s.H, kh, stride, pad, ceil)
	if err != nil {
		return Shape{}, err
	}
	w, err := window(s.W, kw, stride, pad, ceil)
	return Shape{h, w, s.C}, err
}

func (Input) shape([]Shape) (Shape, error) { return Shape{}, fmt.Errorf("a second input") }

func (o Conv) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if o.Groups < 1 || o.Out < 1 || s.C%o.Groups != 0 || o.Out%o.Groups != 0 {
		return s, fmt.Errorf("%d groups do not divide %d and %d channels", o.Groups, s.C, o.Out)
	}
	s, err = windows(s, o.KH, o.KW, o.Stride, o.Pad, false)
	s.C = o.Out
	return s, err
}

func (o BatchNorm) shape(in []Shape) (Shape, error) {
	if !(o.Eps > 0) || !(o.Momentum > 0 && o.Momentum <= 1) {
		return Shape{}, fmt.Errorf("eps %v, momentum %v", o.Eps, o.Momentum)
	}
	return one(in)
}

func (ReLU) shape(in []Shape) (Shape, error) { return one(in) }

func (GELU) shape(in []Shape) (Shape, error) { return one(in) }

func (o MaxPool) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if 2*o.Pad > o.K {
		return s, fmt.Errorf("padding %d is more than half of a window of %d", o.Pad, o.K)
	}
	return windows(s, o.K, o.K, o.Stride, o.Pad, o.Ceil)
}

func (o AvgPool) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	return windows(s, o.K, o.K, o.Stride, 0, false)
}

func (o AdaptivePool) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if o.H < 1 || o.W < 1 {
		return s, fmt.Errorf("pooling to %dx%d", o.H, o.W)
	}
	return Shape{o.H, o.W, s.C}, nil
}

func (o BlurPool) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if o.Taps < 1 || o.Taps > 7 || o.Stride < 1 {
		return s, fmt.Errorf("a blur of %d taps with stride %d", o.Taps, o.Stride)
	}
	if right := o.Taps / 2; right >= s.H || right >= s.W {
		return s, fmt.Errorf("a blur of %d taps reflects more than %dx%d pixels have", o.Taps, s.H, s.W)
	}
	return Shape{(s.H-1)/o.Stride + 1, (s.W-1)/o.Stride + 1, s.C}, nil
}

func (o Linear) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if s.H != 1 || s.W != 1 || o.Out < 1 {
		return s, fmt.Errorf("a linear layer of %d over %v", o.Out, s)
	}
	return Shape{1, 1, o.Out}, nil
}

func (Flatten) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	return Shape{1, 1, s.Len()}, err
}

func (o Dropout) shape(in []Shape) (Shape, error) {
	if !(o.P >= 0 && o.P < 1) {
		return Shape{}, fmt.Errorf("dropout of %v", o.P)
	}
	return one(in)
}

func (Add) shape(in []Shape) (Shape, error) {
	if len(in) < 2 {
		return Shape{}, fmt.Errorf("a sum of %d", len(in))
	}
	for _, s := range in[1:] {
		if s != in[0] {
			return s, fmt.Errorf("a sum of %v and %v", in[0], s)
		}
	}
	return in[0], nil
}

func (Concat) shape(in []Shape) (Shape, error) {
	if len(in) == 0 {
		return Shape{}, fmt.Errorf("nothing to join")
	}
	out := in[0]
	for _, s := range in[1:] {
		if s.H != out.H || s.W != out.W {
			return s, fmt.Errorf("%v joined to %v", s, in[0])
		}
		out.C += s.C
	}
	return out, nil
}

func (o Subsample) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if o.Stride < 1 || o.Before < 0 || o.After < 0 {
		return s, fmt.Errorf("stride %d with %d and %d more channels", o.Stride, o.Before, o.After)
	}
	return Shape{(s.H-1)/o.Stride + 1, (s.W-1)/o.Stride + 1, s.C + o.Before + o.After}, nil
}

func (ShakeShake) shape(in []Shape) (Shape, error) {
	if len(in) != 2 {
		return Shape{}, fmt.Errorf("%d branches, not 2", len(in))
	}
	return Add{}.shape(in)
}

func (o Shift) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (o.By < 0 || o.By > min(s.H, s.W)) {
		err = fmt.Errorf("a shift of %v by %d", s, o.By)
	}
	return s, err
}

func (o LearnedGroupConv) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err != nil {
		return s, err
	}
	if o.Out < 1 || o.Groups < 1 || o.Condense < 1 || o.Out%o.Groups != 0 || s.C%o.Condense != 0 || !(o.Lasso >= 0) {
		return s, fmt.Errorf("%d groups of %d outputs that keep 1/%d of %d inputs, lasso %v", o.Groups, o.Out, o.Condense, s.C, o.Lasso)
	}
	return Shape{s.H, s.W, o.Out}, nil
}

func (o Select) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && o.Out < 1 {
		err = fmt.Errorf("%d of the channels of %v", o.Out, s)
	}
	return Shape{s.H, s.W, o.Out}, err
}

func (o Shuffle) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (o.Groups < 1 || s.C%o.Groups != 0) {
		err = fmt.Errorf("%d groups of the channels of %v", o.Groups, s)
	}
	return s, err
}

func (o Upsample) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (o.By < 1 || o.By > maxSize/max(s.H, s.W, 1)) {
		err = fmt.Errorf("%v repeated %d times", s, o.By)
	}
	return Shape{s.H * o.By, s.W * o.By, s.C}, err
}

func (o PixelShuffle) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (o.By < 1 || o.By > 1<<10 || o.By > maxSize/max(s.H, s.W, 1) || s.C%(o.By*o.By) != 0) {
		return s, fmt.Errorf("%v with %d by %d pixels of channels", s, o.By, o.By)
	}
	return Shape{s.H * o.By, s.W * o.By, s.C / max(o.By*o.By, 1)}, err
}

func (o Scale) shape(in []Shape) (Shape, error) {
	if o.Factor-o.Factor != 0 {
		return Shape{}, fmt.Errorf("a factor of %v", o.Factor)
	}
	return one(in)
}

// Multiply-adds: those of convolutions and linear layers, the field's convention.

func (Input) multiplyAdds([]Shape, Shape) int64 { return 0 }

func (o Conv) multiplyAdds(in []Shape, out Shape) int64 {
	return int64(out.Len()) * int64(in[0].C/o.Groups) * int64(o.KH*o.KW)
}
func (BatchNorm) multiplyAdds([]Shape, Shape) int64    { return 0 }
func (ReLU) multiplyAdds([]Shape, Shape) int64         { return 0 }
func (GELU) multiplyAdds([]Shape, Shape) int64         { return 0 }
func (MaxPool) multiplyAdds([]Shape, Shape) int64      { return 0 }
func (AvgPool) multiplyAdds([]Shape, Shape) int64      { return 0 }
func (AdaptivePool) multiplyAdds([]Shape, Shape) int64 { return 0 }
func (BlurPool) multiplyAdds([]Shape, Shape) int64     { return 0 }
func (o Linear) multiplyAdds(in []Shape, _ Shape) int64 {
	return int64(in[0].C) * int64(o.Out)
}
func (Flatten) multiplyAdds([]Shape, Shape) int64    { return 0 }
func (Dropout) multiplyAdds([]Shape, Shape) int64    { return 0 }
func (Add) multiplyAdds([]Shape, Shape) int64        { return 0 }
func (Concat) multiplyAdds([]Shape, Shape) int64     { return 0 }
func (Subsample) multiplyAdds([]Shape, Shape) int64  { return 0 }
func (ShakeShake) multiplyAdds([]Shape, Shape) int64 { return 0 }
func (Shift) multiplyAdds([]Shape, Shape) int64      { return 0 }
func (o LearnedGroupConv) multiplyAdds(in []Shape, out Shape) int64 {
	return int64(out.Len()) * int64(in[0].C)
}
func (Select) multiplyAdds([]Shape, Shape) int64       { return 0 }
func (Shuffle) multiplyAdds([]Shape, Shape) int64      { return 0 }
func (Upsample) multiplyAdds([]Shape, Shape) int64     { return 0 }
func (PixelShuffle) multiplyAdds([]Shape, Shape) int64 { return 0 }
func (Scale) multiplyAdds([]Shape, Shape) int64        { return 0 }
