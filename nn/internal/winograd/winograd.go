// Package winograd computes 3x3 convolutions of stride 1 with 16 multiplications where package conv takes 36: the
// algorithm F(2x2, 3x3) of Lavin and Gray (Fast Algorithms for Convolutional Neural Networks, CVPR 2016). The output is
// cut into tiles of 2x2 pixels; input tiles of 4x4 pixels and the kernels are transformed such that each of their
// sixteen values is a matrix product over the channels, which package conv does as sixteen 1x1 convolutions over rows
// of tiles.
//
// Rounding errors are about twice those of the direct sum; transforms add and subtract at most four numbers. The
// gradients are the transposed algorithm: the same sixteen products with the transposed transforms.
//
// As the inner loops are those of packages conv and vec, the bits are the same everywhere.
//
// Methods are used as those of conv.Conv: calls may run at the same time, each with a scratch of its own.
package winograd

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/internal/conv"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// values is how many numbers a transformed tile has a channel.
const values = 16

// Conv is one convolution.
type Conv struct {
	conv.Shape
	// NeedInputGrad makes Pack prepare the input gradient as well. Set it before the first Pack.
	NeedInputGrad bool

	outH, outW int
	tilesY     int // rows of tiles
	tilesX     int
	chunk      int // rows of tiles that a sum of the kernels' gradient goes over, a divisor of tilesY
	span       int // most rows of tiles of an image at a time, a multiple of chunk
	images     int // most images at a time, one unless span is all rows
	width      int // pixels of a row of a padded input
	whole      bool
	parts      [values]*conv.Conv
	sums       *conv.Conv // one value's kernel gradient of a chunk
	zeros      []float32  // the bias of a convolution without
	kernels    []float32  // one transformed value of all kernels
}

// gap is how many floats lie between arrays that are written side by side, one for each value of a tile: without it
// their distances are powers of two, and they compete for the same few places of the cache.
const gap = 16

// block is how many kernels are transformed at a time, a divisor of all numbers of them that Fits allows.
const block = 256

// chunkFloats is about how many transformed values are computed at a time: half a MiB, so that they stay in the cache
// between the transform and the products.
const chunkFloats = 1 << 17

// Kernels of more than kernelFloats transformed values, 1 MiB, do not stay in the cache: there, up to spanFloats values of tiles are
// computed at a time, of several images where one has few. The order of sums stays that of chunks.
const (
	kernelFloats = 1 << 18
	spanFloats   = 1 << 20
	maxImages    = 8
)

// Fits reports whether the algorithm applies to a convolution and takes less time there than the direct sum: with 16
// channels on both sides the transforms cost what the products save (measured on Zen 4).
func Fits(s conv.Shape) bool {
	return s.KH == 3 && s.KW == 3 && s.Stride == 1 && s.Groups == 1 && s.Pad <= 2 &&
		s.In+s.Out >= 48 && s.In%16 == 0 && s.Out%16 == 0 && s.H+2*s.Pad >= 4 && s.W+2*s.Pad >= 4
}

// New plans a convolution for which Fits holds, and panics for others.
func New(s conv.Shape) *Conv { return plan(s, spanFloats) }

// plan is New with another bound of the transformed values at a time.
func plan(s conv.Shape, floats int) *Conv {
	if !Fits(s) {
		panic(fmt.Sprintf("winograd: shape %+v", s))
	}
	c := &Conv{Shape: s, outH: s.H + 2*s.Pad - 2, outW: s.W + 2*s.Pad - 2}
	c.tilesY, c.tilesX = (c.outH+1)/2, (c.outW+1)/2
	c.width = 2*c.tilesX + 2
	c.whole = c.outH%2 == 0 && c.outW%2 == 0
	c.chunk = 1
	for d := 1; d <= c.tilesY; d++ {
		if c.tilesY%d == 0 && d*c.tilesX*values*(s.In+s.Out) <= chunkFloats {
			c.chunk = d
		}
	}
	c.span, c.images = c.chunk, 1
	if values*s.In*s.Out > kernelFloats {
		most := floats / (c.chunk * c.tilesX * values * (s.In + s.Out)) * c.chunk
		c.span = min(max(c.span, most), c.tilesY)
		if most > c.tilesY {
			c.images = min(most/c.tilesY, maxImages)
		}
	}
	c.zeros = make([]float32, s.Out)
	for k := range c.parts {
		c.parts[k] = conv.New(conv.Shape{
			H: c.images * c.span / c.chunk, W: c.chunk * c.tilesX, In: s.In, Out: s.Out, KH: 1, KW: 1, Stride: 1, Groups: 1,
		})
	}
	c.sums = conv.New(conv.Shape{
		H: 1, W: c.chunk * c.tilesX, In: s.In, Out: s.Out, KH: 1, KW: 1, Stride: 1, Groups: 1,
	})
	return c
}

