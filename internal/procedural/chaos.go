package procedural

import (
	"math/bits"

	"github.com/augmix-go/augmix/rng"
)

// cell counts the visits of one pixel and adds up the colors of the visiting points: two words of two 32-bit fields,
// red and green, blue and the count. Whole numbers add up to the same in any order, so that the number of orbits that
// run side by side does not matter to the sum.
type cell struct{ rg, bn uint64 }

// maxVisits keeps the fields of a cell from overflowing: 2^32 / 255.
const maxVisits = 1 << 24

// step is a map as the chaos game applies it: float32, with what it does to the color of an orbit, an index into the
// palette: c -> keep*c + push. It is 32 bytes, half a cache line.
type step struct {
	a, b, c, d, e, f float32
	keep, push       float32
}

// ink is the palette in the form that is added to a cell.
type ink [paletteSize]cell

func (k *ink) set(p *palette) {
	for i, c := range p {
		r, g, b := uint64(byteOf(c.r)), uint64(byteOf(c.g)), uint64(byteOf(c.b))
		k[i] = cell{rg: r | g<<32, bn: b | 1<<32}
	}
}

// orbits is how many orbits of a system run side by side.
const orbits = 128

// game is a system being iterated.
type game struct {
	sel  selector
	step [maxMaps]step
	fold [maxMaps]fold // what a map does after its affine part; see flame.go
	n    int
	flat bool // no map folds

	state      uint64          // of the random numbers
	x, y       [orbits]float32 // of the orbits
	hue        [orbits]float32 // their palette indices, 0 to 255
	cx, cy     float64         // middle of the square that the image shows
	half       float64         // half of its side
	sx, ox, oy float32         // image coordinates are sx*x + ox, sx*y + oy
	drift      [2]float64      // how far the palette moves over the image's width and height, in turns
	hx, hy, h0 float32         // the same in palette indices a pixel, and at the top left corner

	group groups
}

// next returns 64 random bits: a Weyl sequence through a multiplication whose halves are folded. It serves the choice
// of maps only, seeded from a keyed stream; 10^7 numbers of it are far from exhausting its 2^64.
func (g *game) next() uint64 {
	g.state += 0xA0761D6478BD642F
	return mum(g.state)
}

func mum(s uint64) uint64 {
	hi, lo := bits.Mul64(s, s^0xE7037ED1A0B428DB)
	return hi ^ lo
}

const selectorMask = 1<<selectorBits - 1

// seedOrbits starts the orbits at random points and lets them come to the attractor.
func (g *game) seedOrbits(r *rng.Rand) {
	g.state = r.Uint64()
	for k := range g.x {
		g.x[k], g.y[k] = float32(r.Uniform(-1, 1)), float32(r.Uniform(-1, 1))
		g.hue[k] = float32(r.Uniform(0, paletteSize-1))
	}
	for range 24 {
		g.round()
	}
}

// sample writes points of the attractor, a multiple of the number of orbits.
func (g *game) sample(dst [][2]float32) {
	for i := 0; i+orbits <= len(dst); i += orbits {
		g.round()
		for k := range g.x {
			dst[i+k] = [2]float32{g.x[k], g.y[k]}
		}
	}
}

// frameTo makes the square that the image shows side pixels wide.
func (g *game) frameTo(side int) {
	s := float64(side) / (2 * g.half)
	g.sx = float32(s)
	g.ox = float32(float64(g.half-g.cx) * s)
	g.oy = float32(float64(g.half-g.cy) * s)
	const turn = paletteSize - 1
	g.hx, g.hy = float32(turn*g.drift[0]/float64(side)), float32(turn*g.drift[1]/float64(side))
	g.h0 = float32(turn * (max(0, -g.drift[0]) + max(0, -g.drift[1])))
}

// play adds n points, rounded up to full rounds, to the cells of a side by side image.
func (g *game) play(cells []cell, side, n int, k *ink) {
	if g.flat {
		g.playFlat(cells, side, (n+3)/4, k)
		return
	}
	s := float32(side)
	for range (n + orbits - 1) / orbits {
		g.round()
		for o := range g.x {
			x := float32(g.sx*g.x[o]) + g.ox
			y := float32(g.sx*g.y[o]) + g.oy
			if x >= 0 && x < s && y >= 0 && y < s {
				g.put(cells, side, x, y, g.hue[o], k)
			}
		}
	}
}

