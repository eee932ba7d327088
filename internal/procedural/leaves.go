package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The shapes of leaves.
const (
	leafSquare = iota // upright
	leafTurned        // a square of any direction
	leafOblong        // a rectangle of any direction
	leafCircle
	leafPolygon // regular, 3 to 7 corners
	leafMixed   // any of these
)

// leaf is one shape: a circle, or a convex polygon by its corners.
type leaf struct {
	x, y, r float64
	n       int // corners; 0 for a circle
	px, py  [8]float64
	a, b    rgb     // colors at either end
	gx, gy  float64 // from one end to the other, in 1/pixels
	wave    float64 // stripes from end to end; 0 for a plain gradient
}

// leaves are the kinds "deadleaves" and "deadleaves-squares". Leaves are laid from the front to the back: a later one
// shows only where there is none yet, and the image is done when nothing is left bare. That is the stationary state of
// the model itself, where laying from back to front would only come near it. Radii follow r^-3, for which scenes look
// the same at all distances.
type leaves struct {
	squares bool
	pal     palette
	next    []int32 // next[i] is the first bare pixel from i on, or nearer to it
	bare    int
}

// bareShare is the share of bare pixels from which on leaves are centered on one of them, so that the last gaps, in
// which few leaves would ever fall, are closed.
const bareShare = 0.01

func (k *leaves) paint(dst *raster.Image, r *rng.Rand) {
	side := dst.W
	shape, wild, shade := leafSquare, true, false
	if !k.squares {
		shape, wild, shade = r.IntN(leafMixed+1), r.Float64() < 0.3, r.Float64() < 0.6
	}
	k.pal.draw(r, r.Float64(), full)
	least, most := r.Uniform(0.01, 0.045), r.Uniform(0.2, 0.45)
	if cap(k.next) < side*side+1 {
		k.next = make([]int32, side*side+1)
	}
	k.next = k.next[:side*side+1]
	for i := range k.next {
		k.next[i] = int32(i)
	}
	k.bare = side * side
	for k.bare > 0 {
		var l leaf
		l.r = float64(side) * radius(least, most, r.Float64())
		margin := float64(most * float64(side)) // the same for all, or large leaves would fall thinner than small ones
		l.x, l.y = r.Uniform(-margin, float64(side)+margin), r.Uniform(-margin, float64(side)+margin)
		if float64(k.bare) < bareShare*float64(side*side) {
			if i := k.find(r.IntN(side * side)); i < side*side {
				l.x, l.y = float64(i%side)+0.5, float64(i/side)+0.5
			}
		}
		s := shape
		if s == leafMixed {
			s = r.IntN(leafMixed)
		}
		l.form(s, r)
		k.color(&l, wild, shade, r)
		k.lay(dst, &l)
	}
}

// radius returns the radius that the share u of the density r^-3 between least and most lies below.
func radius(least, most, u float64) float64 {
	lo, hi := 1/float64(least*least), 1/float64(most*most)
	return 1 / math.Sqrt(lo-float64((lo-hi)*u))
}

// form gives the leaf its corners.
func (l *leaf) form(shape int, r *rng.Rand) {
	turn, squash := 0.0, 1.0
	switch shape {
	case leafCircle:
		l.n = 0
		return
	case leafSquare:
		l.n, turn = 4, math.Pi/4
	case leafTurned:
		l.n, turn = 4, r.Uniform(0, math.Pi/2)
	case leafOblong:
		l.n, turn, squash = 4, math.Pi/4, r.Uniform(0.15, 0.7)
	case leafPolygon:
		l.n, turn = 3+r.IntN(5), r.Uniform(0, 2*math.Pi)
	}
	var sin, cos float64 = 0, 1
	if shape == leafOblong {
		a := r.Uniform(0, math.Pi)
		sin, cos = detmath.Sin(a), detmath.Cos(a)
	}
	for i := range l.n {
		a := turn + 2*math.Pi*float64(i)/float64(l.n)
		x := float64(l.r * detmath.Cos(a))
		y := float64(l.r*detmath.Sin(a)) * squash
		l.px[i] = l.x + float64(x*cos) - float64(y*sin)
		l.py[i] = l.y + float64(x*sin) + float64(y*cos)
	}
}

// color draws the colors: wild ones are uniform in the cube, as in the paper, the others of one palette.
func (k *leaves) color(l *leaf, wild, shade bool, r *rng.Rand) {
	one := func() rgb {
		if wild {
			return rgb{float32(r.Float64()), float32(r.Float64()), float32(r.Float64())}
		}
		return k.pal.at(r.Float64())
	}
	l.a = one()
	l.b = l.a
	if !shade {
		return
	}
	l.b = blend(l.a, one(), float32(r.Uniform(0.2, 1)))
	a := r.Uniform(0, 2*math.Pi)
	l.gx, l.gy = detmath.Cos(a)/l.r, detmath.Sin(a)/l.r
	if r.Float64() < 0.35 {
		l.wave = float64(2 + r.IntN(7))
	}
}

// find returns the first bare pixel from i on, len(next)-1 if there is none, and shortens later searches.
func (k *leaves) find(i int) int {
	root := i
	for int(k.next[root]) != root {
		root = int(k.next[root])
	}
	for int(k.next[i]) != root {
		k.next[i], i = int32(root), int(k.next[i])
	}
	return root
}

// lay paints the bare pixels whose center is within the leaf.
func (k *leaves) lay(dst *raster.Image, l *leaf) {
	side := dst.W
	top, bottom := l.y-l.r, l.y+l.r
	for y := max(int(math.Ceil(top-0.5)), 0); y < side && float64(y)+0.5 <= bottom; y++ {
		x0, x1, ok := l.span(float64(y) + 0.5)
		if !ok {
			continue
		}
		from, to := max(int(math.Ceil(x0-0.5)), 0), min(int(math.Ceil(x1-0.5)), side)
		for i := k.find(y*side + max(min(from, side), 0)); i < y*side+to; i = k.find(i + 1) {
			store(dst.Pix[4*i:][:4], l.at(float64(i-y*side)+0.5, float64(y)+0.5))
			k.next[i] = int32(i + 1)
			k.bare--
		}
	}
}

// span returns where the leaf begins and ends at height y.
func (l *leaf) span(y float64) (x0, x1 float64, ok bool) {
	if l.n == 0 {
		d := y - l.y
		h := float64(l.r*l.r) - float64(d*d)
		if h <= 0 {
			return 0, 0, false
		}
		w := math.Sqrt(h)
		return l.x - w, l.x + w, true
	}
	x0, x1 = math.Inf(1), math.Inf(-1)
	for i := range l.n {
		j := (i + 1) % l.n
		ya, yb := l.py[i], l.py[j]
		if (ya <= y) == (yb <= y) {
			continue
		}
		x := l.px[i] + float64((l.px[j]-l.px[i])*((y-ya)/(yb-ya)))
		x0, x1 = min(x0, x), max(x1, x)
	}
	return x0, x1, x0 < x1
}

// at returns the color at a position.
func (l *leaf) at(x, y float64) rgb {
	if l.gx == 0 && l.gy == 0 {
		return l.a
	}
	t := (float64((x-l.x)*l.gx) + float64((y-l.y)*l.gy) + 1) / 2
	if l.wave > 0 {
		t = float64(t * l.wave)
		t -= math.Floor(t)
		t = min(2*t, 2-2*t)
	}
	return blend(l.a, l.b, float32(min(max(t, 0), 1)))
}