// tiles returns how many tiles there are at most at a time.
func (c *Conv) tiles() int { return c.images * c.span * c.tilesX }

// Pack transforms weights in PyTorch's order, [Out][In][3][3].
func (c *Conv) Pack(w []float32) {
	n := c.In * c.Out
	if len(w) != 9*n {
		panic(fmt.Sprintf("winograd: %d weights, want %d", len(w), 9*n))
	}
	if c.kernels == nil {
		c.kernels = make([]float32, values*(n+gap))
	}
	var planes [9 * block]float32
	for i := 0; i < n; i += block {
		vec.Transpose(planes[:], block, w[9*i:], 9, block, 9)
		vec.WinogradKernel(c.kernels[i:], n+gap, planes[:], block, block)
	}
	for k, p := range c.parts {
		p.NeedInputGrad = c.NeedInputGrad
		p.Pack(c.kernels[k*(n+gap):][:n])
	}
}

// area is the working memory of a call.
type area struct {
	padded []float32 // input rows of some rows of tiles with borders
	grad   []float32 // the same of the input's gradient
	out    []float32 // output rows where the image's end within tiles
	v, m   []float32 // transformed input and output tiles
	rest   []float32 // for package conv
}

// Scratch returns how many floats of working memory any method needs. Their content does not matter.
func (c *Conv) Scratch() int {
	n := 2*c.paddedLen() + values*(c.pos(c.In)+c.pos(c.Out)) + max(c.parts[0].Scratch(), c.sums.Scratch())
	if !c.whole {
		n += c.outLen()
	}
	return n
}

func (c *Conv) paddedLen() int { return (2*c.span + 2) * c.width * c.In }

func (c *Conv) outLen() int { return 4 * c.span * c.tilesX * c.Out }

func (c *Conv) area(scratch []float32) area {
	if len(scratch) < c.Scratch() {
		panic(fmt.Sprintf("winograd: scratch of %d numbers, want %d", len(scratch), c.Scratch()))
	}
	take := func(n int) []float32 {
		s := scratch[:n]
		scratch = scratch[n:]
		return s
	}
	a := area{padded: take(c.paddedLen()), grad: take(c.paddedLen())}
	a.v, a.m = take(values*c.pos(c.In)), take(values*c.pos(c.Out))
	if !c.whole {
		a.out = take(c.outLen())
	}
	a.rest = scratch
	return a
}

// Images returns how many images a call of ForwardImages and BackwardImages should take; 1 where it makes no difference.
func (c *Conv) Images() int { return c.images }

// Forward computes an image: dst, [outH][outW][Out], from src, [H][W][In]. Bias, a number an output channel, may be
// nil. With add the result is added to dst. It uses the weights of the last Pack. Only part number part of parts is
// computed, so many rows that several calls together do all; a part may be empty.
func (c *Conv) Forward(dst, src, bias []float32, add bool, part, parts int, scratch []float32) {
	a := c.area(scratch)
	chunks := c.tilesY / c.chunk
	end := (part + 1) * chunks / parts * c.chunk
	for y := part * chunks / parts * c.chunk; y < end; y += c.span {
		c.forward(dst, src, bias, add, y, min(c.span, end-y), 1, &a)
	}
}

