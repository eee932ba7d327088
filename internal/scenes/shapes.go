package scenes

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// point is a place in the shape's own frame: the shape fills about the unit disc, y points down.
type point struct{ x, y float64 }

// shape is a class: an outline, or with band > 0 the band of that half-width along it.
type shape struct {
	name    string
	outline []point
	band    float64
}

var shapes = []shape{
	{name: "disc", outline: circle(0, 0, 0.9)},
	{name: "square", outline: []point{{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}}},
	{name: "triangle", outline: []point{{0, -0.95}, {0.95, 0.75}, {-0.95, 0.75}}},
	{name: "star", outline: star(5, 1.05, 0.42)},
	{name: "cross", outline: []point{
		{-0.3, -0.95},
		{0.3, -0.95},
		{0.3, -0.3},
		{0.95, -0.3},
		{0.95, 0.3},
		{0.3, 0.3},
		{0.3, 0.95},
		{-0.3, 0.95},
		{-0.3, 0.3},
		{-0.95, 0.3},
		{-0.95, -0.3},
		{-0.3, -0.3},
	}},
	{name: "ring", outline: circle(0, 0, 0.72), band: 0.2},
	{name: "crescent", outline: crescent()},
	{name: "heart", outline: heart()},
	{name: "arrow", outline: []point{
		{0, -1}, {0.85, -0.1}, {0.32, -0.1}, {0.32, 0.95}, {-0.32, 0.95}, {-0.32, -0.1}, {-0.85, -0.1},
	}},
	{name: "bar", outline: []point{{-1.05, -0.3}, {1.05, -0.3}, {1.05, 0.3}, {-1.05, 0.3}}},
}

// arcSteps is the number of straight pieces of a full circle: they are at most 0.3 % of the radius inside a true one.
const arcSteps = 40

func circle(cx, cy, r float64) []point {
	return arc(nil, cx, cy, r, 0, 2*math.Pi*(arcSteps-1)/arcSteps, arcSteps)
}

// arc appends n points of a circle from angle a to angle b.
func arc(dst []point, cx, cy, r, a, b float64, n int) []point {
	for i := range n {
		t := a + float64((b-a)*float64(i))/float64(n-1)
		dst = append(dst, point{cx + float64(r*detmath.Cos(t)), cy + float64(r*detmath.Sin(t))})
	}
	return dst
}

// star has its first tip at the top.
func star(tips int, outer, inner float64) []point {
	var p []point
	for i := range 2 * tips {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		t := math.Pi * (float64(i)/float64(tips) - 0.5)
		p = append(p, point{float64(r * detmath.Cos(t)), float64(r * detmath.Sin(t))})
	}
	return p
}

// crescent is the unit disc less a disc to its right: an outer arc and an inner one between the same horns.
func crescent() []point {
	const outer, inner, shift = 0.95, 0.75, 0.5
	// The circles x²+y²=outer² and (x-shift)²+y²=inner² meet at this x.
	x := (outer*outer - inner*inner + shift*shift) / (2 * shift)
	y := math.Sqrt(outer*outer - x*x)
	a, b := detmath.Atan2(y, x), detmath.Atan2(y, x-shift)
	p := arc(nil, 0.1, 0, outer, a, 2*math.Pi-a, 28)
	within := arc(nil, 0.1+shift, 0, inner, 2*math.Pi-b, b, 26)
	return append(p, within[1:25]...) // its ends are the horns, which p has
}

// heart is two arcs above a tip.
func heart() []point {
	p := arc(nil, -0.45, -0.35, 0.5, math.Pi*0.8, math.Pi*1.93, 16)
	p = arc(p, 0.45, -0.35, 0.5, math.Pi*1.07, math.Pi*2.2, 16)
	return append(p, point{0, 0.95})
}

// distance returns how far p is from the shape's edge, negative inside.
func (s *shape) distance(p point) float64 {
	nearest, inside := math.MaxFloat64, false
	a := s.outline[len(s.outline)-1]
	for _, b := range s.outline {
		ex, ey, px, py := b.x-a.x, b.y-a.y, p.x-a.x, p.y-a.y
		t := (float64(ex*px) + float64(ey*py)) / (float64(ex*ex) + float64(ey*ey))
		t = min(max(t, 0), 1)
		dx, dy := px-float64(t*ex), py-float64(t*ey)
		nearest = min(nearest, float64(dx*dx)+float64(dy*dy))
		// A ray to the right crosses the edge.
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+float64(ex*(p.y-a.y))/ey {
			inside = !inside
		}
		a = b
	}
	d := math.Sqrt(nearest)
	switch {
	case s.band > 0:
		return d - s.band
	case inside:
		return -d
	}
	return d
}
