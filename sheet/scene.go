package sheet

import (
	"math"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
)

// Scene draws the built-in image, w by h pixels: a house and a tree before mountains, for a first look without an
// image of one's own. It is made so that every operation shows: all hues, soft gradients (sky), hard edges (house,
// fence), fine texture (grass, leaves, tiles), and a clear top, bottom, left and right. It needs no random source: the
// textures come from a hash of their place. Values may differ by a gray level between architectures.
func Scene(w, h int) *raster.Image {
	m := raster.New(w, h)
	s := newScene(float64(w) / float64(h))
	parallel.Do(h, 0, func(_, y int) { s.row(m, y) })
	return m
}

// row averages samples on a 3 by 3 grid in every pixel.
func (s *scene) row(m *raster.Image, y int) {
	const n = 3
	scale := 1 / float64(m.H)
	for x := range m.W {
		var sum vec
		for j := range n {
			for i := range n {
				px := (float64(x) + (float64(i)+0.5)/n) * scale
				py := (float64(y) + (float64(j)+0.5)/n) * scale
				sum = sum.add(s.at(px, py).clip())
			}
		}
		sum = sum.mul(1.0 / (n * n))
		m.Set(x, y, raster.RGB{R: byteOf(sum.r), G: byteOf(sum.g), B: byteOf(sum.b)})
	}
}

func byteOf(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 1) * 255)) }

// vec is a color, 0 to 1 a channel.
type vec struct{ r, g, b float64 }

func rgb(hex uint32) vec {
	return vec{float64(hex>>16&255) / 255, float64(hex>>8&255) / 255, float64(hex&255) / 255}
}

func (a vec) add(b vec) vec     { return vec{a.r + b.r, a.g + b.g, a.b + b.b} }
func (a vec) mul(k float64) vec { return vec{a.r * k, a.g * k, a.b * k} }
func (a vec) to(b vec, t float64) vec {
	t = min(max(t, 0), 1)
	return a.mul(1 - t).add(b.mul(t))
}

func (a vec) clip() vec {
	return vec{min(max(a.r, 0), 1), min(max(a.g, 0), 1), min(max(a.b, 0), 1)}
}

// scene holds what depends on the aspect ratio alone. Coordinates run from 0 to 1 down the image and from 0 to wide
// across it; objects keep their shape and move with the width.
type scene struct {
	wide  float64
	house frame
	tree  frame
	sun   frame
}

// frame places an object: its origin and its scale.
type frame struct{ x, y, k float64 }

func (f frame) local(x, y float64) (u, v float64) { return (x - f.x) / f.k, (y - f.y) / f.k }

func newScene(wide float64) *scene {
	k := min(wide, 1)
	return &scene{
		wide:  wide,
		sun:   frame{0.20 * wide, 0.17, 0.075 * k},
		house: frame{0.33 * wide, 0.735, 0.30 * k},
		tree:  frame{0.775 * wide, 0.80, 0.34 * k},
	}
}

// at returns the color of a point, painting from the back to the front.
func (s *scene) at(x, y float64) vec {
	c := s.backdrop(x, y)
	c = s.fence(c, x, y)
	c = s.cottage(c, x, y)
	c = s.apple(c, x, y)
	return s.flowers(c, x, y)
}

// backdrop is everything that fills the image from edge to edge; what lies nearer hides what lies behind.
func (s *scene) backdrop(x, y float64) vec {
	if top := s.ground(x); y >= top {
		return s.meadow(x, y, top)
	}
	if shore := s.shore(x); y >= shore {
		return s.lake(x, y, shore)
	}
	if c, ok := s.hills(x, y); ok {
		return c
	}
	return s.mountains(x, y, x)
}

func (s *scene) sky(x, y float64) vec {
	c := rgb(0x2f6fc4).to(rgb(0x7db6ea), y/0.30)
	if y > 0.22 {
		c = c.to(rgb(0xfbd9ae), (y-0.22)/0.26)
	}
	u, v := s.sun.local(x, y)
	d := math.Hypot(u, v)
	c = c.to(rgb(0xffe9b0), 0.75*math.Exp(-0.32*d*d)+0.30*math.Exp(-0.30*d))
	c = c.to(rgb(0xfff6c8), smooth(1.06, 0.94, d))
	veil := smooth(0.44, 0.24, y)
	if veil > 0 {
		veil *= smooth(0.53, 0.74, fbm(x*3.1+7, y*8.5+3, 5))
	}
	if veil == 0 {
		return c
	}
	shade := rgb(0xffffff).to(rgb(0xc9cfe2), smooth(0.0, 0.10, fbm(x*3.1+7, y*8.5+3.35, 5)-0.48))
	return c.to(shade, 0.92*veil)
}

