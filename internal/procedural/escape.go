package procedural

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The maps that are iterated, z -> f(z) + c.
const (
	mapPower   = iota // z^d: Mandelbrot's for d = 2, Multibrots above
	mapShip           // (|x| + i|y|)^d: the burning ship
	mapTricorn        // conj(z)^d
	mapCeltic         // |Re z^2| + i Im z^2
	mapCount
)

// maxDegree is the highest power of z.
const maxDegree = 6

// escapeMap is one dynamical system: which map, which degree, and whether the image is of starting points (a Julia
// set) or of parameters c.
type escapeMap struct {
	kind   int
	degree int
	julia  bool
	cx, cy float64
}

// orbit is the result of the iteration of one point.
type orbit struct {
	count  float64 // smooth number of steps to escape; the limit inside
	trap   float64 // least distance of the orbit from the trap, as trap measures it
	inside bool
}

// kernel returns the map as package kernel iterates it. t is the trap.
func (m *escapeMap) kernel(limit int, t *trap) kernel.EscapeMap {
	const all, noSign = 1<<64 - 1, 1<<63 - 1
	k := kernel.EscapeMap{
		AndX: all, AndY: all, AndU: all, Degree: int64(m.degree), Limit: int64(limit),
		X: t.x, Y: t.y, R2: t.r2, Sin: t.sin, Cos: t.cos,
	}
	if t.cross {
		k.Cross = 1
	}
	switch m.kind {
	case mapShip:
		k.AndX, k.AndY = noSign, noSign
	case mapTricorn:
		k.FlipY = 1 << 63
	case mapCeltic:
		k.AndU = noSign
	}
	return k
}

// start returns the first point of the orbit of a point of the image, and c.
func (m *escapeMap) start(px, py float64) (x, y, cx, cy float64) {
	if m.julia {
		return px, py, m.cx, m.cy
	}
	return 0, 0, px, py
}

// orbit makes the result of where an orbit ended.
func (m *escapeMap) orbit(x, y, near, steps float64, limit int) orbit {
	r2 := float64(x*x) + float64(y*y)
	if !(r2 > kernel.EscapeRadius2) {
		return orbit{count: float64(limit), trap: near, inside: true}
	}
	// n + 1 - log_d(log|z| / log R): the usual smooth count.
	l := detmath.Log(r2) / logRadius2
	return orbit{count: steps + 1 - detmath.Log(l)/logDegree[m.degree], trap: near}
}

var (
	logRadius2 = detmath.Log(kernel.EscapeRadius2)
	logDegree  = func() (t [maxDegree + 1]float64) {
		for d := range t {
			t[d] = detmath.Log(float64(d))
		}
		return t
	}()
)

// run iterates from one point, at most limit times. t is the position of the trap.
func (m *escapeMap) run(px, py float64, limit int, t *trap) orbit {
	k := m.kernel(limit, t)
	x, y, near, steps := k.Orbit(m.start(px, py))
	return m.orbit(x, y, near, steps, limit)
}

// trap is a shape that orbits are measured by (Pickover stalks and their kin): a cross of two lines, or a circle, whose
// radius may be 0. Distances are squares, or differences of squares.
type trap struct {
	cross    bool
	x, y, r2 float64
	sin, cos float64
}

func (t *trap) draw(r *rng.Rand) {
	a := r.Uniform(0, 2*math.Pi)
	*t = trap{
		x: r.Uniform(-0.7, 0.7), y: r.Uniform(-0.7, 0.7),
		sin: detmath.Sin(a), cos: detmath.Cos(a),
	}
	radius := r.Uniform(0.2, 1)
	switch r.IntN(3) {
	case 0:
		t.cross = true
	case 1:
		t.r2 = float64(radius * radius)
	}
}

