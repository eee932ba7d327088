package frost

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

// rime strews grains of a few short blades each in rows down the pane, along which water ran, and larger shards where
// the film was thick.
func rime(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .5, .08, 260, r)
	p.light.addNoise(.25, 2, 2, r)
	p.light.addNoise(.2, 4, 7, r)
	p.light.addNoise(.35, 7, 60, r)
	thick := clouds(w, h, 110, .5, 2, r)
	thick.level()
	for n := w * h / 450; n > 0; n-- {
		x, y := r.Uniform(0, float64(w)), r.Uniform(0, float64(h))
		if t := thick.at(x, y); t > .6 {
			p.grains(x, y, 2+r.IntN(5), 8, 16+float64(12*t), 1.5, 6, .6)
		}
	}
	for x := 0.0; x < float64(w); x += r.Uniform(9, 13) {
		for y := r.Uniform(0, 6); y < float64(h); y += r.Uniform(1.6, 5) {
			cx := x + r.Normal()
			if thick.at(cx, y) < 1 || r.IntN(3) == 0 {
				p.grains(cx, y, 1+r.IntN(3), 3, 7.5, .7, 1.9, 1.4)
			}
		}
	}
	p.mist(.7, 240, .55, .12)
	p.illuminate(.85, 300)
	return p.light, nil
}

// grains paints n small blades that point away from (x, y), about between radians apart; one in nine glints.
func (p *pane) grains(x, y float64, n int, shortest, longest, thinnest, widest, between float64) {
	r := p.r
	a := r.Uniform(0, 2*math.Pi)
	for ; n > 0; n-- {
		b := blade{
			x: x, y: y, angle: a, length: r.Uniform(shortest, longest), half: r.Uniform(thinnest, widest),
			rim: .06, streak: .05, cover: .8,
		}
		m, d := r.Uniform(.25, .75), r.Uniform(.05, .25)
		if r.IntN(9) == 0 {
			m += .35
		}
		b.faces = [2]float32{float32(m + d), float32(m - d)}
		p.light.paint(b, r)
		a += float64(between * r.Uniform(.5, 1.5))
	}
}
