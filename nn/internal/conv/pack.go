package conv

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/internal/vec"
)

// Pack brings the weights, [Out][In/Groups][KH][KW] as PyTorch stores them, into the order the inner loops read. Call
// it whenever they have changed.
func (c *Conv) Pack(w []float32) {
	if len(w) != c.WeightLen() {
		panic(fmt.Sprintf("conv: Pack: %d weights, want %d", len(w), c.WeightLen()))
	}
	for _, p := range c.forward.weights {
		c.pack(p, w, false)
		p.packFours(c.forward.fours)
	}
	if c.NeedInputGrad {
		for _, p := range c.backward.weights {
			c.pack(p, w, true)
			p.packFours(c.backward.fours)
		}
	}
}

// pack fills the panels of some taps. A row is a term of the sum, tap by tap and channel by channel; a column
// is an output channel, or with flip an input channel. Places between merged groups and beyond the last column stay
// zero.
func (c *Conv) pack(p *packing, w []float32, flip bool) {
	if p.packed == nil {
		p.packed = make([]float32, c.groups.n*p.size)
	}
	depth := c.groups.in // terms a tap
	if flip {
		depth = c.groups.out
	}
	size := c.groups.out * (c.In / c.Groups) * c.KH * c.KW
	for g := range c.groups.n {
		src := w[g*size:][:size]
		for _, pa := range p.panels {
			dst := p.packed[g*p.size+pa.off:][:len(p.kernel)*depth*pa.width]
			if flip {
				c.packInputs(dst, src, p.kernel, pa)
			} else {
				c.packOutputs(dst, src, pa)
			}
		}
	}
}

// packFours takes the weights of groups of four inputs and outputs out of those of merged ones: a row is an input of each of as many
// groups as a vector holds. Without an instruction set it does nothing.
func (p *packing) packFours(set *isa) {
	if set == nil {
		return
	}
	lanes := set.lanes
	if p.fours == nil {
		p.fours = make([]float32, len(p.packed)/2)
	}
	taps := p.kh * p.kw
	for i := 0; i < len(p.fours); i += 4 {
		row, group := i/lanes, i%lanes/4
		tap, input := row/4%taps, row%4
		group += row / (4 * taps) * (lanes / 4)
		from := p.packed[group/2*p.size+(8*tap+4*(group%2)+input)*8+4*(group%2):]
		copy(p.fours[i:i+4], from)
	}
}

// packInputs fills a panel of input channels from the weights of a group: a row is a tap and an output channel.
func (c *Conv) packInputs(dst, w []float32, kernel []int, pa panel) {
	in, out, kk := c.In/c.Groups, c.Out/c.Groups, c.KH*c.KW
	for o := range c.groups.out {
		col := o/out*in - pa.col // of this output's first input
		i0, i1 := max(0, -col), min(in, pa.cols-col)
		if i0 >= i1 {
			continue
		}
		src := w[(o*in+i0)*kk : (o*in+i1)*kk]
		for j, k := range kernel {
			row := dst[(j*c.groups.out+o)*pa.width+col+i0:][:i1-i0]
			if kk == 1 {
				copy(row, src)
				continue
			}
			for i := range row {
				row[i] = src[k]
				k += kk
			}
		}
	}
}

// packOutputs fills a panel of output channels from the weights of a group: a row is a tap and an input channel.
func (c *Conv) packOutputs(dst, w []float32, pa panel) {
	in, out, kk := c.In/c.Groups, c.Out/c.Groups, c.KH*c.KW
	n := in * kk
	if kk == 1 && c.groups.merged == 1 {
		vec.Transpose(dst, pa.width, w[pa.col*n:], n, pa.cols, n)
		return
	}
	o := 0
	for ; o+4 <= pa.cols && c.groups.merged == 1; o += 4 {
		src := w[(pa.col+o)*n:][:4*n]
		s0, s1, s2, s3 := src[:n], src[n:2*n], src[2*n:3*n], src[3*n:]
		for t := range kk {
			at := t*in*pa.width + o
			for i := t; i < n; i += kk {
				d := dst[at:][:4]
				d[0], d[1], d[2], d[3] = s0[i], s1[i], s2[i], s3[i]
				at += pa.width
			}
		}
	}
	for ; o < pa.cols; o++ {
		src := w[(pa.col+o)*n:][:n]
		first := (pa.col + o) / out * in // input channel of those merged here
		for t := range kk {
			at := (t*c.groups.in+first)*pa.width + o
			for i := t; i < n; i += kk {
				dst[at] = src[i]
				at += pa.width
			}
		}
	}
}

