package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// plane is an image of values.
type plane struct {
	v    []float32
	w, h int
}

func (p *plane) reset(w, h int) {
	if cap(p.v) < w*h {
		p.v = make([]float32, w*h)
	}
	p.v, p.w, p.h = p.v[:w*h], w, h
}

// plasmaSide is the side of the grid of midpoint displacement, which the image enlarges.
const plasmaSide = 128

// plasma fills p, plasmaSide square, with midpoint displacement on a torus (diamond-square; Fournier, Fussell and
// Carpenter 1982): at every level the middles get the mean of their neighbors and a displacement uniform in -m to m,
// where m falls by exp(-decay) a level (Anderson and Farrell draw decay from 0.4 to 0.8). The result is stretched to 0
// to 1.
func (p *plane) plasma(r *rng.Rand, decay float64) {
	const n = plasmaSide
	p.reset(n, n)
	at := func(x, y int) *float32 { return &p.v[(y&(n-1))*n+x&(n-1)] }
	amp, fall := 0.5, detmath.Exp(-decay)
	*at(0, 0) = float32(r.Float64())
	for s := n; s > 1; s /= 2 {
		h := s / 2
		for y := h; y < n; y += s {
			for x := h; x < n; x += s {
				m := *at(x-h, y-h) + *at(x+h, y-h) + *at(x-h, y+h) + *at(x+h, y+h)
				*at(x, y) = m/4 + float32(r.Uniform(-amp, amp))
			}
		}
		for y := 0; y < n; y += h {
			for x := h - y%s; x < n; x += s {
				if x < 0 {
					continue
				}
				m := *at(x-h, y) + *at(x+h, y) + *at(x, y-h) + *at(x, y+h)
				*at(x, y) = m/4 + float32(r.Uniform(-amp, amp))
			}
		}
		amp *= fall
	}
	p.stretch()
}

// stretch maps the values to 0 to 1.
func (p *plane) stretch() {
	lo, hi := p.v[0], p.v[0]
	for _, v := range p.v {
		lo, hi = min(lo, v), max(hi, v)
	}
	k := 1 / max(hi-lo, 1e-6)
	for i, v := range p.v {
		p.v[i] = (v - lo) * k
	}
}

// sample reads a torus at a position in its own pixels, between the four nearest values.
func (p *plane) sample(x, y float32) float32 {
	fx, fy := float32(math.Floor(float64(x))), float32(math.Floor(float64(y)))
	tx, ty := x-fx, y-fy
	x0, y0 := int(fx)&(p.w-1), int(fy)&(p.h-1)
	x1, y1 := (x0+1)&(p.w-1), (y0+1)&(p.h-1)
	a, b := p.v[y0*p.w+x0], p.v[y0*p.w+x1]
	c, d := p.v[y1*p.w+x0], p.v[y1*p.w+x1]
	u, v := a+float32(tx*(b-a)), c+float32(tx*(d-c))
	return u + float32(ty*(v-u))
}

// The backgrounds of color fractals.
const (
	groundFlat = iota
	groundLinear
	groundRadial
	groundPlasma
	groundFractal
	groundCount
)

// ground paints what is behind a fractal.
type ground struct {
	kind           int
	pal            palette
	from, span     float64 // stretch of the palette
	dx, dy         float32 // direction of a linear gradient, center of a radial one
	plasma         plane
	zoom           float32
	shiftX, shiftY float32
}

func (g *ground) draw(r *rng.Rand, hue float64, t tones) {
	g.pal.draw(r, hue, t)
	g.from, g.span = r.Float64(), r.Uniform(0.25, 0.6)
	a := r.Uniform(0, 2*math.Pi)
	g.dx, g.dy = float32(detmath.Cos(a)), float32(detmath.Sin(a))
	g.zoom = float32(r.Uniform(0.4, 1) * plasmaSide)
	g.shiftX, g.shiftY = float32(r.Uniform(0, plasmaSide)), float32(r.Uniform(0, plasmaSide))
	switch u := r.Float64(); {
	case u < 0.10:
		g.kind = groundFlat
	case u < 0.28:
		g.kind = groundLinear
	case u < 0.42:
		g.kind = groundRadial
	case u < 0.72:
		g.kind = groundPlasma
		g.plasma.plasma(r, r.Uniform(0.4, 0.8))
	default:
		g.kind = groundFractal
	}
}

// at returns the color at x, y, each from 0 to 1 over the image.
func (g *ground) at(x, y float32) rgb {
	var t float32
	switch g.kind {
	case groundLinear:
		t = 0.5 + float32((x-0.5)*g.dx) + float32((y-0.5)*g.dy)
	case groundRadial:
		u, v := x-0.5-float32(0.3*g.dx), y-0.5-float32(0.3*g.dy)
		t = 1.2 * sqrt32(float32(u*u)+float32(v*v))
	case groundPlasma:
		t = g.plasma.sample(float32(x*g.zoom)+g.shiftX, float32(y*g.zoom)+g.shiftY)
	}
	return g.pal.at(g.from + float64(g.span*float64(t)))
}
