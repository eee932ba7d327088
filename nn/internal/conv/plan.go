package conv

// A plan computes a target image from a source image as a set of correlations. Forward has one for every set of
// kernel taps that lie inside the source: those of pixels far from the border, near the left border and so on, so
// that nothing is spent on padding. InputGrad has as many for each position of a target pixel within the stride, as
// the kernel taps that reach it are different ones.
type plan struct {
	src, dst image
	step     int // target pixels a correlation's neighbors are apart: 1, or the stride in InputGrad
	groups   grouping
	weights  []*packing
	parts    []correlation
	bytes    int  // of the source that a chunk may read
	chunk    int  // target rows at a time
	fours    *isa // of groups of four channels: what computes as many at once as its vectors hold, or nil
	turned   int  // floats that strips need for turned rows of the source, 0 without strips
}

// A packing is some taps of a kernel, packed.
type packing struct {
	kh, kw int
	kernel []int // index into a [KH][KW] kernel of each tap, [kh][kw]
	panels []panel
	packed []float32 // of all groups
	fours  []float32 // the same of groups of four channels without the zeros in between
	size   int       // of one group
}

// An image is the size of a dense image.
type image struct{ h, w, c int }

// A correlation makes the target pixels (q*step+ty, x*step+tx) for q0 <= q < q1 and x0 <= x < x1 from the source
// pixels (q*move+sy+j, x*move+sx+i), j0 <= j < j1 and i0 <= i < i1, all of which exist. Without taps the result is
// zero.
type correlation struct {
	q0, q1, x0, x1 int
	ty, tx         int
	sy, sx         int
	move           int
	j0, j1, i0, i1 int
	weights        *packing

	taps   []tap
	kc     int
	blocks []block
	aOff   []int32 // where a pixel's reading begins, for the pixels of a chunk, from the first one's
	cOff   []int32 // where a pixel is written

	strips *isa    // what makes the part in strips, nil where tiles do
	runs   [][]run // of each block
}

// A block is a run of the terms of a correlation's sums that one call of the inner loop adds up.
type block struct {
	tap, taps int
	from, kc  int // part of a tap; all of it where taps > 1
}

// A window is a rectangle of the source image that may reach over its borders.
type window struct{ y0, y1, x0, x1 int }

func (w window) pixels() int { return (w.y1 - w.y0) * (w.x1 - w.x0) }

func (c *Conv) planForward() {
	p := &c.forward
	*p = plan{src: image{c.H, c.W, c.In}, dst: image{c.outH, c.outW, c.Out}, step: 1, groups: c.groups, bytes: chunkBytes}
	if 4*c.WeightLen() > largeWeights {
		p.bytes = largeChunk
	}
	w := &packing{kh: c.KH, kw: c.KW}
	for i := range c.KH * c.KW {
		w.kernel = append(w.kernel, i)
	}
	p.add(correlation{q1: c.outH, x1: c.outW, sy: -c.Pad, sx: -c.Pad, move: c.Stride, weights: w})
	p.prepare(c.isa, c.groups.in, c.groups.out)
}

// planBackward makes parts for every py, px below the stride: input rows y = s*q + py - Pad receive from output rows
// q - m through kernel rows py + s*m.
func (c *Conv) planBackward() {
	p := &c.backward
	*p = plan{
		src: image{c.outH, c.outW, c.Out}, dst: image{c.H, c.W, c.In}, step: c.Stride, groups: c.groups, bytes: chunkBytes,
	}
	s := c.Stride
	for py := range s {
		for px := range s {
			w := &packing{kh: max(0, ceilDiv(c.KH-py, s)), kw: max(0, ceilDiv(c.KW-px, s))}
			for j := range w.kh {
				for i := range w.kw {
					w.kernel = append(w.kernel, (py+s*(w.kh-1-j))*c.KW+px+s*(w.kw-1-i))
				}
			}
			p.add(correlation{
				q0: ceilDiv(c.Pad-py, s), q1: ceilDiv(c.H+c.Pad-py, s),
				x0: ceilDiv(c.Pad-px, s), x1: ceilDiv(c.W+c.Pad-px, s),
				ty: py - c.Pad, tx: px - c.Pad, sy: 1 - w.kh, sx: 1 - w.kw, move: 1, weights: w,
			})
		}
	}
	p.prepare(c.isa, c.groups.out, c.groups.in)
}