// escape is the kind of that name.
type escape struct {
	m           escapeMap
	trap        trap
	limit       int
	x, y        float64 // middle of the image
	half        float64 // half its side
	sin, cos    float64 // its rotation
	pal         palette
	inner       palette
	phase       float64
	turns       float64     // how often the palette goes round over the image's counts
	trapped     float64     // how much the trap colors
	light       float64     // strength of the relief
	lx, ly      float64     // direction of the light
	levels      [65]float64 // logarithms of counts that divide those of the probe evenly
	orbits      []orbit
	probe, two  probe
	probes      [probeSide * probeSide]orbit
	counts      [probeSide * probeSide]float64 // logarithms
	tries       int                            // windows looked at for this image
	logs        []float64
	column, row [][2]float64 // what a column and a row add to a point
	buffers     orbitBuffers
}

// escapeTries bounds the search for a window.
const escapeTries = 80

func (e *escape) paint(dst *raster.Image, r *rng.Rand) {
	e.look(r)
	best, merit := *r, -1.0
	for try := range escapeTries + 1 {
		if try == escapeTries {
			*r = best // the best of the rejected again
		}
		begin := *r
		e.tries = try + 1
		e.choose(r)
		if try < escapeTries && !e.glance() {
			continue
		}
		q, s := e.measure()
		if q.good() && s.good() {
			break
		}
		if v := q.merit() + s.merit(); v > merit {
			best, merit = begin, v
		}
	}
	e.render(dst)
}

// look draws what does not depend on the window: the palettes and how they are laid on.
func (e *escape) look(r *rng.Rand) {
	hue := r.Float64()
	e.pal.draw(r, hue, full)
	e.inner.draw(r, hue+r.Uniform(0.3, 0.7), tones{0.05, 0.5, 0.03, 0.18})
	e.phase, e.turns = r.Float64(), r.Uniform(0.7, 2.2)
	e.trapped = 0
	if r.Float64() < 0.55 {
		e.trapped = r.Uniform(0.2, 0.9)
	}
	e.light = 0
	if r.Float64() < 0.6 {
		e.light = r.Uniform(0.3, 0.9)
	}
	a := r.Uniform(0, 2*math.Pi)
	e.lx, e.ly = detmath.Cos(a), detmath.Sin(a)
	e.trap.draw(r)
}

// choose draws a system and a window on the boundary of its set.
func (e *escape) choose(r *rng.Rand) {
	e.m = escapeMap{degree: 2}
	switch u := r.Float64(); {
	case u < 0.5:
		e.m.kind = mapPower
		if r.Float64() < 0.4 {
			e.m.degree = 3 + r.IntN(maxDegree-2)
		}
	case u < 0.72:
		e.m.kind = mapShip
		if r.Float64() < 0.3 {
			e.m.degree = 3
		}
	case u < 0.86:
		e.m.kind = mapTricorn
		if r.Float64() < 0.3 {
			e.m.degree = 3
		}
	default:
		e.m.kind = mapCeltic
	}
	depth := r.Uniform(0.2, 3.5) // decimal digits of magnification
	if r.Float64() < 0.5 {
		// A parameter near the boundary of the parameter set has a Julia set that is neither full nor dust.
		e.m.cx, e.m.cy = e.boundary(r)
		e.m.julia = true
		depth = r.Uniform(0, 2.2)
	}
	e.x, e.y = e.boundary(r)
	e.half = 1.3 * detmath.Exp(-depth*math.Ln10)
	e.x += float64(e.half * r.Uniform(-0.4, 0.4))
	e.y += float64(e.half * r.Uniform(-0.4, 0.4))
	a := r.Uniform(0, 2*math.Pi)
	e.sin, e.cos = detmath.Sin(a), detmath.Cos(a)
	e.limit = 120 + int(160*depth)
}

// boundary finds a point between escape and not: it bisects between a point that escapes fast and one that does
// not, until it is short.
func (e *escape) boundary(r *rng.Rand) (x, y float64) {
	slow := func(x, y float64) bool { return e.m.run(x, y, 300, &e.trap).count >= 60 }
	for range 40 {
		x, y = r.Uniform(-1.6, 1.6), r.Uniform(-1.6, 1.6)
		if slow(x, y) {
			break
		}
	}
	a := r.Uniform(0, 2*math.Pi)
	fx, fy := x+float64(3*detmath.Cos(a)), y+float64(3*detmath.Sin(a))
	for range 30 {
		mx, my := (x+fx)/2, (y+fy)/2
		if slow(mx, my) {
			x, y = mx, my
		} else {
			fx, fy = mx, my
		}
	}
	return x, y
}