// summits of the near range: place across the image, height of the top, half width at the foot.
var summits = [...]struct{ t, top, half float64 }{
	{0.06, 0.27, 0.20}, {0.42, 0.285, 0.17}, {0.62, 0.175, 0.27}, {0.90, 0.235, 0.22}, {0.245, 0.335, 0.14},
}

// mountains are two ranges before the sky, which is seen at column skyX; the nearer one carries snow and is lit from the
// sun's side.
func (s *scene) mountains(x, y, skyX float64) vec {
	if y < 0.15 { // above every summit
		return s.sky(skyX, y)
	}
	k := min(s.wide, 1)
	rough, edge := fbm(x*30, y*30, 4)-0.5, noise(x*75, 3)-0.5
	best := 0.0
	var side, up float64 // across the ridge line, above the foot
	for i, m := range summits {
		mx := m.t*s.wide + 0.030*(noise(y*16, float64(i)*7.7)-0.5)
		d := (x - mx) / (m.half * k)
		height := 0.485 - m.top
		h := height*(1-math.Abs(d)) + 0.020*rough + 0.012*edge
		if in := y - (0.485 - h); in > 0 && height > best {
			best, side, up = height, d+0.10*rough, (0.485-y)/height
		}
	}
	if best == 0 {
		return s.horizon(x, y, skyX)
	}
	light := smooth(0.05, -0.05, side+0.10*(noise(x*34+y*30, y*34)-0.5))
	rock := rgb(0x3f4a7e).to(rgb(0x9a8ba3), light).mul(0.86 + 0.5*(fbm(x*24, y*34, 4)-0.3))
	snow := rgb(0x9fb2de).to(rgb(0xffffff), light)
	line := 0.50 + 0.30*(noise(x*46, 5)-0.5) + 0.16*(noise(x*110, y*40)-0.5)
	c := rock.to(snow, smooth(line-0.03, line+0.03, up))
	return c.to(rgb(0xdcc4bd), 0.55*smooth(0.40, -0.10, up))
}

// horizon is the farther range before the sky.
func (s *scene) horizon(x, y, skyX float64) vec {
	if far := 0.42 - 0.16*ridge(x*2.3+0.4, 1); y > far {
		return rgb(0x8fa3cf).to(rgb(0xe6cfc0), (y-far)/0.18)
	}
	return s.sky(skyX, y)
}

// hills carry a wood on the left and a field in rows on the right. It returns false above them.
func (s *scene) hills(x, y float64) (vec, bool) {
	t := x / s.wide
	back := 0.475 + 0.055*math.Cos(5.2*t+0.6) - 0.02*t
	crowns := 0.022 * math.Abs(math.Sin(x*58+3*noise(x*9, 2)))
	if y <= back-crowns*smooth(0.75, 0.45, t) {
		return vec{}, false
	}
	wood := rgb(0x1f5a43).to(rgb(0x4f8f4a), fbm(x*38, y*46, 3))
	field := rgb(0x7fa84a)
	stripe := 0.5 + 0.5*math.Sin((x-0.9*y)*210)
	field = field.to(rgb(0xd9b84a), smooth(0.3, 0.7, stripe))
	c := wood.to(field, smooth(0.52, 0.56, t+0.05*(noise(y*14, 8)-0.5)))
	return c.to(rgb(0xcfc9b0), 0.18), true
}

// shore is the height of the far edge of the lake.
func (s *scene) shore(x float64) float64 { return 0.545 + 0.012*math.Sin(7*x/s.wide+1) }

// lake lies between the hills and the meadow and mirrors the sky.
func (s *scene) lake(x, y, shore float64) vec {
	ripple := 0.012 * (noise(x*26, y*240) - 0.5) * 8 * (y - shore)
	mirror := s.mountains(x+ripple*3, 2*shore-y-0.06, x+ripple)
	c := mirror.to(rgb(0x2d6f9e), 0.42)
	return c.to(rgb(0xeaf6ff), 0.55*smooth(0.72, 0.80, noise(x*22, y*210)))
}

