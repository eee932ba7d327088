package ice

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

const degree = math.Pi / 180

var fernHabit = habit{
	pace:    [orders]float64{1, .5, .35},
	spacing: [orders]float64{5, 4},
	reach:   [orders]float64{0, 30, 5},
	taper:   [orders]float64{0, .6, .5},
	radius:  [orders]float64{1.1, .6, .3},
	tall:    [orders]float64{1, .8, .6},
	angle:   55 * degree, spread: 8 * degree, uneven: .25, bend: .006, gap: 4,
}

func fern(w, h int, r *rng.Rand) (light, tint *plane) {
	g := newGarden(w, h, fernHabit, r)
	lie := clouds(w, h, 180, .5, 2, r)
	lie.level()
	// The pane is wet from its frame: crystals start along the edges and grow inwards, others nucleate on the glass.
	for x := 0.0; x < float64(w); x += r.Uniform(14, 50) {
		g.plant(x, 0, r.Uniform(40, 140)*degree, r.Uniform(50, 160), r.Uniform(-.004, .004), 1.3)
		g.plant(x, float64(h-1), r.Uniform(-140, -40)*degree, r.Uniform(50, 160), r.Uniform(-.004, .004), 1.3)
	}
	for y := 0.0; y < float64(h); y += r.Uniform(14, 50) {
		g.plant(0, y, r.Uniform(-50, 50)*degree, r.Uniform(50, 160), r.Uniform(-.004, .004), 1.3)
		g.plant(float64(w-1), y, r.Uniform(130, 230)*degree, r.Uniform(50, 160), r.Uniform(-.004, .004), 1.3)
	}
	for n := w * h / 2600; n > 0; n-- {
		x, y := r.Uniform(0, float64(w)), r.Uniform(0, float64(h))
		if g.taken(x, y) == 0 {
			a := float64(lie.at(x, y)*1.3) + r.Uniform(-.9, .9)
			size := r.Uniform(.7, 1.3)
			for k := 1 + r.IntN(4); k > 0; k-- {
				g.plant(x, y, a, r.Uniform(25, 110), r.Uniform(-.006, .006), size)
				a += r.Uniform(25, 65) * degree
			}
		}
		if n%40 == 0 {
			g.grow(6)
		}
	}
	g.grow(1000)

	height, shade := newPlane(w, h), newPlane(w, h)
	g.raise(height, shade)
	return g.compose(height, shade, look{
		glass: .35, body: .55, shine: 1.5, relief: .55, film: .5, grain: .1, veil: .75, veilPitch: 230,
	})
}

// look are the weights of what is seen of grown crystals.
type look struct {
	glass     float64 // brightness of the view behind, large soft areas
	body      float64 // of the ice by its thickness
	shine     float64 // of branches that lie across the light
	relief    float64 // of slopes towards the light
	film      float64 // of the thin ice around the crystals
	grain     float64 // of fine grains on the film
	veil      float64 // share of the crystals that mist hides at most
	veilPitch float64
}

// compose lights the crystals.
func (g *garden) compose(height, shade *plane, k look) (light, tint *plane) {
	w, h := g.w, g.h
	var z blurrer
	near := height.clone()
	z.blur(near, 4, 2)
	light = newPlane(w, h)
	for i, v := range height.v {
		s := shade.v[i]
		light.v[i] = v * (float32(k.body) + float32(float32(k.shine)*s*s))
	}
	light.addRelief(height, float32(g.lightX), float32(g.lightY), float32(k.relief))
	glass := clouds(w, h, 300, .55, 4, g.r)
	glass.level()
	veil := clouds(w, h, k.veilPitch, .5, 3, g.r)
	veil.level()
	grain := newPlane(w, h)
	grain.addNoise(1, 1.3, 1.3, g.r)
	grain.addNoise(1, 3, 3, g.r)
	soft := light.clone()
	z.blur(soft, 5, 2)
	for i, v := range light.v {
		m := min(max(float32(veil.v[i]*.6)+.1, 0), 1) * float32(k.veil)
		film := near.v[i] * float32(k.film)
		g := grain.v[i] * float32(k.grain) * (1 + float32(2*m) + film)
		v += film
		v += float32(m * (soft.v[i] + float32(float32(k.film)*.8) - v))
		light.v[i] = v + g + float32(float32(k.glass)*glass.v[i])
	}
	return light, glass
}