// iterate makes dst the orbits of n by n points evenly over the image, row by row, of which it takes the middles of n by n
// squares.
func (e *escape) iterate(dst []orbit, n int) {
	k := e.m.kernel(e.limit, &e.trap)
	e.grid(n)
	column, row := 0, 0
	for i := 0; i < len(dst); i += orbitsAtOnce {
		part := dst[i:min(i+orbitsAtOnce, len(dst))]
		o := e.buffers.first(len(part))
		for j := range part {
			c, r := &e.column[column], &e.row[row]
			o.X[j], o.Y[j], o.CX[j], o.CY[j] = e.m.start(c[0]-r[0], c[1]+r[1])
			if column++; column == n {
				column, row = 0, row+1
			}
		}
		k.Iterate(&o)
		for j := range part {
			part[j] = e.m.orbit(o.X[j], o.Y[j], o.Near[j], o.Steps[j], e.limit)
		}
	}
}

// grid makes what the columns and rows of n by n points add to their points.
func (e *escape) grid(n int) {
	e.column, e.row = e.column[:0], e.row[:0]
	for i := range n {
		u := float64(e.half * ((float64(2*i)+1)/float64(n) - 1))
		e.column = append(e.column, [2]float64{e.x + float64(u*e.cos), e.y + float64(u*e.sin)})
		e.row = append(e.row, [2]float64{float64(u * e.sin), float64(u * e.cos)})
	}
}

// orbitsAtOnce is how many orbits package kernel gets together: about as many as the second cache holds.
const orbitsAtOnce = 4096

type orbitBuffers [6][orbitsAtOnce]float64

func (b *orbitBuffers) first(n int) kernel.Orbits {
	return kernel.Orbits{X: b[0][:n], Y: b[1][:n], CX: b[2][:n], CY: b[3][:n], Near: b[4][:n], Steps: b[5][:n]}
}

// measure iterates the probe, lays the palette on by its counts, and says how far the edge reaches and what structure
// the brightness of the colors has.
func (e *escape) measure() (reach, structure) {
	e.logs = e.logs[:0]
	e.iterate(e.probes[:], probeSide)
	for i, o := range e.probes {
		e.counts[i] = detmath.Log(max(o.count, 0.1))
		if !o.inside {
			e.logs = append(e.logs, e.counts[i])
		}
	}
	q := edges(&e.probes, &e.counts)
	if len(e.logs) == 0 {
		e.logs = append(e.logs, 0)
	}
	slices.Sort(e.logs)
	for k := range e.levels {
		e.levels[k] = e.logs[k*(len(e.logs)-1)/(len(e.levels)-1)]
	}
	for i := range e.probes {
		l := e.color(&e.probes[i]).luma()
		e.probe[i], e.two[i] = l, l
	}
	return q, measure(&e.probe, &e.two)
}

// rank returns the share of the probe's points that escape before a count given by its logarithm. Laying the palette on
// by rank gives every image all of its colors, and lets them come to rest near the set, where counts grow without
// bound and any other law ends in noise.
func (e *escape) rank(l float64) float64 {
	const last = len(e.levels) - 1
	k := 0 // how many levels are below l
	for step := 64; step > 0; step /= 2 {
		if at := k + step; at <= len(e.levels) && e.levels[at-1] < l {
			k = at
		}
	}
	switch {
	case k == 0:
		return 0
	case k > last:
		return 1
	}
	a, b := e.levels[k-1], e.levels[k]
	return (float64(k-1) + (l-a)/max(b-a, 1e-9)) / float64(last)
}

// reach is what the criterion of this kind measures besides the structure of its colors: how far the edge of the
// set reaches into the image. Smooth bands are found everywhere and have nothing to show but their palette; where all
// is edge, counts are as good as random and look like sand.
type reach struct {
	rough  float64 // share of the probe's points whose count is unlike those around it
	blocks int     // how many of 16 blocks hold a twentieth of such points or more
	sand   int     // how many of 16 blocks hold three quarters or more
}

