package onnx

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/nn/graph"
)

// node writes one node of the graph.
func (e *exporter) node(i int) error {
	n := &e.g.Nodes[i]
	in := make([]value, len(n.In))
	for j, k := range n.In {
		in[j] = e.values[k]
	}
	out := value{}
	switch op := n.Op.(type) {
	case graph.Input:
		out.name = Input
	case graph.Conv:
		out.name = e.conv(n.Name, op, e.spatial(in[0]))
	case graph.BatchNorm:
		out.name = e.batchNorm(n.Name, op, e.spatial(in[0]))
	case graph.ReLU:
		out = value{e.op("Relu", []string{in[0].name}), in[0].flat}
	case graph.GELU:
		out = value{e.gelu(op, in[0].name), in[0].flat}
	case graph.MaxPool:
		out.name = e.maxPool(op, e.spatial(in[0]), e.g.Nodes[n.In[0]].Shape, n.Shape)
	case graph.AvgPool:
		out.name = e.averagePool(e.spatial(in[0]), []int{op.K, op.K}, []int{op.Stride, op.Stride})
	case graph.AdaptivePool:
		out.name = e.adaptivePool(op, e.spatial(in[0]), e.g.Nodes[n.In[0]].Shape)
	case graph.BlurPool:
		out.name = e.blurPool(op, e.spatial(in[0]), n.Shape.C)
	case graph.Linear:
		out = value{e.linear(n.Name, op, e.vector(in[0])), true}
	case graph.Flatten:
		out = value{e.vector(in[0]), true}
	case graph.Dropout:
		out = in[0]
	case graph.Add:
		out = e.sum(in)
	case graph.Concat:
		names := make([]string, len(in))
		for j, v := range in {
			names[j] = e.spatial(v)
		}
		out.name = e.op("Concat", names, attr{"axis", 1})
	case graph.Subsample:
		out.name = e.subsample(op, e.spatial(in[0]))
	case graph.ShakeShake:
		out = e.sum(in)
		out.name = e.op("Mul", []string{out.name, e.floats(nil, 0.5)})
	case graph.Shift:
		x := e.op("Slice", []string{e.spatial(in[0]), e.ints(op.By, op.By), e.ints(math.MaxInt32, math.MaxInt32), e.ints(2, 3)})
		out.name = e.op("Pad", []string{x, e.ints(0, 0, 0, 0, 0, 0, op.By, op.By)}, attr{"mode", "constant"})
	case graph.LearnedGroupConv:
		out.name = e.conv(n.Name, graph.Conv{KH: 1, KW: 1, Stride: 1, Groups: 1}, e.spatial(in[0]))
	case graph.Select:
		index := e.op("Cast", []string{n.Name + ".index"}, attr{"to", typeInt64})
		out = value{e.op("Gather", []string{in[0].name, index}, attr{"axis", 1}), in[0].flat}
	case graph.Shuffle:
		out.name = e.shuffle(op, e.spatial(in[0]), n.Shape)
	case graph.Upsample:
		out.name = e.upsample(op, e.spatial(in[0]))
	case graph.PixelShuffle:
		out.name = e.op("DepthToSpace", []string{e.spatial(in[0])}, attr{"blocksize", op.By}, attr{"mode", "CRD"})
	case graph.Scale:
		out = value{e.op("Mul", []string{in[0].name, e.floats(nil, float32(op.Factor))}), in[0].flat}
	default:
		return fmt.Errorf("no ONNX form")
	}
	e.values[i] = out
	return nil
}

func (e *exporter) conv(name string, op graph.Conv, x string) string {
	in := []string{x, name + ".weight"}
	if op.Bias {
		in = append(in, name+".bias")
	}
	return e.op("Conv", in, attr{"dilations", []int{1, 1}}, attr{"group", op.Groups},
		attr{"kernel_shape", []int{op.KH, op.KW}},
		attr{"pads", []int{op.Pad, op.Pad, op.Pad, op.Pad}}, attr{"strides", []int{op.Stride, op.Stride}})
}

func (e *exporter) batchNorm(name string, op graph.BatchNorm, x string) string {
	return e.op("BatchNormalization",
		[]string{x, name + ".weight", name + ".bias", name + ".running_mean", name + ".running_var"},
		attr{"epsilon", op.Eps},
		attr{"momentum", 1 - op.Momentum}) // ONNX weighs the old average
}

// gelu writes x*Phi(x) = x/2 * (1+erf(x/sqrt 2)), or x*sigmoid(1.702x).
func (e *exporter) gelu(op graph.GELU, x string) string {
	if op.Sigmoid {
		scaled := e.op("Mul", []string{x, e.floats(nil, 1.702)})
		return e.op("Mul", []string{x, e.op("Sigmoid", []string{scaled})})
	}
	erf := e.op("Erf", []string{e.op("Mul", []string{x, e.floats(nil, float32(1/math.Sqrt2))})})
	twice := e.op("Mul", []string{x, e.op("Add", []string{erf, e.floats(nil, 1)})})
	return e.op("Mul", []string{twice, e.floats(nil, 0.5)})
}