// put counts a point within the image. Its color comes from its orbit and, where the palette drifts, from
// its position; both are never negative, so that the conversion to an index is defined.
func (g *game) put(cells []cell, side int, x, y, hue float32, k *ink) {
	h := hue + (float32(g.hx*x) + float32(g.hy*y) + g.h0)
	p := &k[uint8(int32(h))]
	if i := int(int32(y))*side + int(int32(x)); uint(i) < uint(len(cells)) {
		c := &cells[i]
		c.rg += p.rg
		c.bn += p.bn
	}
}

// playFlat is play for maps without folds. The maps are conjugated to image coordinates, which saves the projection,
// and four orbits, independent of each other, live in registers, so that the additions and multiplications of one run
// while those of another wait.
func (g *game) playFlat(cells []cell, side, rounds int, k *ink) {
	var t [32]step // a power of two, so that masked indices need no check
	for i := range g.n {
		t[i] = g.conjugate(&g.step[i])
	}
	sel := &g.sel
	s := float32(side)
	x0, y0, c0 := g.image(0)
	x1, y1, c1 := g.image(1)
	x2, y2, c2 := g.image(2)
	x3, y3, c3 := g.image(3)
	state := g.state
	for range rounds {
		state += 0xA0761D6478BD642F
		w := mum(state)

		m := &t[sel[w&selectorMask]&31]
		x0, y0 = float32(m.a*x0)+float32(m.b*y0)+m.e, float32(m.c*x0)+float32(m.d*y0)+m.f
		c0 = float32(m.keep*c0) + m.push
		m = &t[sel[w>>selectorBits&selectorMask]&31]
		x1, y1 = float32(m.a*x1)+float32(m.b*y1)+m.e, float32(m.c*x1)+float32(m.d*y1)+m.f
		c1 = float32(m.keep*c1) + m.push
		m = &t[sel[w>>(2*selectorBits)&selectorMask]&31]
		x2, y2 = float32(m.a*x2)+float32(m.b*y2)+m.e, float32(m.c*x2)+float32(m.d*y2)+m.f
		c2 = float32(m.keep*c2) + m.push
		m = &t[sel[w>>(3*selectorBits)&selectorMask]&31]
		x3, y3 = float32(m.a*x3)+float32(m.b*y3)+m.e, float32(m.c*x3)+float32(m.d*y3)+m.f
		c3 = float32(m.keep*c3) + m.push

		if x0 >= 0 && x0 < s && y0 >= 0 && y0 < s {
			g.put(cells, side, x0, y0, c0, k)
		}
		if x1 >= 0 && x1 < s && y1 >= 0 && y1 < s {
			g.put(cells, side, x1, y1, c1, k)
		}
		if x2 >= 0 && x2 < s && y2 >= 0 && y2 < s {
			g.put(cells, side, x2, y2, c2, k)
		}
		if x3 >= 0 && x3 < s && y3 >= 0 && y3 < s {
			g.put(cells, side, x3, y3, c3, k)
		}
	}
	g.state = state
	// The orbits stay where they were: any point of the attractor is as good a start as another.
}

// conjugate returns the map in image coordinates: q = s p + o, so A q + (s t + o - A o).
func (g *game) conjugate(m *step) step {
	s, ox, oy := float64(g.sx), float64(g.ox), float64(g.oy)
	a, b, c, d := float64(m.a), float64(m.b), float64(m.c), float64(m.d)
	q := *m
	q.e = float32(float64(s*float64(m.e)) + ox - float64(a*ox) - float64(b*oy))
	q.f = float32(float64(s*float64(m.f)) + oy - float64(c*ox) - float64(d*oy))
	return q
}

func (g *game) image(k int) (x, y, hue float32) {
	return float32(g.sx*g.x[k]) + g.ox, float32(g.sx*g.y[k]) + g.oy, g.hue[k]
}
