package frost

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

const degree = math.Pi / 180

// strew lets crystals nucleate at random free places of the pane, one for each area of the given number of pixels, in
// the given number of waves between which what stands grows, and then lets all grow to their end. plant starts the
// stems of one crystal.
func (g *garden) strew(area, waves int, plant func(x, y float64)) {
	n := g.w * g.h / area
	for wave := range waves {
		for range n*(wave+1)/waves - n*wave/waves {
			x, y := g.r.Uniform(0, float64(g.w)), g.r.Uniform(0, float64(g.h))
			if g.taken(x, y) == 0 {
				plant(x, y)
			}
		}
		g.grow(6)
	}
	g.grow(math.MaxInt)
}

// fan plants one to most stems of the given lengths side by side, about between apart, all turning by turn a pixel.
func (g *garden) fan(x, y float64, most int, shortest, longest, between, turn float64) {
	a, size := g.r.Uniform(0, 2*math.Pi), g.r.Uniform(.7, 1.3)
	for k := 1 + g.r.IntN(most); k > 0; k-- {
		g.plant(x, y, a, g.r.Uniform(shortest, longest), turn, size)
		a += g.vary(between, .45)
	}
}

// frame plants stems along the edges of the pane, where frost starts.
func (g *garden) frame(shortest, longest, every float64) {
	w, h := float64(g.w), float64(g.h)
	for s := 0.0; s < 2*(w+h); s += g.vary(every, .7) {
		x, y, a := s, 0.0, 90.0
		switch {
		case s >= w+w+h:
			x, y, a = w-1, s-w-w-h, 180
		case s >= w+w:
			x, y, a = 0, s-w-w, 0
		case s >= w:
			x, y, a = s-w, h-1, -90
		}
		g.plant(x, y, float64((a+g.r.Uniform(-45, 45))*degree), g.r.Uniform(shortest, longest), 0, 1.2)
	}
}

var fernHabit = habit{
	pace:    [orders]float64{1, .5, .35},
	spacing: [orders]float64{4.2, 4},
	reach:   [orders]float64{0, 20, 4},
	taper:   [orders]float64{0, .42, .4},
	radius:  [orders]float64{.8, .45, .25},
	tall:    [orders]float64{1, .85, .6},
	angle:   52 * degree, spread: 12 * degree, uneven: .4, bend: .008, gap: 2.2, rough: .45,
}

// fern grows many small fronds, the first along the edges, over a layer of duller ones.
func fern(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .3, .12, 260, r)
	for layer := range 2 {
		g := newGarden(w, h, fernHabit, r)
		k := look{body: .3, shine: .65, relief: .22, grain: .1, dense: 1.5, shadow: .55, film: .12}
		if layer == 1 {
			g.frame(50, 140, 40)
			k.body, k.shine = .42, 1.1
		}
		g.strew(1500, 12, func(x, y float64) { g.fan(x, y, 4, 20, 90, 42*degree, r.Uniform(-.008, .008)) })
		p.lay(g, k)
	}
	p.soften(.45)
	p.mist(1, 200, .55, .12)
	p.illuminate(.65, 380)
	return p.light, nil
}

var leafHabit = habit{
	pace:    [orders]float64{1, .5, .3},
	spacing: [orders]float64{5.5, 5},
	reach:   [orders]float64{0, 55, 5},
	taper:   [orders]float64{0, .6, .5},
	radius:  [orders]float64{2, 1.6, .8},
	tall:    [orders]float64{1, .85, .7},
	angle:   40 * degree, spread: 10 * degree, uneven: .4, bend: .003, gap: 3, rough: .6,
}

// leaf grows broad leaves whose barbs have closed, with clear dark glass between them.
func leaf(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .22, .12, 200, r)
	for range 2 {
		g := newGarden(w, h, leafHabit, r)
		g.strew(9000, 3, func(x, y float64) { g.fan(x, y, 5, 40, 220, 36*degree, r.Uniform(-.002, .002)) })
		p.lay(g, look{body: .4, shine: .5, relief: .7, grain: .1, fill: 1, dense: 2.2, shadow: .6, film: .05})
	}
	p.mist(.5, 160, .5, .1)
	p.illuminate(.5, 300)
	tint = clouds(w, h, 120, .5, 3, r)
	tint.level()
	return p.light, tint
}

var curlHabit = habit{
	pace:    [orders]float64{1, .55, .3},
	spacing: [orders]float64{5.5, 5},
	reach:   [orders]float64{0, 44, 4},
	taper:   [orders]float64{0, .5, .5},
	radius:  [orders]float64{2, 1.2, .5},
	tall:    [orders]float64{1, .8, .6},
	angle:   38 * degree, spread: 6 * degree, uneven: .2, bend: .01, gap: 3, rough: .35, oneSide: .2,
}

// curl grows long feathers that roll up, on a white pane.
func curl(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .46, .06, 160, r)
	for layer := range 2 {
		g := newGarden(w, h, curlHabit, r)
		k := look{body: .5, shine: .35, relief: .4, grain: .08, dense: 1.5, shadow: .6, film: .22}
		if layer == 1 {
			k.body, k.shine = .62, .5
		}
		g.strew(3800, 6, func(x, y float64) {
			g.fan(x, y, 2, 90, 340, 32*degree, r.Sign()/r.Uniform(40, 140))
		})
		p.lay(g, k)
	}
	p.mist(.5, 160, .75, .1)
	p.illuminate(.5, 300)
	return p.light, nil
}

var hoarHabit = habit{
	pace:    [orders]float64{1, .6, .35},
	spacing: [orders]float64{6, 5},
	reach:   [orders]float64{0, 20, 5},
	taper:   [orders]float64{0, .5, .5},
	radius:  [orders]float64{1.6, 1, .5},
	tall:    [orders]float64{1, .8, .6},
	angle:   60 * degree, uneven: .08, gap: 2.5, rough: .3,
}

// hoar grows stars of six alike arms on dark glass, a few large ones among many small ones.
func hoar(w, h int, r *rng.Rand) (light, tint *plane) {
	p := newPane(w, h, .25, .1, 200, r)
	for range 2 {
		g := newGarden(w, h, hoarHabit, r)
		g.strew(1100, 16, func(x, y float64) {
			a, u := r.Uniform(0, math.Pi/3), r.Float64()
			length, size := 6+float64(50*float64(u*u)), r.Uniform(.7, 1.2)
			for k := range 6 {
				g.plant(x, y, a+float64(float64(k)*(60*degree)), length, 0, size)
			}
		})
		p.lay(g, look{body: .4, shine: .9, relief: .3, grain: .1, dense: 1.5, shadow: .7, film: .1})
	}
	p.mist(.7, 160, .5, .12)
	p.illuminate(.85, 350)
	return p.light, nil
}