// ForwardImages is Forward for n images that follow each other.
func (c *Conv) ForwardImages(dst, src, bias []float32, add bool, n int, scratch []float32) {
	a := c.area(scratch)
	for i := 0; i < n; i += c.images {
		from, to := src[i*c.H*c.W*c.In:], dst[i*c.outH*c.outW*c.Out:]
		for y := 0; y < c.tilesY; y += c.span {
			c.forward(to, from, bias, add, y, min(c.span, c.tilesY-y), min(c.images, n-i), &a)
		}
	}
}

// forward does some rows of tiles of n images.
func (c *Conv) forward(dst, src, bias []float32, add bool, y, rows, n int, a *area) {
	if bias == nil {
		bias = c.zeros
	}
	for i := range n {
		c.input(a, src[i*c.H*c.W*c.In:], y, rows, i*rows)
	}
	for k, p := range c.parts {
		p.Forward(c.part(a.m, k, c.Out), c.part(a.v, k, c.In), nil, false, 0, n*rows/c.chunk, a.rest)
	}
	for i := range n {
		c.output(dst[i*c.outH*c.outW*c.Out:], a, y, rows, i*rows, bias, add)
	}
}

// Backward takes the gradient with respect to the output, ddst. Unless dw is nil, it adds the gradient with respect to
// the kernels to dw, which has GradLen numbers in the algorithm's own layout; src is the input. Unless dsrc is nil, it
// sets it to the gradient with respect to the input, or adds that with add.
func (c *Conv) Backward(dw, dsrc, src, ddst []float32, add bool, scratch []float32) {
	c.BackwardImages(dw, dsrc, src, ddst, add, 1, scratch)
}

// BackwardImages is Backward for n images that follow each other, with the same bits.
func (c *Conv) BackwardImages(dw, dsrc, src, ddst []float32, add bool, n int, scratch []float32) {
	a := c.area(scratch)
	in, out := c.H*c.W*c.In, c.outH*c.outW*c.Out
	for i := 0; i < n; i += c.images {
		clear(a.grad)
		for y := 0; y < c.tilesY; y += c.span {
			c.backward(dw, dsrc[min(i*in, len(dsrc)):], src[min(i*in, len(src)):], ddst[i*out:], add, y, min(c.images, n-i), &a)
		}
	}
}

// backward does the rows of tiles from y on of n images; of no input gradient where dsrc is empty.
func (c *Conv) backward(dw, dsrc, src, ddst []float32, add bool, y, n int, a *area) {
	rows := min(c.span, c.tilesY-y)
	in, out := c.H*c.W*c.In, c.outH*c.outW*c.Out
	for i := range n {
		c.outputGrad(a, ddst[i*out:], y, rows, i*rows)
	}
	if dw != nil {
		for i := range n {
			c.input(a, src[i*in:], y, rows, i*rows)
		}
		each, tiles := c.sums.GradLen(), n*rows*c.tilesX
		for k := range c.parts {
			v, m := c.part(a.v, k, c.In)[:tiles*c.In], c.part(a.m, k, c.Out)[:tiles*c.Out]
			c.sums.WeightGradEach(dw[k*each:(k+1)*each], v, m, n*rows/c.chunk, a.rest)
		}
	}
	if len(dsrc) == 0 {
		return
	}
	for k, p := range c.parts {
		p.InputGrad(c.part(a.v, k, c.In), c.part(a.m, k, c.Out), false, 0, n*rows/c.chunk, a.rest)
	}
	for i := range n {
		if i > 0 { // whole images, which do not overlap
			clear(a.grad)
		}
		c.inputGrad(dsrc[i*in:], a, y, rows, i*rows, add)
	}
}

// part is transformed value k of all tiles.
func (c *Conv) part(x []float32, k, channels int) []float32 {
	return x[k*c.pos(channels):][:c.tiles()*channels]
}

// pos is the distance of transformed values.
func (c *Conv) pos(channels int) int { return c.tiles()*channels + gap }