// add splits a correlation where the taps that lie inside the source change.
func (p *plan) add(c correlation) {
	used := false
	columns := spans(c.x0, c.x1, c.move, c.sx, c.weights.kw, p.src.w)
	for _, r := range spans(c.q0, c.q1, c.move, c.sy, c.weights.kh, p.src.h) {
		for _, s := range columns {
			c.q0, c.q1, c.j0, c.j1 = r.from, r.to, r.first, r.end
			c.x0, c.x1, c.i0, c.i1 = s.from, s.to, s.first, s.end
			p.parts = append(p.parts, c)
			used = used || !c.empty()
		}
	}
	if used {
		p.weights = append(p.weights, c.weights)
	}
}

func (c *correlation) empty() bool { return c.j0 == c.j1 || c.i0 == c.i1 }

// A span is positions from <= q < to whose taps first <= j < end lie inside.
type span struct{ from, to, first, end int }

// spans splits the positions q0 <= q < q1, whose tap j < taps reads at q*move+start+j, by which taps read at 0 <= y <
// n.
func spans(q0, q1, move, start, taps, n int) []span {
	var ss []span
	for q := q0; q < q1; q++ {
		at := q*move + start
		first := min(max(0, -at), taps)
		end := max(first, min(taps, n-at))
		if first == end {
			first, end = 0, 0
		}
		if k := len(ss) - 1; k >= 0 && ss[k].first == first && ss[k].end == end {
			ss[k].to++
		} else {
			ss = append(ss, span{q, q + 1, first, end})
		}
	}
	return ss
}

// prepare fills in all that follows from the geometry. In and out are channels of a group.
func (p *plan) prepare(isa *isa, in, out int) {
	for _, w := range p.weights {
		w.panels, w.size = splitPanels(out, w.kh*w.kw*in, isa)
	}
	if p.groups.fours && isa.fours {
		p.fours = isa
		if p.groups.n*8%isa.lanes > 0 {
			p.fours = isa.half
		}
	}
	p.chunk = p.chunkRows(p.bytes)
	for i := range p.parts {
		p.parts[i].prepare(p, in)
	}
	p.planStrips(isa)
}

// chunkBytes is how much of the source a chunk may read: it should stay in the second-level cache, 1 MiB on Zen 4,
// while all panels of weights pass over it, with the next chunk arriving and the panel in use. The sums of weights' gradients begin
// anew with every chunk of it, so that another size means other bits.
const chunkBytes = 192 << 10

// Forward's chunks may read largeChunk bytes where there are more than largeWeights bytes of weights, which do not stay in the cache
// themselves and so should pass seldom. For InputGrad it makes no difference.
const (
	largeChunk   = 1 << 20
	largeWeights = 1 << 20
)

// chunkRows is how many target rows read so many bytes of the source, a multiple of the step.
func (p *plan) chunkRows(bytes int) int {
	rows := bytes / (4 * p.src.c * p.src.w) // of the source
	for chunk := p.step; chunk < p.dst.h; chunk += p.step {
		if y0, y1 := p.reads(0, chunk+p.step); y1-y0 > rows {
			return chunk
		}
	}
	return ceilDiv(p.dst.h, p.step) * p.step
}

// reads returns the source rows for target rows y0 <= y < y1.
func (p *plan) reads(y0, y1 int) (from, to int) {
	from = p.src.h
	for i := range p.parts {
		c := &p.parts[i]
		if qa, qb := c.rows(p.step, y0, y1); !c.empty() && qa < qb {
			from = min(from, qa*c.move+c.sy+c.j0)
			to = max(to, (qb-1)*c.move+c.sy+c.j1)
		}
	}
	return from, to
}

