package conv

import "fmt"

// A weightPlan computes the gradient of the weights: for every tap a matrix of input channels by output channels that
// is a sum of outer products over the output pixels whose tap lies inside the input. Which of the two runs along the
// vectors is chosen by what wastes less.
//
// Inputs of few channels are different: a tap is then a row of the kernel, as the channels of the kernel's columns
// follow each other in memory, and it is summed over all pixels, for which the input is copied with zeros around.
//
// The engine's layout is [groups][taps][panels of columns][rows][columns of the panel], so that an inner loop writes
// neighboring memory.
type weightPlan struct {
	src     image
	merged  bool // a tap is a row of the kernel
	chunk   int  // output rows at a time
	images  int  // whole images at a time, where they are small
	set     int  // chunks that are done together
	scratch int

	swapped bool // rows are output channels and columns are input channels
	taps    int
	m, n    int // rows and columns of a tap's matrix
	panels  []panel
	calls   int // times that an inner loop goes over every pixel
	pack    int // floats of scratch an image's chunk for a panel of the gradient, 0 where it is read in place
	packIn  int // the same for the input of a 1x1 kernel
}

// chunkPixels is about how many output pixels are summed before the sums go back to memory: few enough to stay in the
// second-level cache while all parts of the matrix pass over them.
const chunkPixels = 256

// A set of chunks is done together, a block of setRows rows of the matrix after the other: a block's sums stay in the first-level
// cache while each chunk in turn adds to them, and a large matrix goes through memory once a set. The order of sums is that
// of the chunks.
const (
	maxSet  = 8
	setRows = 48
)

// batchBytes bounds what is read of the input when small images are summed together, for the same reason.
const batchBytes = 512 << 10

// mergeBelow is the number of input channels below which a row of the kernel is one tap.
const mergeBelow = 16

func (c *Conv) planWeight() {
	p := weightPlan{
		src: image{c.H, c.W, c.In}, images: 1, taps: c.KH * c.KW, m: c.groups.in, n: c.groups.out,
	}
	if c.groups.n == 1 && c.In < mergeBelow && c.KW > 1 {
		p.merged, p.taps, p.m = true, c.KH, c.KW*c.In
	}
	if c.cost(p.n, p.m) < c.cost(p.m, p.n) {
		p.swapped, p.m, p.n = true, p.n, p.m
	}
	p.panels, _ = splitPanels(p.n, 1, c.isa)
	for _, pa := range p.panels {
		p.calls += c.groups.n * p.taps * ceilDiv(p.m, 24/max(2, pa.vectors))
	}
	p.chunk = min(c.forward.chunkRows(chunkBytes), ceilDiv(chunkPixels, c.outW), c.outH)
	if p.chunk == c.outH {
		p.images = max(1, min(ceilDiv(chunkPixels, c.outH*c.outW), batchBytes/(4*c.outH*c.outW*c.In)))
	}
	p.set = 1
	if p.chunk == c.outH && !p.merged { // larger images would not stay in the second-level cache
		p.set = max(1, min(chunkPixels/(p.chunk*c.outW), maxSet))
	}
	if p.merged {
		p.scratch = p.images * c.inputWindow(0, p.chunk).pixels() * c.In
	}
	pixels := p.chunk * c.outW
	if !p.swapped && p.taps*p.m >= packRows {
		p.pack = pixels * c.isa.lanes * c.isa.vectors
	}
	if c.KH*c.KW == 1 && c.Pad == 0 && c.groups.n == 1 && !p.swapped && p.n >= packPanels*c.isa.lanes*c.isa.vectors {
		p.packIn = pixels * (c.In + inGap)
	}
	p.scratch += max(p.set, p.images) * (p.pack + p.packIn)
	c.weight = p
}

// inputWindow is what output rows y0 <= y < y1 read, padding included.
func (c *Conv) inputWindow(y0, y1 int) window {
	return window{
		y0: y0*c.Stride - c.Pad, y1: (y1-1)*c.Stride - c.Pad + c.KH,
		x0: -c.Pad, x1: (c.outW-1)*c.Stride - c.Pad + c.KW,
	}
}