func (q reach) good() bool { return q.rough >= 0.1 && q.rough <= 0.5 && q.blocks >= 9 && q.sand <= 1 }

func (q reach) merit() float64 {
	return min(q.rough/0.1, float64(q.blocks)/9, (1-q.rough)/0.5, float64(17-q.sand)/16)
}

// edges measures the reach. Counts are unlike when their logarithms differ by a tenth or when one point is inside.
func edges(probes *[probeSide * probeSide]orbit, logs *[probeSide * probeSide]float64) reach {
	var blocks [16]int
	n := 0
	for y := 1; y < probeSide; y++ {
		for x := 1; x < probeSide; x++ {
			i := y*probeSide + x
			for _, j := range [2]int{i - 1, i - probeSide} {
				if probes[i].inside != probes[j].inside || math.Abs(logs[i]-logs[j]) > 0.1 {
					n++
					blocks[y/16*4+x/16]++
					break
				}
			}
		}
	}
	q := reach{rough: float64(n) / float64(len(probes))}
	for _, b := range blocks {
		if b >= 16*16/20 {
			q.blocks++
		}
		if b >= 16*16*3/4 {
			q.sand++
		}
	}
	return q
}

// glance is a first look at every fourth row and column of the probe: whether anything but smooth bands can be there.
func (e *escape) glance() bool {
	const n = probeSide / 4
	var last [n]float64
	unlike := 0
	orbits := e.probes[:n*n] // measure makes them again
	e.iterate(orbits, n)
	for y := range n {
		left := 0.0
		for x := range n {
			o := &orbits[y*n+x]
			l := detmath.Log(max(o.count, 0.1))
			if o.inside {
				l = 100
			}
			if x > 0 && math.Abs(l-left) > 0.2 || y > 0 && math.Abs(l-last[x]) > 0.2 {
				unlike++
			}
			left, last[x] = l, l
		}
	}
	return unlike >= n*n/10 && unlike <= n*n*3/4
}

// near is the distance from the trap as it colors.
func (o *orbit) near() float64 { return float64(detmath.Log(1+float64(40*o.trap)) * 0.27) }

// color returns the color of an orbit, without relief.
func (e *escape) color(o *orbit) rgb {
	if o.inside {
		return e.inner.at(e.phase + o.near())
	}
	t := e.rank(detmath.Log(max(o.count, 0.1)))
	c := e.pal.at(e.phase + float64(e.turns*t))
	if e.trapped > 0 {
		near := o.near()
		k := float32(e.trapped / (1 + float64(12*near)))
		c = blend(c, e.inner.at(e.phase+0.5+float64(1.5*near)), k)
	}
	return c
}

// render iterates and colors every pixel, with light from one side on the relief of the counts.
func (e *escape) render(dst *raster.Image) {
	n := dst.W
	if cap(e.orbits) < n*n {
		e.orbits = make([]orbit, n*n)
	}
	e.orbits = e.orbits[:n*n]
	e.iterate(e.orbits, n)
	slope := float64(n) / 12 * e.light
	for i := range e.orbits {
		o := &e.orbits[i]
		c := e.color(o)
		if e.light > 0 && !o.inside {
			x, y := i%n, i/n
			a, b := &e.orbits[i-min(x, 1)], &e.orbits[i+min(n-1-x, 1)]
			p, q := &e.orbits[i-n*min(y, 1)], &e.orbits[i+n*min(n-1-y, 1)]
			if !a.inside && !b.inside && !p.inside && !q.inside {
				gx := (b.count - a.count) / max(o.count, 1)
				gy := (q.count - p.count) / max(o.count, 1)
				d := float64(slope * (float64(gx*e.lx) + float64(gy*e.ly)))
				d = 2 * d / (1 + float64(d*d)) // -1 to 1, and to 0 where it is too steep to be seen
				if d > 0 {
					c = blend(c, rgb{1, 1, 1}, float32(0.45*d))
				} else {
					c = c.scale(float32(1 + float64(0.6*d)))
				}
			}
		}
		store(dst.Pix[4*i:][:4], c)
	}
}
