package procedural

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

// The folds are variations of Draves' flame algorithm (The Fractal Flame Algorithm, 2003) that are built from sums,
// products, quotients and square roots, so that their bits are the same everywhere; sine and cosine are polynomials of
// this file.
const (
	foldNone = iota
	foldSphere
	foldBubble
	foldHorseshoe
	foldEye
	foldBent
	foldRoot
	foldSine
	foldSwirl
	foldWave
	foldCount
)

// fold is the part of a map that bends the plane: p -> p + amount*(V(p) - p).
type fold struct {
	kind   uint8
	amount float32
}

func drawFold(r *rng.Rand) fold {
	f := fold{kind: uint8(1 + r.IntN(foldCount-1)), amount: 1}
	if r.Bool() {
		f.amount = float32(r.Uniform(0.35, 1))
	}
	return f
}

// groups is the scratch of a round.
type groups struct {
	n      [maxMaps]int
	list   [maxMaps][orbits]uint8 // the orbits that take a map
	px, py [orbits]float32        // behind the affine part
	u, v   [orbits]float32        // behind the fold
	flip   float32                // sign that a square root takes next; it alternates
}

// wild is where an orbit counts as lost. Folds may throw points far away; contractive maps never do.
const wild = 1 << 20

// round moves every orbit by a map of its own choice. The orbits are sorted by map first: what a map is, and so which
// fold it has, is then decided once for many orbits. One orbit after the other, a branch was mispredicted at nearly
// every point: that took 25 ns a point where this takes 15.
func (g *game) round() {
	q := &g.group
	clear(q.n[:g.n])
	for o := 0; o < orbits; o += 4 {
		w := g.next()
		for k := range 4 {
			m := g.sel[w&selectorMask]
			w >>= selectorBits
			q.list[m][q.n[m]&(orbits-1)] = uint8(o + k)
			q.n[m]++
		}
	}
	for m := range g.n {
		if list := q.list[m][:q.n[m]]; len(list) > 0 {
			g.advance(&g.step[m], &g.fold[m], list)
		}
	}
}

// advance moves the listed orbits by a map.
func (g *game) advance(t *step, f *fold, list []uint8) {
	q := &g.group
	n := len(list)
	for i, o := range list {
		x, y := g.x[o&(orbits-1)], g.y[o&(orbits-1)]
		q.px[i] = float32(t.a*x) + float32(t.b*y) + t.e
		q.py[i] = float32(t.c*x) + float32(t.d*y) + t.f
	}
	px, py := q.px[:n], q.py[:n]
	u, v := px, py
	if f.kind != foldNone {
		u, v = q.u[:n], q.v[:n]
		q.flip = f.bend(u, v, px, py, q.flip)
		for i := range u {
			u[i] = px[i] + float32(f.amount*(u[i]-px[i]))
			v[i] = py[i] + float32(f.amount*(v[i]-py[i]))
		}
	}
	for i, o := range list {
		x, y := u[i], v[i]
		if !(x > -wild && x < wild && y > -wild && y < wild) {
			w := g.next()
			x = float32(float32(w&0xFFFF)*(1./32768)) - 1
			y = float32(float32(w>>16&0xFFFF)*(1./32768)) - 1
		}
		o &= orbits - 1
		g.x[o], g.y[o] = x, y
		g.hue[o] = float32(t.keep*g.hue[o]) + t.push
	}
}

// bend sets u, v to V(px, py). All slices have one length.
func (f *fold) bend(u, v, px, py []float32, flip float32) float32 {
	py, u, v = py[:len(px)], u[:len(px)], v[:len(px)]
	switch f.kind {
	case foldSphere:
		for i, x := range px {
			y := py[i]
			k := 1 / (float32(x*x) + float32(y*y) + 1e-3)
			u[i], v[i] = x*k, y*k
		}
	case foldBubble:
		for i, x := range px {
			y := py[i]
			k := 4 / (float32(x*x) + float32(y*y) + 4)
			u[i], v[i] = x*k, y*k
		}
	case foldHorseshoe:
		for i, x := range px {
			y := py[i]
			k := 1 / (sqrt32(float32(x*x)+float32(y*y)) + 1e-4)
			u[i], v[i] = float32((x-y)*(x+y))*k, float32(2*x*y)*k
		}
	case foldEye:
		for i, x := range px {
			y := py[i]
			k := 2 / (sqrt32(float32(x*x)+float32(y*y)) + 1)
			u[i], v[i] = x*k, y*k
		}
	case foldBent:
		for i, x := range px {
			y := py[i]
			if x < 0 {
				x *= 2
			}
			if y < 0 {
				y /= 2
			}
			u[i], v[i] = x, y
		}
	case foldRoot: // the complex square root, either of the two
		if flip == 0 {
			flip = 1
		}
		for i, x := range px {
			y := py[i]
			r := sqrt32(float32(x*x) + float32(y*y))
			flip = -flip
			u[i] = sqrt32(max(r+x, 0)/2) * flip
			v[i] = sqrt32(max(r-x, 0)/2) * flip
			if y < 0 {
				v[i] = -v[i]
			}
		}
	case foldSine:
		for i, x := range px {
			u[i], v[i] = sine(x), sine(py[i])
		}
	case foldSwirl:
		for i, x := range px {
			y := py[i]
			t := float32(x*x) + float32(y*y)
			s, c := sine(t), sine(t+math.Pi/2)
			u[i], v[i] = float32(x*s)-float32(y*c), float32(x*c)+float32(y*s)
		}
	case foldWave:
		for i, x := range px {
			y := py[i]
			u[i], v[i] = x+float32(0.4*sine(3*y)), y+float32(0.4*sine(3*x))
		}
	}
	return flip
}

// sqrt32 is the square root of a float32, correctly rounded.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// sine is sin(x) to about 4e-4 for moderate x: the argument is brought to [-1/4, 1/4] turns and the odd polynomial of
// degree 5 with the Taylor coefficients of sin(2 pi t), the last two changed to give 1 with slope 0 at 1/4, is taken.
func sine(x float32) float32 {
	t := float64(float64(x) * (1 / (2 * math.Pi)))
	t -= math.Floor(t + 0.5)
	if t > 0.25 {
		t = 0.5 - t
	} else if t < -0.25 {
		t = -0.5 - t
	}
	t *= 4 // -1 to 1
	t2 := float64(t * t)
	// a t + b t^3 + c t^5 with a = pi/2, a+b+c = 1, a+3b+5c = 0.
	const a = math.Pi / 2
	const c = a - 1.5
	const b = 1 - a - c
	return float32(t * (a + float64(t2*(b+float64(c*t2)))))
}
