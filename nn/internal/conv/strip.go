package conv

import "github.com/augmix-go/augmix/nn/internal/vec"

// Targets of three channels, which are images and the gradients of images, would leave five of a vector's eight lanes empty.
// Strips have neighboring pixels in the lanes instead, and sums for each channel: rows of the source are turned first, [row][channel][pixel],
// and each weight goes to all lanes. A sum has the terms of a tile's in the same order, so the bits are the same. Columns near the
// borders, whose taps are others, stay with tiles, as do a few pixels alone.

const (
	stripChannels = 3
	stripVectors  = 4 // that a strip has at once
	stripLeast    = 4 // pixels of a row that are worth a strip
	stripSlack    = 16
)

// A run is neighboring terms of a strip's sums: source channels of a tap, the first of them a floats from a vector's first pixel,
// and the row of the weights that it meets.
type run struct{ a, b, n int }

// A strip is the work of one call: vectors of pixels by three channels.
//
//	sums[j][v][l] = sum over runs, k < n of a[off[v]+run.a+k*pitch+l] * b[(run.b+k)*8+j]
//
// as one chain of fused multiply-adds in that order, which starts at zero.
type strip struct {
	a     []float32
	off   [stripVectors]int
	runs  []run
	pitch int
	b     []float32
	sums  []float32
}

// planStrips chooses the parts that strips make. Pixels that lie together in the target must do so in the source.
func (p *plan) planStrips(set *isa) {
	if p.dst.c != stripChannels || p.groups.n != 1 || !set.strips {
		return
	}
	for i := range p.parts {
		c := &p.parts[i]
		if c.empty() || c.move != 1 || c.x1-c.x0 < stripLeast {
			continue
		}
		c.strips = set
		if c.x1-c.x0 <= 8 && set.half != nil {
			c.strips = set.half
		}
		c.runs = make([][]run, len(c.blocks))
		for i, b := range c.blocks {
			c.runs[i] = c.runsOf(b, p.src)
		}
		rows := ceilDiv(p.chunk, p.step) + c.weights.kh + 1 // that a chunk reads at most
		p.turned = max(p.turned, min(rows, p.src.h)*p.src.c*p.src.w+stripSlack)
	}
}

// runsOf splits the terms of a block where the tap changes.
func (c *correlation) runsOf(b block, src image) (runs []run) {
	for t := b.tap; t < b.tap+b.taps; t++ { // a tap is a row of the kernel
		for from, end := b.from, b.from+b.kc; from < end; {
			i, channel := from/src.c, from%src.c
			n := min(src.c-channel, end-from)
			runs = append(runs, run{a: (t*src.c+channel)*src.w + i, b: c.taps[t].b + from, n: n})
			from += n
		}
	}
	return runs
}

// scratch is how many floats of working memory the plan's strips need.
func (p *plan) scratch() int {
	if p.turned == 0 {
		return 0
	}
	return p.turned + stripChannels*stripVectors*16
}

// strips makes target rows ya <= y < yb of all parts that have strips.
func (p *plan) strips(dst, src, bias []float32, add bool, ya, yb int, scratch []float32) {
	from, to := p.reads(ya, yb)
	sums, turned := scratch[:stripChannels*stripVectors*16], scratch[stripChannels*stripVectors*16:]
	size := p.src.w * p.src.c
	for y := from; y < to; y++ {
		vec.Transpose(turned[(y-from)*size:], p.src.w, src[y*size:], p.src.c, p.src.w, p.src.c)
	}
	for i := range p.parts {
		c := &p.parts[i]
		if qa, qb := c.rows(p.step, ya, yb); c.strips != nil && qa < qb {
			for k := range c.blocks {
				s := strip{
					a: turned, runs: c.runs[k], pitch: p.src.w, b: c.weights.packed[c.weights.panels[0].off:], sums: sums,
				}
				t := stripTarget{dst: dst, add: add || k > 0, step: p.step * stripChannels}
				if k == 0 {
					t.bias = bias
				}
				p.stripRows(c, &s, &t, from, qa, qb)
			}
		}
	}
}

// stripRows does a block of rows qa <= q < qb of a part; from is the first row of the source that was turned.
func (p *plan) stripRows(c *correlation, s *strip, t *stripTarget, from, qa, qb int) {
	lanes, n := c.strips.lanes, 0
	for q := qa; q < qb; q++ {
		row := (q+c.sy+c.j0-from)*p.src.c*p.src.w + c.sx + c.i0
		target := ((q*p.step+c.ty)*p.dst.w + c.tx) * p.dst.c
		for x := c.x0; x < c.x1; x += lanes {
			s.off[n] = row + x
			t.at[n], t.pixels[n] = target+x*t.step, min(lanes, c.x1-x)
			if n++; n == stripVectors {
				runStrip(c.strips, s)
				t.store(s.sums, lanes, n)
				n = 0
			}
		}
	}
	if n > 0 {
		for v := n; v < stripVectors; v++ {
			s.off[v] = s.off[0]
		}
		runStrip(c.strips, s)
		t.store(s.sums, lanes, n)
	}
}

// A stripTarget is where the sums of a strip go.
type stripTarget struct {
	dst, bias  []float32
	add        bool
	step       int // floats from a pixel to the next
	at, pixels [stripVectors]int
}

// store adds what the sums of n vectors start from, and stores them.
func (t *stripTarget) store(sums []float32, lanes, n int) {
	const size = stripVectors
	for v := range n {
		s0, s1, s2 := sums[v*lanes:][:lanes], sums[(size+v)*lanes:][:lanes], sums[(2*size+v)*lanes:][:lanes]
		d := t.dst[t.at[v]:]
		for l := range t.pixels[v] {
			x := d[l*t.step:][:stripChannels]
			a, b, c := s0[l], s1[l], s2[l]
			if t.bias != nil {
				a, b, c = a+t.bias[0], b+t.bias[1], c+t.bias[2]
			}
			if t.add {
				a, b, c = a+x[0], b+x[1], c+x[2]
			}
			x[0], x[1], x[2] = a, b, c
		}
	}
}
