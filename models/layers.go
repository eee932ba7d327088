package models

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/nn/graph"
)

// layers adds to a graph what the networks have in common. The numbers that its methods return are nodes.
type layers struct{ *graph.Builder }

func newLayers(spec string, input graph.Shape, classes int) layers {
	return layers{graph.NewBuilder(spec, input, classes)}
}

// start is the initial distribution of the weight of a convolution.
type start int

const (
	// fanOut is N(0, sqrt(2/(kh*kw*out))): He et al., Delving Deep into Rectifiers, 2015, by outputs. PyTorch's
	// kaiming_normal_ with mode fan_out gives the same, groups or not.
	fanOut start = iota
	// fanIn is N(0, sqrt(2/(kh*kw*in))), kaiming_normal_ as called without a mode.
	fanIn
	// fanInUniform is uniform on +-sqrt(6/(kh*kw*in)), kaiming_uniform_ as called without a mode.
	fanInUniform
	// framework is PyTorch's default, uniform on +-1/sqrt(kh*kw*in).
	framework
)

func (h start) of(kh, kw, in, out int) graph.Init {
	n := kh * kw * in
	switch h {
	case fanOut:
		return graph.FanOut(kh, kw, out)
	case fanIn:
		return graph.Init{Dist: graph.Normal, Scale: math.Sqrt(2 / float64(n))}
	case fanInUniform:
		return graph.Init{Dist: graph.Uniform, Scale: math.Sqrt(6 / float64(n))}
	}
	return graph.Default(n)
}

// conv adds a convolution without bias.
func (l layers) conv(name string, in, out, k, stride, pad int, h start) int {
	return l.grouped(name, in, out, k, stride, pad, 1, h)
}

func (l layers) grouped(name string, in, out, k, stride, pad, groups int, h start) int {
	return l.Add(name, graph.Conv{
		Out: out, KH: k, KW: k, Stride: stride, Pad: pad, Groups: groups, Init: h.of(k, k, l.Shape(in).C/groups, out),
	}, in)
}

// convBias adds a convolution whose bias starts at 0, or with the framework's default if the weight does.
func (l layers) convBias(name string, in, out, k, stride, pad int, h start) int {
	c := graph.Conv{
		Out: out, KH: k, KW: k, Stride: stride, Pad: pad, Groups: 1, Bias: true, Init: h.of(k, k, l.Shape(in).C, out),
	}
	if h == framework {
		c.InitBias = c.Init
	}
	return l.Add(name, c, in)
}

// bn adds a batch norm with the values that every network here has.
func (l layers) bn(name string, in int) int {
	return l.Add(name, graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}, in)
}

// relu adds a ReLU; the name is that of the reference's module, "" if it calls a function.
func (l layers) relu(name string, in int) int { return l.Add(name, graph.ReLU{}, in) }

// drop adds dropout, or nothing if it never drops.
func (l layers) drop(name string, in int, p float64) int {
	if p == 0 {
		return in
	}
	return l.Add(name, graph.Dropout{P: p}, in)
}

// linear adds a linear layer with bias over whatever comes in.
func (l layers) linear(name string, in, out int, weight, bias graph.Init) int {
	if s := l.Shape(in); s.H != 1 || s.W != 1 {
		in = l.Add("", graph.Flatten{}, in)
	}
	return l.Add(name, graph.Linear{Out: out, Bias: true, Init: weight, InitBias: bias}, in)
}

// linearDefault adds a linear layer that starts as PyTorch's do.
func (l layers) linearDefault(name string, in, out int) int {
	d := graph.Default(max(1, l.Shape(in).Len()))
	return l.linear(name, in, out, d, d)
}

// globalPool averages over all pixels.
func (l layers) globalPool(name string, in int) int {
	return l.Add(name, graph.AdaptivePool{H: 1, W: 1}, in)
}

// sub names the part of a layer: "block1.layer.0" and "conv1" give "block1.layer.0.conv1".
func sub(parts ...any) string {
	name := fmt.Sprint(parts[0])
	for _, p := range parts[1:] {
		name += "." + fmt.Sprint(p)
	}
	return name
}
