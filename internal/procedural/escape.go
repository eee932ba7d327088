package procedural

import (
	"math"

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

// kernel returns the map as package kernel iterates it. t is the trap, if distances from it are asked for.
func (m *escapeMap) kernel(limit int, t *trap) kernel.EscapeMap {
	const all, noSign = 1<<64 - 1, 1<<63 - 1
	k := kernel.EscapeMap{AndX: all, AndY: all, AndU: all, Degree: int64(m.degree), Limit: int64(limit)}
	switch m.kind {
	case mapShip:
		k.AndX, k.AndY = noSign, noSign
	case mapTricorn:
		k.FlipY = 1 << 63
	case mapCeltic:
		k.AndU = noSign
	}
	if t != nil {
		k.Trap, k.X, k.Y, k.R2, k.Sin, k.Cos = kernel.TrapCircle, t.x, t.y, t.r2, t.sin, t.cos
		if t.cross {
			k.Trap = kernel.TrapCross
		}
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
func (m *escapeMap) orbit(r2, near, steps float64, limit int) orbit {
	if !(r2 > kernel.EscapeRadius2) {
		return orbit{count: float64(limit), trap: near, inside: true}
	}
	// n + 1 - log_d(log|z| / log R): the usual smooth count.
	l := float64(ln(r2) * (1 / logRadius2))
	return orbit{count: max(steps+1-float64(ln(l)*logDegree[m.degree]), 0.1), trap: near}
}

// ln is the logarithm of a normal positive number to nine digits: that of a power of two and, by its series of odd powers,
// that of what is left, between the square roots of 1/2 and 2.
func ln(x float64) float64 {
	const half = 0x3fe6a09e667f3bcd // the bits of sqrt(1/2)
	b := math.Float64bits(x)
	k := int64(b-half) >> 52
	m := math.Float64frombits(b - uint64(k)<<52)
	s := (m - 1) / (m + 1)
	s2 := float64(s * s)
	p := 1./5 + float64(s2*(1./7+float64(s2*(1./9))))
	p = 1 + float64(s2*(1./3+float64(s2*p)))
	return float64(float64(k)*math.Ln2) + float64(2*s*p)
}

const logRadius2 = 14 * math.Ln2 // the logarithm of kernel.EscapeRadius2

// logDegree holds reciprocals of the logarithms of degrees.
var logDegree = func() (t [maxDegree + 1]float64) {
	for d := 2; d <= maxDegree; d++ {
		t[d] = 1 / detmath.Log(float64(d))
	}
	return t
}()

// run iterates from one point, about limit times at most. t is as in kernel.
func (m *escapeMap) run(px, py float64, limit int, t *trap) orbit {
	k := m.kernel(limit, t)
	r2, near, steps := k.Orbit(m.start(px, py))
	return m.orbit(r2, near, steps, limit)
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
	outer       ramp    // colors by count
	inner       ramp    // colors by distance from the trap
	phase       float64
	turns       float64 // how often the palette goes round over the image's counts
	trapped     float64 // how much the trap colors
	light       float64 // strength of the relief
	lx, ly      float64 // direction of the light
	ranks       ranks
	image       tints
	list        []spot // points to iterate
	probe, two  probe
	probes      [probeSide * probeSide]orbit
	counts      []float32
	tries       int          // windows looked at for this image
	column, row [][2]float64 // what a column and a row add to a point
	buffers     kernel.Orbits
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
		q, ok := e.edge(try == escapeTries)
		if !ok {
			continue
		}
		v := q.merit()
		if q.good() || try == escapeTries {
			s := e.measure()
			if q.good() && s.good() {
				break
			}
			v += s.merit()
		}
		if v > merit {
			best, merit = begin, v
		}
	}
	e.render(dst)
}

// look draws what does not depend on the window: the palettes and how they are laid on.
func (e *escape) look(r *rng.Rand) {
	hue := r.Float64()
	var p palette
	p.draw(r, hue, full)
	e.outer.fill(&p)
	p.draw(r, hue+r.Uniform(0.3, 0.7), tones{0.05, 0.5, 0.03, 0.18})
	e.inner.fill(&p)
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
	slow := func(x, y float64) bool { return e.m.run(x, y, 300, nil).count >= 60 }
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