// cost is the work of a tap's matrix in lanes of vectors, with reading the vectors.
func (c *Conv) cost(rows, cols int) int {
	_, width := splitPanels(cols, 1, c.isa)
	return width * (rows + ceilDiv(rows, 8))
}

// GradLen returns how many numbers a weight gradient takes in the engine's layout, see WeightGrad.
func (c *Conv) GradLen() int { return c.groups.n * c.weight.taps * c.weight.m * c.weight.n }

// WeightGrad adds to dw the part that output rows y0 <= y < y1 of an image have in the loss's gradient with respect
// to the weights: from the input src, [H][W][In], and the gradient with respect to the output, ddst,
// [OutH][OutW][Out]. dw has GradLen numbers in a layout of the engine's own, which is linear in the gradient, so that
// gradients of several workers can be added before UnpackGrad. Unlike rows of Forward, the same rows in other pieces
// may round differently.
func (c *Conv) WeightGrad(dw, src, ddst []float32, y0, y1 int, scratch []float32) {
	c.mustHold("WeightGrad", ddst, c.outH*c.outW*c.Out, src, c.H*c.W*c.In)
	c.mustCover("WeightGrad", y0, y1, c.outH, scratch)
	c.mustTake(dw)
	c.weightRows(dw, src, ddst, 1, y0, y1, scratch)
}

// WeightGradBatch is WeightGrad for all rows of n images that follow each other: src is [n][H][W][In], ddst is
// [n][OutH][OutW][Out]. For small images it is faster than n calls of WeightGrad, which it may differ from by
// rounding.
func (c *Conv) WeightGradBatch(dw, src, ddst []float32, n int, scratch []float32) {
	size, grad := c.H*c.W*c.In, c.outH*c.outW*c.Out
	c.mustHold("WeightGradBatch", ddst, n*grad, src, n*size)
	c.mustCover("WeightGradBatch", 0, c.outH, c.outH, scratch)
	c.mustTake(dw)
	for i := 0; i < n; i += c.weight.images {
		end := min(i+c.weight.images, n)
		c.weightRows(dw, src[i*size:end*size], ddst[i*grad:end*grad], end-i, 0, c.outH, scratch)
	}
}

func (c *Conv) mustTake(dw []float32) {
	if len(dw) != c.GradLen() {
		panic(fmt.Sprintf("conv: weight gradient of %d numbers, want %d", len(dw), c.GradLen()))
	}
}

// WeightGradEach adds to dw what n calls of WeightGrad for whole images that follow each other add, with the same bits. It
// takes less time where the gradient is large and the images are small.
func (c *Conv) WeightGradEach(dw, src, ddst []float32, n int, scratch []float32) {
	size, grad := c.H*c.W*c.In, c.outH*c.outW*c.Out
	c.mustHold("WeightGradEach", ddst, n*grad, src, n*size)
	c.mustCover("WeightGradEach", 0, c.outH, c.outH, scratch)
	c.mustTake(dw)
	var set weightSet
	for i := range n {
		c.addRows(dw, &set, weightChunk{from: src[i*size:], ddst: ddst[i*grad:], n: 1, yb: c.outH}, scratch)
	}
	c.weightSet(dw, &set)
}

// weightRows does some output rows of n images, all rows where n > 1.
func (c *Conv) weightRows(dw, src, ddst []float32, n, y0, y1 int, scratch []float32) {
	var set weightSet
	c.addRows(dw, &set, weightChunk{from: src, ddst: ddst, n: n, ya: y0, yb: y1}, scratch)
	c.weightSet(dw, &set)
}

// A weightChunk is output rows ya <= y < yb of n images and the window of the inputs that they read.
type weightChunk struct {
	from         []float32 // windows of the inputs
	win          window
	ddst         []float32 // whole images
	n, ya, yb    int
	pack, packIn []float32 // working memory
}

// A weightSet is chunks that are done together.
type weightSet struct {
	chunks         [maxSet]weightChunk
	n              int
	ahead1, ahead2 ahead // the next chunk's input and gradient
}