// input transforms the input of some rows of tiles from row y on.
func (c *Conv) input(a *area, src []float32, y, rows, at int) {
	row := c.width * c.In
	for r := range 2*rows + 2 {
		dst, line := a.padded[r*row:][:row], 2*y+r-c.Pad
		if line < 0 || line >= c.H {
			clear(dst)
			continue
		}
		clear(dst[:c.Pad*c.In])
		n := copy(dst[c.Pad*c.In:], src[line*c.W*c.In:(line+1)*c.W*c.In])
		clear(dst[c.Pad*c.In+n:])
	}
	for r := range rows {
		vec.WinogradInput(a.v[(at+r)*c.tilesX*c.In:], c.pos(c.In), a.padded[2*r*row:], row, c.tilesX, c.In)
	}
}

// output transforms the products of rows of tiles back.
func (c *Conv) output(dst []float32, a *area, y, rows, at int, bias []float32, add bool) {
	to, row := a.out, 2*c.tilesX*c.Out
	if c.whole {
		to = dst[2*y*row:]
	}
	for r := range rows {
		vec.WinogradOutput(to[2*r*row:], row, a.m[(at+r)*c.tilesX*c.Out:], c.pos(c.Out), c.tilesX, c.Out, bias, add && c.whole)
	}
	if c.whole {
		return
	}
	n := c.outW * c.Out
	for r := 0; r < 2*rows && 2*y+r < c.outH; r++ {
		line := dst[(2*y+r)*n:][:n]
		if add {
			vec.Add(line, to[r*row:])
		} else {
			copy(line, to[r*row:])
		}
	}
}

// outputGrad transforms the gradient of what rows of tiles put out.
func (c *Conv) outputGrad(a *area, ddst []float32, y, rows, at int) {
	from, row := a.out, 2*c.tilesX*c.Out
	if c.whole {
		from = ddst[2*y*row:]
	} else {
		n := c.outW * c.Out
		for r := range 2 * rows {
			line := from[r*row:][:row]
			if 2*y+r >= c.outH {
				clear(line)
				continue
			}
			copy(line, ddst[(2*y+r)*n:][:n])
			clear(line[n:])
		}
	}
	for r := range rows {
		vec.WinogradOutputGrad(a.m[(at+r)*c.tilesX*c.Out:], c.pos(c.Out), from[2*r*row:], row, c.tilesX, c.Out)
	}
}

// inputGrad transforms the gradient of the transformed input of rows of tiles back, adds the tiles where they overlap, and hands
// out the rows that no later ones reach.
func (c *Conv) inputGrad(dsrc []float32, a *area, y, rows, at int, add bool) {
	row := c.width * c.In
	for r := range rows {
		vec.WinogradInputGrad(a.grad[2*r*row:], row, a.v[(at+r)*c.tilesX*c.In:], c.pos(c.In), c.tilesX, c.In)
	}
	done := 2 * rows
	if y+rows == c.tilesY {
		done += 2
	}
	n := c.W * c.In
	for r := range done {
		k := 2*y + r - c.Pad
		if k < 0 || k >= c.H {
			continue
		}
		line, from := dsrc[k*n:(k+1)*n], a.grad[r*row+c.Pad*c.In:][:n]
		if add {
			vec.Add(line, from)
		} else {
			copy(line, from)
		}
	}
	copy(a.grad, a.grad[2*rows*row:])
	clear(a.grad[2*row:])
}

// GradLen returns how many numbers a kernel gradient takes in the layout of Backward.
func (c *Conv) GradLen() int { return values * c.sums.GradLen() }

// UnpackGrad writes a gradient in the layout of Backward in the order of the weights. It uses memory of c: one call at
// a time, and none while Pack runs.
func (c *Conv) UnpackGrad(dst, dw []float32) {
	n, each := c.In*c.Out, c.sums.GradLen()
	for k := range c.parts {
		c.sums.UnpackGrad(c.kernels[k*(n+gap):][:n], dw[k*each:(k+1)*each])
	}
	var planes [9 * block]float32
	for i := 0; i < n; i += block {
		vec.WinogradKernelGrad(planes[:], block, c.kernels[i:], n+gap, block)
		vec.Transpose(dst[9*i:], 9, planes[:], block, 9, block)
	}
}