// UnpackGrad writes a gradient in the engine's layout in the order of the weights, [Out][In/Groups][KH][KW].
func (c *Conv) UnpackGrad(dst, dw []float32) {
	if len(dst) != c.WeightLen() {
		panic(fmt.Sprintf("conv: UnpackGrad: %d weights, want %d", len(dst), c.WeightLen()))
	}
	c.mustTake(dw)
	size := len(dst) / c.groups.n
	grad := len(dw) / c.groups.n
	for g := range c.groups.n {
		for _, pa := range c.weight.panels {
			d, w := dst[g*size:][:size], dw[g*grad:][:grad]
			if c.weight.swapped {
				c.unpackInputs(d, w, pa)
			} else {
				c.unpackOutputs(d, w, pa)
			}
		}
	}
}

// unpackOutputs takes a panel whose columns are output channels; a row is an input channel, with one group of a
// column of the kernel.
func (c *Conv) unpackOutputs(dst, dw []float32, pa panel) {
	p := &c.weight
	in, out, kk := c.In/c.Groups, c.Out/c.Groups, c.KH*c.KW
	n := in * kk
	at := func(t int) int { // of the first input channel's row of kernel element t
		tap, row := t, 0
		if p.merged {
			tap, row = t/c.KW, t%c.KW*c.groups.in
		}
		return tap*p.m*p.n + p.m*pa.col + row*pa.cols
	}
	if kk == 1 && c.groups.merged == 1 {
		vec.Transpose(dst[pa.col*n:], n, dw[at(0):], pa.cols, n, pa.cols)
		return
	}
	o := 0
	for ; o+4 <= pa.cols && c.groups.merged == 1; o += 4 {
		d := dst[(pa.col+o)*n:][:4*n]
		d0, d1, d2, d3 := d[:n], d[n:2*n], d[2*n:3*n], d[3*n:]
		for t := range kk {
			src := dw[at(t)+o:]
			for i := t; i < n; i += kk {
				s := src[:4]
				d0[i], d1[i], d2[i], d3[i] = s[0], s[1], s[2], s[3]
				src = src[min(pa.cols, len(src)):]
			}
		}
	}
	for ; o < pa.cols; o++ {
		d := dst[(pa.col+o)*n:][:n]
		first := (pa.col + o) / out * in
		for t := range kk {
			j := at(t) + first*pa.cols + o
			for i := t; i < n; i += kk {
				d[i] = dw[j]
				j += pa.cols
			}
		}
	}
}

// unpackInputs takes a panel whose columns are input channels, with merged taps of all columns of the kernel; a row
// is an output channel.
func (c *Conv) unpackInputs(dst, dw []float32, pa panel) {
	p := &c.weight
	in, out, kk := c.In/c.Groups, c.Out/c.Groups, c.KH*c.KW
	for o := range c.groups.out {
		first := o / out * in
		d := dst[o*in*kk:][:in*kk]
		for tap := range p.taps {
			for j, v := range dw[tap*p.m*p.n+p.m*pa.col+o*pa.cols:][:pa.cols] {
				t, i := tap, pa.col+j
				if p.merged {
					t, i = tap*c.KW+i/c.groups.in, i%c.groups.in
				}
				if i -= first; i >= 0 && i < in {
					d[i*kk+t] = v
				}
			}
		}
	}
}