// addRows adds the chunks of some rows to a set, and does it whenever it is full.
func (c *Conv) addRows(dw []float32, set *weightSet, rows weightChunk, scratch []float32) {
	p := &c.weight
	for y := rows.ya; y < rows.yb; y += p.chunk {
		if set.n == p.set {
			c.weightSet(dw, set)
		}
		k := &set.chunks[set.n]
		*k = rows
		k.win, k.ya, k.yb = window{0, c.H, 0, c.W}, y, min(y+p.chunk, rows.yb)
		work := scratch[set.n*(p.pack+p.packIn):]
		k.pack, k.packIn = work[:k.n*p.pack], work[k.n*p.pack:][:k.n*p.packIn]
		if p.merged {
			k.win = c.inputWindow(k.ya, k.yb)
			size := k.win.pixels() * c.In
			k.from = work[k.n*(p.pack+p.packIn):][:k.n*size]
			for i := range k.n {
				p.src.cut(k.from[i*size:(i+1)*size], rows.from[i*c.H*c.W*c.In:], k.win)
			}
		}
		set.n++
		c.weightAhead(set, rows.from)
	}
}

// weightAhead plans what to fetch meanwhile: as many rows as are in the set, from the end of its last chunk on.
func (c *Conv) weightAhead(set *weightSet, src []float32) {
	rows := 0
	for i := range set.n {
		rows += set.chunks[i].yb - set.chunks[i].ya
	}
	k := &set.chunks[set.n-1]
	passes := k.n * rows * c.outW * c.weight.calls
	in, out := c.Stride*c.W*c.In, c.outW*c.Out
	bytes := 4 * k.n * rows * in
	if c.Stride > c.KH {
		bytes = 0 // most of it would not be read
	}
	set.ahead1 = aheadOf(src, (k.n-1)*c.H*c.W*c.In+k.yb*in, bytes, passes)
	set.ahead2 = aheadOf(k.ddst, ((k.n-1)*c.outH+k.yb)*out, 4*k.n*rows*out, passes)
}

// weightSet adds what a set has in the gradient, and empties it.
func (c *Conv) weightSet(dw []float32, set *weightSet) {
	p := &c.weight
	chunks := set.chunks[:set.n]
	if len(chunks) == 0 {
		return
	}
	if p.packIn > 0 {
		for i := range chunks {
			k := &chunks[i]
			all := outer{n: c.outW, rows: k.yb - k.ya, images: k.n}
			packPixels(k.packIn, k.from[k.ya*c.Stride*c.W*c.In:], &all, c.inputSteps(c.W, c.H), c.In, c.In+inGap)
		}
	}
	rows := p.m
	if len(chunks) > 1 {
		rows = setRows
	}
	for g := range c.groups.n {
		for _, pa := range p.panels {
			if p.pack > 0 {
				c.packGrads(chunks, g, pa)
			}
			for t := range p.taps {
				for r := 0; r < p.m; r += rows {
					to := min(r+rows, p.m)
					part := dw[(g*p.taps+t)*p.m*p.n+p.m*pa.col+r*pa.cols:][:(to-r)*pa.cols]
					for i := range chunks {
						c.weightTap(part, set, &chunks[i], pa, g, t, r, to)
					}
				}
			}
		}
	}
	set.n = 0
}

// packGrads copies what chunks have in a panel of the gradient.
func (c *Conv) packGrads(chunks []weightChunk, g int, pa panel) {
	for i := range chunks {
		k := &chunks[i]
		all := outer{n: c.outW, rows: k.yb - k.ya, images: k.n}
		packPixels(k.pack, k.ddst[k.ya*c.outW*c.Out+g*c.groups.out+pa.col:], &all, c.outputSteps(), pa.cols, pa.width)
	}
}

func (c *Conv) inputSteps(width, height int) steps {
	return steps{c.Stride * c.In, c.Stride * width * c.In, height * width * c.In}
}

func (c *Conv) outputSteps() steps { return steps{c.Out, c.outW * c.Out, c.outH * c.outW * c.Out} }

