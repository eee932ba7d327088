package image2image

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrWeights is wrapped by every error about tensors that are not those of a network: it names the tensor and says what is
// wanted.
var ErrWeights = errors.New("not weights of this network")

// Tensor is a named array, as those of package nn/weights.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// binder hands the tensors of a file to the layers of a network. The first mistake is kept; what is bound after it has no
// meaning.
type binder struct {
	network string
	tensors map[string]*Tensor
	used    map[string]bool
	layers  []*layer
	err     error
}

func newBinder(network string, ts []Tensor) *binder {
	b := &binder{network: network, tensors: map[string]*Tensor{}, used: map[string]bool{}}
	for i := range ts {
		b.tensors[ts[i].Name] = &ts[i]
	}
	return b
}

func (b *binder) has(name string) bool { return b.tensors[name] != nil }

func (b *binder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w (%s): %s", ErrWeights, b.network, fmt.Sprintf(format, args...))
	}
}

// take returns the values of a tensor of a shape.
func (b *binder) take(name string, shape ...int) []float32 {
	t := b.tensors[name]
	if b.err != nil {
		return nil
	}
	if t == nil {
		b.fail("tensor %q of shape %v is missing", name, shape)
		return nil
	}
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	if !slices.Equal(t.Shape, shape) || n != len(t.Data) {
		b.fail("tensor %.60q has the shape %v (wanted: %v)", name, t.Shape, shape)
		return nil
	}
	for _, v := range t.Data {
		if v-v != 0 {
			b.fail("tensor %q holds a NaN or an infinity", name)
			return nil
		}
	}
	b.used[name] = true
	return t.Data
}

// done returns the first mistake: of the tensors that were asked for, or one that is there and was not.
func (b *binder) done() error {
	var extra []string
	for name := range b.tensors {
		if !b.used[name] {
			extra = append(extra, name)
		}
	}
	if len(extra) > 0 {
		b.fail("%d tensors are not the network's, %.60q among them", len(extra), slices.Min(extra))
	}
	return b.err
}

// layer is a convolution: its weights in PyTorch's order, [out][in/groups][k][k].
type layer struct {
	w, b      []float32 // b may be nil
	out, in   int
	k, groups int
	random    bool // the weights are others for every image
}

// add notes a layer.
func (b *binder) add(l layer) *layer {
	b.layers = append(b.layers, &l)
	return &l
}

// conv binds PyTorch's NAME.weight and, where there is one or bias says so, NAME.bias.
func (b *binder) conv(name string, out, in, k, groups int, bias bool) *layer {
	l := layer{out: out, in: in, k: k, groups: groups, w: b.take(name+".weight", out, in/groups, k, k)}
	if bias {
		l.b = b.take(name+".bias", out)
	}
	return b.add(l)
}

// tensorFlow binds NAME/w, [out][k][k][in], and NAME/b.
func (b *binder) tensorFlow(name string, out, in, k int) *layer {
	l := layer{out: out, in: in, k: k, groups: 1}
	w := b.take(name+"/w", out, k, k, in)
	l.b = b.take(name+"/b", out)
	if k == 1 { // the same order
		l.w = w
		return b.add(l)
	}
	l.w = make([]float32, len(w))
	for i, v := range w {
		o, tap, c := i/(k*k*in), i/in%(k*k), i%in
		l.w[(o*in+c)*k*k+tap] = v
	}
	return b.add(l)
}

// depthwise binds TensorFlow's [1][k][k][c] as a convolution of c groups.
func (b *binder) depthwise(name string, c, k int) *layer {
	l := layer{out: c, in: c, k: k, groups: c}
	w := b.take(name+"/w", 1, k, k, c)
	l.b = b.take(name+"/b", c)
	l.w = make([]float32, len(w))
	for i, v := range w {
		l.w[i%c*k*k+i/c] = v
	}
	return b.add(l)
}

// numbers are the gains and offsets of a norm.
type numbers struct{ gain, offset []float32 }

func (b *binder) norm(name string, c int) numbers {
	return numbers{b.take(name+".weight", c), b.take(name+".bias", c)}
}

// rsqrt is 1/sqrt(v), the same everywhere.
func rsqrt(v float64) float32 { return float32(1 / math.Sqrt(v)) }
