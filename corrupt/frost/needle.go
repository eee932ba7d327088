package frost

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// needle strews bundles of long blades over white ice, until they hide most of it.
func needle(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .72, .05, 120, r)
	thin := clouds(w, h, 170, .5, 2, r) // where it is high, the ice below shows through
	thin.level()
	spots := clouds(w, h, 12, .8, 3, r)
	spots.level()
	for i, v := range spots.v {
		p.light.v[i] += float32(.06*v) - float32(.06*max(thin.v[i], 0))
	}
	for n := w * h / 520; n > 0; n-- {
		x, y := r.Uniform(-60, float64(w)+60), r.Uniform(-60, float64(h)+60)
		cover := .92 - float64(.22*max(min(thin.at(x, y), 1.5), 0))
		p.bundle(x, y, float32(cover))
	}
	for i, v := range p.grain.v {
		p.light.v[i] += float32(.05*v) + float32(.02*spots.v[i])
	}
	p.mist(.5, 130, .9, .08)
	p.illuminate(.9, 280)
	return p.light, nil
}

// bundle paints two to nine blades that lie side by side and open a little towards their points.
func (p *pane) bundle(x, y float64, cover float32) {
	r := p.r
	a := r.Uniform(0, 2*math.Pi)
	c, s := detmath.Cos(a), detmath.Sin(a)
	u := r.Float64()
	long, wide := 32+float64(130*float64(float64(u*u)*u)), r.Uniform(1.8, 6.5)
	tone := r.Uniform(.68, .92)
	for k := 2 + r.IntN(8); k > 0; k-- {
		off := float64(6 * r.Normal())
		b := blade{
			x: x + float64(off*s), y: y - float64(off*c), angle: a - float64(off*.014) + r.Uniform(-.07, .07),
			length: long * r.Uniform(.35, 1.1), half: wide * r.Uniform(.4, 1),
			rim: float32(r.Uniform(-.2, -.03)), streak: .04, cover: cover,
		}
		m, d := tone+r.Uniform(-.1, .1), r.Uniform(0, .09)
		b.faces = [2]float32{float32(m + d), float32(m - d)}
		p.light.paint(b, r)
	}
}