// rows returns the q whose target rows lie in y0 <= y < y1.
func (c *correlation) rows(step, y0, y1 int) (qa, qb int) {
	return max(c.q0, ceilDiv(y0-c.ty, step)), min(c.q1, ceilDiv(y1-c.ty, step))
}

func (c *correlation) prepare(p *plan, in int) {
	if c.empty() {
		return
	}
	width, ch, kw := p.src.w, p.src.c, c.weights.kw
	for j := c.j0; j < c.j1; j++ {
		if p.groups.n == 1 { // the channels of neighboring pixels follow each other
			c.taps = append(c.taps, tap{(j*width + c.i0) * ch, (j*kw + c.i0) * ch})
			c.kc = (c.i1 - c.i0) * ch
			continue
		}
		for i := c.i0; i < c.i1; i++ {
			c.taps = append(c.taps, tap{(j*width + i) * ch, (j*kw + i) * in})
			c.kc = in
		}
	}
	// Reading begins at the first tap, as the pixel itself may lie outside the source.
	first := c.taps[0].a
	for i := range c.taps {
		c.taps[i].a -= first
	}
	c.blocks = splitTerms(len(c.taps), c.kc, maxTerms)
	rows := min(p.chunk/p.step, c.q1-c.q0)
	c.aOff, c.cOff = make([]int32, 0, rows*(c.x1-c.x0)), make([]int32, 0, rows*(c.x1-c.x0))
	for q := range rows {
		for x := range c.x1 - c.x0 {
			c.aOff = append(c.aOff, int32((q*width+x)*c.move*ch))
			c.cOff = append(c.cOff, int32((q*p.dst.w+x)*p.step*p.dst.c))
		}
	}
}

// maxTerms is about how many terms of a sum are added up in one go. Rows of the widest panel take 192 bytes, so that
// many stay in the second-level cache while all pixels of a chunk pass over them; measured, shorter sums that would
// let them stay in the first-level cache lose more by returning to the target's memory than they win.
const maxTerms = 2048

// splitTerms cuts the terms of a sum over taps times kc into blocks of at most about most.
func splitTerms(taps, kc, most int) []block {
	var bs []block
	if n := most / kc; n > 0 {
		parts := ceilDiv(taps, n)
		for i := range parts {
			t0, t1 := i*taps/parts, (i+1)*taps/parts
			bs = append(bs, block{tap: t0, taps: t1 - t0, kc: kc})
		}
		return bs
	}
	parts := ceilDiv(kc, most)
	for t := range taps {
		for i := range parts {
			k0, k1 := i*kc/parts, (i+1)*kc/parts
			bs = append(bs, block{tap: t, taps: 1, from: k0, kc: k1 - k0})
		}
	}
	return bs
}

func (p *plan) run(dst, src, bias []float32, add bool, y0, y1 int, scratch []float32) {
	for y := y0; y < y1; {
		// Chunks begin at multiples of the step, so that their size bounds the rows of every part.
		end := min(y1, y-y%p.step+p.chunk)
		next := p.nextChunk(src, y, end)
		for i := range p.parts {
			p.fill(&p.parts[i], dst, bias, add, y, end)
		}
		if p.turned > 0 {
			p.strips(dst, src, bias, add, y, end, scratch)
		}
		for _, w := range p.weights {
			if w.packed == nil {
				panic("conv: no weights were packed")
			}
			for g := 0; g < p.groups.n; g += p.together() {
				for _, pa := range w.panels { // which stays in the cache for all parts
					for i := range p.parts {
						if c := &p.parts[i]; c.weights == w && !c.empty() && c.strips == nil {
							next = p.part(c, pa, g, dst, src, bias, add, y, end, next)
						}
					}
				}
			}
		}
		y = end
	}
}

// together is how many groups one call of the inner loop does.
func (p *plan) together() int {
	if p.fours != nil {
		return p.fours.lanes / 8
	}
	return 1
}