// ground is the height where the meadow begins.
func (s *scene) ground(x float64) float64 {
	t := x / s.wide
	return 0.635 - 0.055*math.Cos(4.4*t-1.2) + 0.006*noise(x*40, 4)
}

func (s *scene) meadow(x, y, top float64) vec {
	depth := (y - top) / (1 - top)
	c := rgb(0x8cc152).to(rgb(0x2e7d32), depth)
	// Blades: noise stretched upwards, coarser towards the viewer.
	f := 150 - 80*depth
	blade := noise(x*f+6*noise(x*9, y*9), y*f*0.26)
	c = c.mul(0.70 + 0.55*blade)
	c = c.to(rgb(0xd7d94f), 0.35*smooth(0.60, 0.85, fbm(x*5+2, y*9, 3)))
	return s.path(c, x, y)
}

// path winds from the door to the lower edge.
func (s *scene) path(c vec, x, y float64) vec {
	door := s.house.x + 0.16*s.house.k
	v := (y - s.house.y) / (1 - s.house.y)
	if v < 0 {
		return c
	}
	center := door + s.house.k*(0.55*v*v+0.14*math.Sin(5*v))
	half := s.house.k * (0.075 + 0.26*v*v)
	if math.Abs(x-center) > 1.08*half+0.006 { // beside it, however rough its edge
		return c
	}
	d := math.Abs(x-center) - half*(1+0.16*(noise(x*30, y*30)-0.5))
	stones := rgb(0xd8b98a).mul(0.82 + 0.36*noise(x*70/(0.6+v), y*110/(0.6+v)))
	return c.to(stones, smooth(0.006, -0.006, d))
}

// fence is a row of white pickets on the left and right of the house.
func (s *scene) fence(c vec, x, y float64) vec {
	t := x / s.wide
	if t > 0.07 && t < 0.57 {
		return c
	}
	base := s.ground(x) + 0.085
	high := 0.062
	if y > base || y < base-high-0.02 {
		return c
	}
	step := 0.033
	u := math.Mod(x+1, step)/step - 0.5
	peak := base - high - 0.012*(1-math.Abs(u)/0.30)
	shade := rgb(0xfffdf5).mul(0.80 + 0.20*smooth(0.30, -0.30, u))
	switch {
	case math.Abs(u) < 0.30 && y > peak:
		return shade
	case math.Abs(y-(base-0.020)) < 0.005, math.Abs(y-(base-0.047)) < 0.005:
		return rgb(0xd9d6cc)
	}
	return c
}

// cottage is drawn in units of its own: walls from u = -0.5 to 0.5 and from v = -0.62 up to 0, the eaves at -0.62.
func (s *scene) cottage(c vec, x, y float64) vec {
	u, v := s.house.local(x, y)
	// Shadow on the grass.
	c = c.mul(1 - 0.45*smooth(0.10, -0.05, ellipse(u-0.12, v-0.01, 0.78, 0.07)))
	if box(u, v, 0.22, 0.36, -1.30, -0.80) {
		brick := rgb(0x9a4a3a)
		if math.Mod(v+9, 0.055) < 0.010 || math.Mod(u+9+0.035*math.Floor(v/0.055), 0.07) < 0.010 {
			brick = rgb(0xd9c2b4)
		}
		c = brick
	}
	if box(u, v, 0.20, 0.38, -1.34, -1.29) {
		c = rgb(0x6f3128)
	}
	if box(u, v, -0.5, 0.5, -0.64, 0) {
		c = s.wall(u, v)
	}
	return s.roof(c, u, v)
}

func (s *scene) wall(u, v float64) vec {
	c := rgb(0xf6ead2).mul(0.86 + 0.10*smooth(0.5, -0.5, u) + 0.07*noise(u*50, v*50))
	c = c.mul(1 - 0.35*smooth(-0.50, -0.62, v)) // under the eaves
	if v > -0.07 {
		c = rgb(0x8b8f98).mul(0.75 + 0.4*noise(math.Floor(u*14+math.Floor(v*30)*0.5), math.Floor(v*30)))
	}
	switch {
	case box(u, v, 0.05, 0.27, -0.43, 0):
		c = rgb(0xffffff)
		if box(u, v, 0.075, 0.245, -0.405, 0) {
			c = rgb(0x1f6fb2).mul(0.82 + 0.18*math.Abs(math.Sin(u*74)))
		}
		if math.Hypot(u-0.215, v+0.20) < 0.016 {
			c = rgb(0xffd54a)
		}
	case window(u+0.26, v+0.32, 0.145, 0.135):
		c = pane(u+0.26, v+0.32)
	case window(u-0.385, v+0.32, 0.075, 0.10):
		c = pane((u-0.385)*1.6, v+0.32)
	case box(u, v, -0.42, -0.10, -0.185, -0.125):
		c = rgb(0x7b4a2b)
		if n := noise(u*52, v*52); n > 0.45 {
			c = rgb(0xe8344e).to(rgb(0xff8ac0), smooth(0.5, 0.8, noise(u*40+9, v*40)))
		}
	}
	return c
}

