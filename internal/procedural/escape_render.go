package procedural

import (
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// render iterates and colors the image. It begins with every fourth point of every fourth row; where the trap draws lines
// into what is smooth, with every second, so that fine ones are not lost.
func (e *escape) render(dst *raster.Image) {
	step := 4
	if e.trapped > 0 {
		step = 2
	}
	e.survey(dst.W, step)
	e.finish(dst)
}

// finish stores the image, with light from one side on the relief of the counts.
func (e *escape) finish(dst *raster.Image) {
	if e.light > 0 {
		slope := float64(dst.W) / 12 * e.light
		e.image.shine(float32(slope*e.lx), float32(slope*e.ly))
	}
	for i, t := range e.image.tint {
		t.store(dst.Pix[4*i:][:4])
	}
}

// survey makes image n by n points evenly over the window. It begins with a grid of that step, a power of two, and goes to
// twice as fine ones; points among others that are alike are not iterated.
func (e *escape) survey(n, step int) {
	e.image.reset(n)
	e.grid(n)
	e.list = e.list[:0]
	for y := 0; y < n; y += step {
		for x := 0; x < n; x += step {
			e.list = append(e.list, spot{int16(x), int16(y)})
		}
	}
	e.color()
	for step /= 2; step > 0; step /= 2 {
		e.image.settle(2 * step)
		e.list = e.image.refine(e.list[:0], step)
		e.color()
	}
}

// color iterates and colors the points of the list.
func (e *escape) color() {
	e.visit(func(at spot, o orbit) {
		count := float32(0)
		if !o.inside {
			count = float32(o.count)
		}
		e.image.set(int(at.x), int(at.y), count, e.tint(&o))
	})
}

// grid makes what the columns and rows of n by n points add to their points, the middles of n by n squares.
func (e *escape) grid(n int) {
	e.column, e.row = e.column[:0], e.row[:0]
	for i := range n {
		u := float64(e.half * ((float64(2*i)+1)/float64(n) - 1))
		e.column = append(e.column, [2]float64{e.x + float64(u*e.cos), e.y + float64(u*e.sin)})
		e.row = append(e.row, [2]float64{float64(u * e.sin), float64(u * e.cos)})
	}
}

// spot is a point of the grid.
type spot struct{ x, y int16 }

// visit iterates the points of the list and hands on their orbits.
func (e *escape) visit(give func(at spot, o orbit)) {
	k, b := e.m.kernel(e.limit, &e.trap), &e.buffers
	for list := e.list; len(list) > 0; {
		part := list[:min(len(list), kernel.OrbitsAtOnce)]
		list = list[len(part):]
		for j, at := range part {
			c, r := &e.column[at.x], &e.row[at.y]
			b.X[j], b.Y[j], b.CX[j], b.CY[j] = e.m.start(c[0]-r[0], c[1]+r[1])
		}
		k.Iterate(b, len(part))
		for j, i := range b.Index[:len(part)] {
			give(part[i], e.m.orbit(b.Square[j], b.Near[j], b.Steps[j], e.limit))
		}
	}
}

// near is the distance from the trap as it colors.
func (o *orbit) near() float64 { return float64(ln(1+float64(40*o.trap)) * 0.27) }

// tint returns the color of an orbit, without relief.
func (e *escape) tint(o *orbit) tint {
	if o.inside {
		return e.inner.at(e.phase + o.near())
	}
	c := e.outer.at(e.phase + float64(e.turns*float64(e.ranks.rank(float32(o.count)))))
	if e.trapped > 0 {
		near := o.near()
		k := float32(e.trapped / (1 + float64(12*near)))
		c = c.times(1-k) + e.inner.at(e.phase+0.5+float64(1.5*near)).times(k)
	}
	return c
}