// maxPool says the border as padding, even where a last window reaches over it: runtimes disagree about ceil_mode.
func (e *exporter) maxPool(op graph.MaxPool, x string, in, out graph.Shape) string {
	end := func(in, out int) int {
		if !op.Ceil {
			return op.Pad
		}
		return max(0, (out-1)*op.Stride+op.K-in-op.Pad)
	}
	return e.op("MaxPool", []string{x}, attr{"kernel_shape", []int{op.K, op.K}},
		attr{"pads", []int{op.Pad, op.Pad, end(in.H, out.H), end(in.W, out.W)}}, attr{"strides", []int{op.Stride, op.Stride}})
}

func (e *exporter) averagePool(x string, k, stride []int) string {
	return e.op("AveragePool", []string{x}, attr{"kernel_shape", k}, attr{"strides", stride})
}

func (e *exporter) adaptivePool(op graph.AdaptivePool, x string, in graph.Shape) string {
	switch {
	case op.H == 1 && op.W == 1:
		return e.op("GlobalAveragePool", []string{x})
	case in.H%op.H == 0 && in.W%op.W == 0:
		k := []int{in.H / op.H, in.W / op.W}
		return e.averagePool(x, k, k)
	}
	// Windows of different sizes: a product with the rows' windows from the left and the columns' from the right.
	rows, cols := e.means(in.H, op.H, false), e.means(in.W, op.W, true)
	return e.op("MatMul", []string{rows, e.op("MatMul", []string{x, cols})})
}

// means adds the matrix [out, in] of the windows' weights, or its transpose.
func (e *exporter) means(in, out int, transpose bool) string {
	m := make([]float32, in*out)
	for i := range out {
		from, to := i*in/out, ((i+1)*in+out-1)/out
		for j := from; j < to; j++ {
			if transpose {
				m[j*out+i] = 1 / float32(to-from)
			} else {
				m[i*in+j] = 1 / float32(to-from)
			}
		}
	}
	if transpose {
		return e.floats([]int{in, out}, m...)
	}
	return e.floats([]int{out, in}, m...)
}

// blurPool writes reflection and a convolution of each channel by itself.
func (e *exporter) blurPool(op graph.BlurPool, x string, channels int) string {
	before, after := (op.Taps-1)/2, op.Taps/2
	if op.Taps > 1 {
		x = e.op("Pad", []string{x, e.ints(0, 0, before, before, 0, 0, after, after)}, attr{"mode", "reflect"})
	}
	row := op.Row()
	var filter []float32
	for range channels {
		for _, a := range row {
			for _, b := range row {
				filter = append(filter, float32(a*b))
			}
		}
	}
	return e.op("Conv", []string{x, e.floats([]int{channels, 1, op.Taps, op.Taps}, filter...)},
		attr{"group", channels}, attr{"kernel_shape", []int{op.Taps, op.Taps}}, attr{"strides", []int{op.Stride, op.Stride}})
}

func (e *exporter) linear(name string, op graph.Linear, x string) string {
	in := []string{x, name + ".weight"}
	if op.Bias {
		in = append(in, name+".bias")
	}
	return e.op("Gemm", in, attr{"transB", 1})
}

// sum adds two and two. A 1x1 image and a vector may meet.
func (e *exporter) sum(in []value) value {
	flat := true
	for _, v := range in {
		flat = flat && v.flat
	}
	name := func(v value) string {
		if flat {
			return v.name
		}
		return e.spatial(v)
	}
	total := name(in[0])
	for _, v := range in[1:] {
		total = e.op("Add", []string{total, name(v)})
	}
	return value{total, flat}
}

func (e *exporter) subsample(op graph.Subsample, x string) string {
	if op.Stride > 1 {
		x = e.op("Slice", []string{
			x, e.ints(0, 0), e.ints(math.MaxInt32, math.MaxInt32), e.ints(2, 3), e.ints(op.Stride, op.Stride),
		})
	}
	if op.Before+op.After > 0 {
		x = e.op("Pad", []string{x, e.ints(0, op.Before, 0, 0, 0, op.After, 0, 0)}, attr{"mode", "constant"})
	}
	return x
}

func (e *exporter) shuffle(op graph.Shuffle, x string, s graph.Shape) string {
	x = e.op("Reshape", []string{x, e.ints(0, op.Groups, s.C/op.Groups, s.H*s.W)})
	x = e.op("Transpose", []string{x}, attr{"perm", []int{0, 2, 1, 3}})
	return e.op("Reshape", []string{x, e.ints(0, s.C, s.H, s.W)})
}

// upsample leaves out Resize's second input, a region.
func (e *exporter) upsample(op graph.Upsample, x string) string {
	by := float32(op.By)
	return e.op("Resize", []string{x, "", e.floats([]int{4}, 1, 1, by, by)}, attr{"coordinate_transformation_mode", "asymmetric"},
		attr{"mode", "nearest"}, attr{"nearest_mode", "floor"})
}