func window(u, v, hw, hh float64) bool { return math.Abs(u) < hw && math.Abs(v) < hh }

func pane(u, v float64) vec {
	if math.Abs(u) > 0.118 || math.Abs(v) > 0.112 || math.Abs(u) < 0.010 || math.Abs(v) < 0.010 {
		return rgb(0xffffff)
	}
	return rgb(0xffd873).to(rgb(0x6fa8dc), smooth(-0.10, 0.16, u*0.8-v))
}

func (s *scene) roof(c vec, u, v float64) vec {
	t := (v + 1.16) / 0.60 // 0 at the ridge, 1 at the eaves
	if t < 0 || t > 1 || math.Abs(u) > 0.30+0.33*t {
		return c
	}
	row := math.Floor(t * 9)
	shift := 0.5 * math.Mod(row, 2)
	col := u/0.075 + shift
	tile := rgb(0xc8402b).to(rgb(0xe2653a), noise(math.Floor(col)*1.7, row*2.3))
	in := t*9 - row
	tile = tile.mul(0.72 + 0.36*in)
	if f := col - math.Floor(col); f < 0.10 {
		tile = tile.mul(0.72)
	}
	if t > 0.965 {
		tile = rgb(0x8a5a3c)
	}
	if t < 0.05 {
		tile = rgb(0xa23322)
	}
	return tile
}

// apple is the tree: trunk, crown of clumps lit from the sun's side, red apples.
func (s *scene) apple(c vec, x, y float64) vec {
	u, v := s.tree.local(x, y)
	c = c.mul(1 - 0.50*smooth(0.10, -0.06, ellipse(u-0.10, v-0.01, 0.62, 0.08)))
	if math.Abs(u) > 0.7 || v < -1.45 || v > 0.03 { // beside the trunk and the crown
		return c
	}
	trunk := 0.062 + 0.05*smooth(-0.18, 0.02, v) + 0.02*smooth(-0.4, -0.8, v)
	if v > -0.75 && v < 0.03 && math.Abs(u+0.03*math.Sin(v*5)) < trunk {
		bark := rgb(0x5d3d26).to(rgb(0x9a6b43), noise(u*60+2*noise(u*9, v*9), v*12))
		c = bark.mul(1.12 - 0.5*smooth(-0.08, 0.08, u))
	}
	edge := 0.16 * (fbm(u*5+3, v*5+1, 4) - 0.5)
	for _, b := range [...]frame{
		{-0.26, -0.62, 0.27},
		{0.27, -0.60, 0.27},
		{0.02, -0.66, 0.34},
		{-0.18, -0.93, 0.27},
		{0.21, -0.91, 0.27},
		{0.01, -1.10, 0.24},
	} {
		p, q := b.local(u, v)
		d := math.Hypot(p, q) + edge
		if d > 1 {
			continue
		}
		light := 0.5 - 0.42*p - 0.48*q
		leaf := rgb(0x17552a).to(rgb(0x8ccb45), smooth(0.0, 1.15, light))
		leaf = leaf.mul(0.66 + 0.60*noise(u*34+4*noise(u*11, v*11), v*34))
		c = leaf.mul(1 - 0.35*smooth(0.85, 1.0, d))
	}
	for _, a := range [...]frame{
		{-0.30, -0.55, 0.045},
		{-0.08, -0.72, 0.045},
		{0.17, -0.55, 0.045},
		{0.34, -0.66, 0.045},
		{-0.26, -0.88, 0.045},
		{0.05, -0.98, 0.045},
		{0.27, -0.93, 0.045},
		{-0.08, -1.16, 0.040},
		{-0.02, -0.50, 0.040},
	} {
		p, q := a.local(u, v)
		if d := math.Hypot(p, q); d < 1 {
			c = rgb(0xd9121f).to(rgb(0x7d0714), smooth(-0.2, 1.2, p+q))
			c = c.to(rgb(0xffffff), 0.8*smooth(0.34, 0.16, math.Hypot(p+0.35, q+0.38)))
		}
	}
	return c
}