// nextChunk returns the source rows to fetch while target rows ya <= y < yb are done: as many, from their end on.
func (p *plan) nextChunk(src []float32, ya, yb int) ahead {
	steps := 0
	for i := range p.parts {
		c := &p.parts[i]
		if qa, qb := c.rows(p.step, ya, yb); qa < qb && c.strips == nil {
			tiles := ceilDiv((qb-qa)*(c.x1-c.x0), 8)
			steps += tiles * len(c.taps) * (c.kc / 4) * len(c.weights.panels) * (p.groups.n / p.together())
		}
	}
	_, end := p.reads(ya, yb)
	row := p.src.w * p.src.c
	return aheadOf(src, end*row, 4*row*(yb-ya)*p.parts[0].move/p.step, steps)
}

// part does the columns of a panel of group g in the rows of one correlation that target rows ya <= y < yb have. It
// returns what is left to fetch.
func (p *plan) part(
	c *correlation, pa panel, g int, dst, src, bias []float32, add bool, ya, yb int, next ahead,
) ahead {
	qa, qb := c.rows(p.step, ya, yb)
	if qa >= qb {
		return next
	}
	n := (qb - qa) * (c.x1 - c.x0)
	col := g*(p.dst.c/p.groups.n) + pa.col
	first := ((qa*c.move+c.sy+c.j0)*p.src.w+c.x0*c.move+c.sx+c.i0)*p.src.c + g*(p.src.c/p.groups.n)
	target := ((qa*p.step+c.ty)*p.dst.w+c.x0*p.step+c.tx)*p.dst.c + col
	weights := c.weights.packed[g*c.weights.size+pa.off:]
	for i, b := range c.blocks {
		t := tile{
			a: src[first+b.from:], aOff: c.aOff[:n], taps: c.taps[b.tap : b.tap+b.taps], kc: b.kc,
			b: weights[b.from*pa.width:],
			c: dst[target:], cOff: c.cOff[:n], cols: pa.cols, vectors: pa.vectors, add: add || i > 0,
			ahead: next,
		}
		set := pa.isa
		if p.fours != nil {
			set, t.fours, t.b, t.cols = p.fours, true, c.weights.fours[g*c.weights.size/2:], p.fours.lanes
		}
		if i == 0 && bias != nil {
			t.bias = bias[col : col+t.cols]
		}
		runTile(set, &t)
		next = t.ahead
	}
	return next
}

// fill does the rows of a correlation that reads nothing: only the bias remains.
func (p *plan) fill(c *correlation, dst, bias []float32, add bool, ya, yb int) {
	if !c.empty() || add && bias == nil {
		return
	}
	qa, qb := c.rows(p.step, ya, yb)
	for q := qa; q < qb; q++ {
		for x := c.x0; x < c.x1; x++ {
			pixel := dst[((q*p.step+c.ty)*p.dst.w+x*p.step+c.tx)*p.dst.c:][:p.dst.c]
			if !add {
				clear(pixel)
			}
			for i, v := range bias {
				pixel[i] += v
			}
		}
	}
}

// cut copies a window of an image; what lies outside the image is zero.
func (p image) cut(dst, src []float32, w window) {
	row := (w.x1 - w.x0) * p.c
	left, right := max(0, min(-w.x0*p.c, row)), max(0, min((w.x1-p.w)*p.c, row))
	for y := w.y0; y < w.y1; y++ {
		d := dst[:row]
		dst = dst[row:]
		if y < 0 || y >= p.h || left+right >= row {
			clear(d)
			continue
		}
		clear(d[:left])
		copy(d[left:row-right], src[(y*p.w+max(w.x0, 0))*p.c:])
		clear(d[row-right:])
	}
}

// ceilDiv is the smallest whole number that is at least a/b, for positive b.
func ceilDiv(a, b int) int {
	if b == 1 { // most often, and dividing takes longer than the rest of a small layer's planning
		return a
	}
	if a > 0 {
		return (a + b - 1) / b
	}
	return -(-a / b)
}