// weightTap adds what a chunk has in rows r0 <= r < r1 of a panel of a tap's matrix.
func (c *Conv) weightTap(dw []float32, set *weightSet, k *weightChunk, pa panel, g, t, r0, r1 int) {
	p := &c.weight
	ky, kx := t/c.KW, t%c.KW
	ya, yb, xa, xb := k.ya, k.yb, 0, c.outW
	if p.merged {
		ky, kx = t, 0
	} else { // the pixels whose tap lies inside
		ya, yb = max(ya, ceilDiv(c.Pad-ky, c.Stride)), min(yb, ceilDiv(c.H+c.Pad-ky, c.Stride))
		xa, xb = max(xa, ceilDiv(c.Pad-kx, c.Stride)), min(xb, ceilDiv(c.W+c.Pad-kx, c.Stride))
	}
	if ya >= yb || xa >= xb {
		return
	}
	width := k.win.x1 - k.win.x0
	first := ((ya*c.Stride+ky-c.Pad-k.win.y0)*width + xa*c.Stride + kx - c.Pad - k.win.x0) * c.In
	in, from := c.inputSteps(width, k.win.y1-k.win.y0), k.from
	out, grad := c.outputSteps(), k.ddst[(ya*c.outW+xa)*c.Out+g*c.groups.out:]
	chunk := outer{n: c.outW, rows: k.yb - k.ya}
	if p.packIn > 0 {
		in, from, first = chunk.closely(c.In+inGap), k.packIn, 0
	}
	from = from[first+g*c.groups.in:]
	o := outer{
		n: xb - xa, rows: yb - ya, images: k.n, m: r1 - r0, ldc: pa.cols, c: dw, cols: pa.cols, vectors: pa.vectors,
		aheadA: set.ahead1, aheadB: set.ahead2,
	}
	switch {
	case p.swapped:
		o.a, o.b = grad, from[pa.col:]
		o.setSteps(out, in)
	case p.pack > 0:
		o.a, o.b = from, k.pack[((ya-k.ya)*c.outW+xa)*pa.width:]
		o.setSteps(in, chunk.closely(pa.width))
	default:
		o.a, o.b = from, grad[pa.col:]
		o.setSteps(in, out)
	}
	o.a = o.a[r0:]
	runOuter(pa.isa, &o)
	set.ahead1, set.ahead2 = o.aheadA, o.aheadB
}

// closely is the steps of pixels that follow each other every pitch floats.
func (o *outer) closely(pitch int) steps { return steps{pitch, o.n * pitch, o.rows * o.n * pitch} }

// packRows is how many rows of weights have to use a panel of the gradient before it is worth copying, packPanels
// how many panels have to use the input, measured with AVX2 and AVX-512. Copies lie closely: pixels whose distance is a
// large power of two would push each other out of the caches, and each needs a page. For the same reason pixels of the
// input are copied with inGap floats between.
const (
	packRows   = 512
	packPanels = 5
	inGap      = 16
)

// packPixels copies some floats of every pixel that o goes over to every pitch floats of dst.
func packPixels(dst, src []float32, o *outer, from steps, floats, pitch int) {
	for p := range o.images {
		for y := range o.rows {
			at := p*from.image + y*from.row
			for range o.n {
				copy(dst[:floats], src[at:])
				dst = dst[pitch:]
				at += from.pixel
			}
		}
	}
}

// setSteps takes rows and images that follow each other without a gap as one row.
func (o *outer) setSteps(a, b steps) {
	if a.row == o.n*a.pixel && b.row == o.n*b.pixel {
		o.n, o.rows = o.n*o.rows, 1
		a.row, b.row = a.image, b.image
		if a.image == o.n*a.pixel && b.image == o.n*b.pixel {
			o.n, o.images = o.n*o.images, 1
		}
	}
	o.aStep, o.aRow, o.aPic = a.pixel, a.row, a.image
	o.bStep, o.bRow, o.bPic = b.pixel, b.row, b.image
}

// steps is how far apart in memory neighboring pixels, the rows and the images are that a sum goes over.
type steps struct{ pixel, row, image int }
