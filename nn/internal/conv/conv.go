// Package conv holds the arithmetic of convolutions and matrix products: float32, one image a call, every kernel
// size, stride, padding and number of groups. Forward, input gradient and weight gradient are three uses of two inner
// loops (see tile and outer) that read images where they lie; nothing is unrolled into a matrix (no im2col). Images of
// three channels have a loop of their own (see strip).
//
// An image is dense, [H][W][C]: channels of a pixel are neighbors. Borders are not stored. Forward and InputGrad
// leave out the taps that would read them; WeightGrad copies a few rows at a time into the caller's scratch, with
// zeros around.
//
// The inner loops exist as plain Go, which is their specification, and as generated assembly for AVX2 with FMA, for
// AVX-512 and for NEON, chosen at run time. Build with -tags noasm to leave the assembly out, or set AUGMIX_CPU to avx2
// or plain to use less of the processor. All give the same bits, and so does plain Go on every architecture: each result is
// one chain of fused multiply-adds in an order that the vectors' width has no part in, and everything that breaks a
// chain (groups that are merged, blocks, chunks) follows from the shape alone. Rows of Forward and InputGrad have the same
// bits however they are split among calls.
//
// Methods only read a Conv, but for Pack and the field NeedInputGrad: calls may run at the same time, each with a
// scratch of its own.
package conv

import (
	"fmt"
	"math"
)

// Shape is what a convolution (cross-correlation) with zero padding is made from, in PyTorch's meaning.
type Shape struct {
	H, W    int // input rows and columns
	In, Out int // channels
	KH, KW  int // kernel rows and columns
	Stride  int // in both directions
	Pad     int // zeros on every side
	Groups  int // In and Out are multiples; input channels of a group reach the outputs of that group only
}

// Conv is one convolution: its shape, the plans of its three passes, and packed weights.
type Conv struct {
	Shape
	// NeedInputGrad makes Pack prepare InputGrad as well. Set it before the first Pack.
	NeedInputGrad bool

	outH, outW int
	isa        *isa
	groups     grouping
	forward    plan
	backward   plan
	weight     weightPlan
}

// New plans a convolution. It panics if a dimension is not positive (the padding: negative), the groups do not divide
// the channels, no output pixel remains, or an image or the weights have 2^31 or more numbers.
func New(s Shape) *Conv {
	s.mustBeSound()
	c := &Conv{Shape: s, isa: isas[level]}
	c.outH, c.outW = (s.H+2*s.Pad-s.KH)/s.Stride+1, (s.W+2*s.Pad-s.KW)/s.Stride+1
	c.groups = mergeGroups(s)
	c.planForward()
	c.planBackward()
	c.planWeight()
	return c
}

func (s Shape) mustBeSound() {
	least := min(s.H, s.W, s.In, s.Out, s.KH, s.KW, s.Stride, s.Groups)
	if least < 1 || s.Pad < 0 || s.In%s.Groups != 0 || s.Out%s.Groups != 0 {
		panic(fmt.Sprintf("conv: shape %+v", s))
	}
	if s.H+2*s.Pad < s.KH || s.W+2*s.Pad < s.KW {
		panic(fmt.Sprintf("conv: no output pixel from shape %+v", s))
	}
	padded := float64(s.H+2*(s.Pad+s.KH)) * float64(s.W+2*(s.Pad+s.KW)) * float64(max(s.In, s.Out))
	weights := float64(s.In/s.Groups) * float64(s.Out) * float64(s.KH) * float64(s.KW)
	if max(padded, weights) > math.MaxInt32 {
		panic(fmt.Sprintf("conv: more than 2^31-1 numbers in shape %+v", s))
	}
}

// OutH returns the number of output rows, floor((H + 2 Pad - KH) / Stride) + 1.
func (c *Conv) OutH() int { return c.outH }

// OutW returns the number of output columns.
func (c *Conv) OutW() int { return c.outW }

// WeightLen returns the number of weights, Out * In/Groups * KH * KW.
func (c *Conv) WeightLen() int { return c.Out * (c.In / c.Groups) * c.KH * c.KW }

// Scratch returns how many floats of working memory any method needs at most. Their content does not matter.
func (c *Conv) Scratch() int {
	return max(c.weight.scratch, c.forward.scratch(), c.backward.scratch())
}

// Forward computes output rows y0 <= y < y1 of an image: dst, [OutH][OutW][Out], from src, [H][W][In]. Bias, a
// number an output channel, may be nil. With add the result is added to dst. It uses the weights of the last Pack.
// The bits of a row do not depend on the other rows asked for. dst and src must not overlap.
func (c *Conv) Forward(dst, src, bias []float32, add bool, y0, y1 int, scratch []float32) {
	c.mustHold("Forward", dst, c.outH*c.outW*c.Out, src, c.H*c.W*c.In)
	c.mustCover("Forward", y0, y1, c.outH, scratch)
	if bias != nil && len(bias) != c.Out {
		panic(fmt.Sprintf("conv: Forward: %d biases for %d channels", len(bias), c.Out))
	}
	c.forward.run(dst, src, bias, add, y0, y1, scratch)
}

// InputGrad computes rows y0 <= y < y1 of the loss's gradient with respect to the input: dsrc, [H][W][In], from the
// one with respect to the output, ddst, [OutH][OutW][Out]. With add the result is added to dsrc. It uses the weights
// of the last Pack, which NeedInputGrad must precede. The bits of a row do not depend on the other rows asked for.
// dsrc and ddst must not overlap.
func (c *Conv) InputGrad(dsrc, ddst []float32, add bool, y0, y1 int, scratch []float32) {
	c.mustHold("InputGrad", ddst, c.outH*c.outW*c.Out, dsrc, c.H*c.W*c.In)
	c.mustCover("InputGrad", y0, y1, c.H, scratch)
	if !c.NeedInputGrad {
		panic("conv: InputGrad: NeedInputGrad was not set")
	}
	c.backward.run(dsrc, ddst, nil, add, y0, y1, scratch)
}

func (c *Conv) mustHold(method string, dst []float32, n int, src []float32, m int) {
	if len(dst) != n || len(src) != m {
		panic(fmt.Sprintf("conv: %s: images of %d and %d numbers, want %d and %d", method, len(dst), len(src), n, m))
	}
}

func (c *Conv) mustCover(method string, y0, y1, rows int, scratch []float32) {
	if y0 < 0 || y0 > y1 || y1 > rows {
		panic(fmt.Sprintf("conv: %s: rows %d to %d of %d", method, y0, y1, rows))
	}
	if len(scratch) < c.Scratch() {
		panic(fmt.Sprintf("conv: %s: scratch of %d numbers, want %d", method, len(scratch), c.Scratch()))
	}
}