// flowers stand in the near meadow, one to a cell of a jittered grid.
func (s *scene) flowers(c vec, x, y float64) vec {
	if y < 0.80 {
		return c
	}
	const cell = 0.058
	for j := -1.0; j <= 1; j++ {
		for i := -1.0; i <= 1; i++ {
			gx, gy := math.Floor(x/cell)+i, math.Floor(y/cell)+j
			if hash(gx, gy) < 0.42 {
				continue
			}
			fx := (gx + 0.2 + 0.6*hash(gx+40, gy)) * cell
			fy := (gy + 0.2 + 0.6*hash(gx, gy+40)) * cell
			if fy < 0.835 || s.onPath(fx, fy) {
				continue
			}
			if out, ok := petal(x-fx, y-fy, 0.008+0.011*(fy-0.8)/0.2, hash(gx+7, gy+3)); ok {
				c = out
			}
		}
	}
	return c
}

func (s *scene) onPath(x, y float64) bool {
	green := vec{0, 1, 0}
	return s.path(green, x, y) != green
}

var petals = [...]vec{rgb(0xff3b5c), rgb(0xffffff), rgb(0xffd21f), rgb(0xa25ce6), rgb(0xff7a1a), rgb(0x3f7bff)}

func petal(dx, dy, size, kind float64) (vec, bool) {
	d := math.Hypot(dx, dy*1.15) / size
	if d > 1 {
		return vec{}, false
	}
	lobe := 0.66 + 0.34*math.Abs(math.Cos(2.5*math.Atan2(dy, dx)))
	if d > lobe {
		return vec{}, false
	}
	if d < 0.34 {
		return rgb(0xf4b400), true
	}
	return petals[int(kind*float64(len(petals)))%len(petals)].mul(0.82 + 0.18*d), true
}

func box(u, v, u0, u1, v0, v1 float64) bool { return u > u0 && u < u1 && v > v0 && v < v1 }

// ellipse is negative inside an ellipse about the origin, in units of its radius.
func ellipse(u, v, ru, rv float64) float64 { return math.Hypot(u/ru, v/rv) - 1 }

// smooth rises from 0 at a to 1 at b without a corner; a may be above b.
func smooth(a, b, v float64) float64 {
	t := min(max((v-a)/(b-a), 0), 1)
	return t * t * (3 - 2*t)
}

// ridge is a mountain silhouette, 0 to about 1: a sum of folded noises.
func ridge(x, row float64) float64 {
	sum, amp, norm := 0.0, 1.0, 0.0
	for range 5 {
		n := 1 - math.Abs(2*noise(x, row*17.3)-1)
		sum += amp * n
		norm += amp
		x, amp, row = x*2.03+1.7, amp*0.48, row+1
	}
	return sum / norm
}

// fbm is fractional Brownian motion: octaves of noise, 0 to 1.
func fbm(x, y float64, octaves int) float64 {
	sum, amp, norm := 0.0, 1.0, 0.0
	for range octaves {
		sum += amp * noise(x, y)
		norm += amp
		x, y, amp = x*2.02+1.3, y*2.02+9.1, amp*0.5
	}
	return sum / norm
}

// noise is smooth value noise on the unit grid, 0 to 1.
func noise(x, y float64) float64 {
	ix, iy := math.Floor(x), math.Floor(y)
	fx, fy := smooth(0, 1, x-ix), smooth(0, 1, y-iy)
	top := hash(ix, iy)*(1-fx) + hash(ix+1, iy)*fx
	low := hash(ix, iy+1)*(1-fx) + hash(ix+1, iy+1)*fx
	return top*(1-fy) + low*fy
}

// hash maps a grid point to [0, 1).
func hash(x, y float64) float64 {
	v := uint32(int32(x))*0x9E3779B1 ^ uint32(int32(y))*0x85EBCA77
	v ^= v >> 15
	v *= 0x2C1B3C6D
	v ^= v >> 12
	v *= 0x297A2D39
	v ^= v >> 15
	return float64(v) / (1 << 32)
}