var leafHabit = habit{
	pace:    [orders]float64{1, .45, .3},
	spacing: [orders]float64{4, 4},
	reach:   [orders]float64{0, 75, 4},
	taper:   [orders]float64{0, .7, .5},
	radius:  [orders]float64{1.6, .9, .5},
	tall:    [orders]float64{1, .85, .7},
	angle:   38 * degree, spread: 7 * degree, uneven: .2, bend: .002, gap: 3,
}

func leaf(w, h int, r *rng.Rand) (light, tint *plane) {
	g := newGarden(w, h, leafHabit, r)
	for n := w * h / 12000; n > 0; n-- {
		x, y := r.Uniform(0, float64(w)), r.Uniform(0, float64(h))
		if g.taken(x, y) == 0 {
			a := r.Uniform(0, 2*math.Pi)
			for k := 2 + r.IntN(4); k > 0; k-- {
				g.plant(x, y, a, r.Uniform(80, 260), r.Uniform(-.002, .002), r.Uniform(.9, 1.3))
				a += r.Uniform(22, 60) * degree
			}
		}
		if n%6 == 0 {
			g.grow(12)
		}
	}
	g.grow(1000)
	height, shade := newPlane(w, h), newPlane(w, h)
	g.raise(height, shade)
	return g.compose(height, shade, look{
		glass: .25, body: .6, shine: 1.3, relief: .7, film: .5, grain: .08, veil: .3, veilPitch: 230,
	})
}

var curlHabit = habit{
	pace:    [orders]float64{1, .5, .3},
	spacing: [orders]float64{3.6, 3.5},
	reach:   [orders]float64{0, 60, 4},
	taper:   [orders]float64{0, .6, .5},
	radius:  [orders]float64{1.5, .7, .4},
	tall:    [orders]float64{1, .8, .6},
	angle:   40 * degree, spread: 6 * degree, uneven: .2, bend: .012, gap: 3, oneSide: .3,
}

func curl(w, h int, r *rng.Rand) (light, tint *plane) {
	g := newGarden(w, h, curlHabit, r)
	for n := w * h / 5000; n > 0; n-- {
		x, y := r.Uniform(0, float64(w)), r.Uniform(0, float64(h))
		if g.taken(x, y) == 0 {
			a := r.Uniform(0, 2*math.Pi)
			turn := r.Sign() / r.Uniform(45, 160)
			for k := 1 + r.IntN(3); k > 0; k-- {
				g.plant(x, y, a, r.Uniform(90, 280), turn, r.Uniform(.8, 1.3))
				a += r.Uniform(20, 50) * degree
			}
		}
		if n%8 == 0 {
			g.grow(10)
		}
	}
	g.grow(1000)
	height, shade := newPlane(w, h), newPlane(w, h)
	g.raise(height, shade)
	return g.compose(height, shade, look{
		glass: .25, body: .6, shine: 1.3, relief: .7, film: .5, grain: .08, veil: .3, veilPitch: 230,
	})
}

var hoarHabit = habit{
	pace:    [orders]float64{1, .6, .35},
	spacing: [orders]float64{6, 4},
	reach:   [orders]float64{0, 24, 5},
	taper:   [orders]float64{0, .5, .5},
	radius:  [orders]float64{1.4, .8, .4},
	tall:    [orders]float64{1, .8, .6},
	angle:   60 * degree, uneven: .05, gap: 3,
}

func hoar(w, h int, r *rng.Rand) (light, tint *plane) {
	g := newGarden(w, h, hoarHabit, r)
	for n := w * h / 1800; n > 0; n-- {
		x, y := r.Uniform(0, float64(w)), r.Uniform(0, float64(h))
		if g.taken(x, y) == 0 {
			a := r.Uniform(0, math.Pi/3)
			length, size := r.Uniform(10, 60), r.Uniform(.8, 1.4)
			for k := range 6 {
				g.plant(x, y, a+float64(float64(k)*60*degree), length, 0, size)
			}
		}
		if n%30 == 0 {
			g.grow(4)
		}
	}
	g.grow(1000)
	height, shade := newPlane(w, h), newPlane(w, h)
	g.raise(height, shade)
	return g.compose(height, shade, look{
		glass: .25, body: .8, shine: 1.0, relief: .5, film: .4, grain: .1, veil: .3, veilPitch: 230,
	})
}

func needle(w, h int, r *rng.Rand) (light, tint *plane) { return hoar(w, h, r) }
func rime(w, h int, r *rng.Rand) (light, tint *plane)   { return hoar(w, h, r) }
func glaze(w, h int, r *rng.Rand) (light, tint *plane)  { return hoar(w, h, r) }
