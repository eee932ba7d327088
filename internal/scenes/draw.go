package scenes

import (
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Ranges of what differs between images of a class. Sizes are fractions of half the image's side.
const (
	minScale, maxScale = 0.5, 0.85
	maxTurn            = 0.35 // radians: 20 degrees either way
	maxStretch         = 0.15
	minContrast        = 0.3 // of luminance between shape and background, 0 to 1
)

// Draw paints an image of the class into dst, giving it size x size pixels. It is a function of its arguments. Parity
// class: exact on every machine (tests named Pinned).
func Draw(dst *raster.Image, size, class int, key rng.Key) {
	r := key.Rand()
	sc := compose(class, &r)
	dst.Reset(size, size)
	pixel := 2 / float64(size)
	for y := range size {
		for x := range size {
			p := point{float64((float64(x)+0.5)*pixel) - 1, float64((float64(y)+0.5)*pixel) - 1}
			c := sc.at(p, pixel)
			n := sc.grain * r.Normal()
			dst.Set(x, y, raster.RGB{R: quantize(c[0] + n), G: quantize(c[1] + n), B: quantize(c[2] + n)})
		}
	}
}

func quantize(v float64) uint8 { return uint8(min(max(float64(v*255)+0.5, 0), 255)) }

// color is red, green, blue in [0, 1].
type color [3]float64

func (c color) luminance() float64 {
	return float64(0.299*c[0]) + float64(0.587*c[1]) + float64(0.114*c[2])
}

// mixed goes from a to b as t goes from 0 to 1.
func mixed(a, b color, t float64) color {
	for i := range a {
		a[i] += float64(t * (b[i] - a[i]))
	}
	return a
}

// times scales all three.
func (c color) times(f float64) color { return color{c[0] * f, c[1] * f, c[2] * f} }

// hue returns a saturated color of hue h in [0, 1) made paler and darker.
func hue(h, saturation, value float64) color {
	var c color
	for i := range c {
		// The distance on the circle of hues from this channel's place.
		d := h - float64(i)/3
		if d < 0 {
			d = -d
		}
		d = min(d, 1-d)
		pure := min(max(2-float64(6*d), 0), 1)
		c[i] = float64(value * (1 - float64(saturation*(1-pure))))
	}
	return c
}

func randomColor(r *rng.Rand) color {
	return hue(r.Float64(), r.Uniform(0.1, 0.95), r.Uniform(0.2, 1))
}

// scene is everything about an image but the pixels.
type scene struct {
	shape            *shape
	center           point
	cos, sin         float64
	scaleX, scaleY   float64
	front, back      surface
	light            point // the direction that gets lighter
	shade            float64
	shadow           point
	shadowDepth      float64
	outline          float64 // width of a darker rim, 0 for none
	grain            float64
	exposure, offset float64
}

func compose(class int, r *rng.Rand) *scene {
	s := &scene{shape: &shapes[class]}
	scale := r.Uniform(minScale, maxScale)
	s.scaleX = scale * r.Uniform(1-maxStretch, 1+maxStretch)
	s.scaleY = scale * r.Uniform(1-maxStretch, 1+maxStretch)
	room := 1 - float64(0.9*scale)
	s.center = point{r.Uniform(-room, room), r.Uniform(-room, room)}
	turn := r.Uniform(-maxTurn, maxTurn)
	s.cos, s.sin = detmath.Cos(turn), detmath.Sin(turn)
	for {
		s.front, s.back = newSurface(r), newSurface(r)
		if d := s.front.mean().luminance() - s.back.mean().luminance(); d > minContrast || d < -minContrast {
			break
		}
	}
	s.light = direction(r)
	s.shade = r.Uniform(0, 0.25)
	s.shadow = direction(r)
	if r.Bool() {
		s.shadowDepth = r.Uniform(0.2, 0.6)
	}
	if r.IntN(3) == 0 {
		s.outline = r.Uniform(0.06, 0.14)
	}
	s.grain = r.Uniform(0, 0.02)
	s.exposure, s.offset = r.Uniform(0.75, 1.05), r.Uniform(0, 0.08)
	return s
}

func direction(r *rng.Rand) point {
	t := r.Uniform(0, 6.283185307179586)
	return point{detmath.Cos(t), detmath.Sin(t)}
}

// local takes a place of the image to the shape's frame.
func (s *scene) local(p point) point {
	x, y := p.x-s.center.x, p.y-s.center.y
	return point{
		(float64(s.cos*x) + float64(s.sin*y)) / s.scaleX,
		(float64(s.cos*y) - float64(s.sin*x)) / s.scaleY,
	}
}

// distance is the shape's in units of the image, near its edge.
func (s *scene) distance(p point) float64 {
	q := s.local(p)
	if float64(q.x*q.x)+float64(q.y*q.y) > 6 {
		return 1
	}
	return s.shape.distance(q) * min(s.scaleX, s.scaleY)
}

// at is the color of a pixel whose side is given.
func (s *scene) at(p point, pixel float64) color {
	d := s.distance(p)
	cover := min(max(0.5-d/pixel, 0), 1)
	c := s.back.at(p)
	if s.shadowDepth > 0 && cover < 1 {
		away := s.distance(point{p.x - float64(0.12*s.shadow.x), p.y - float64(0.12*s.shadow.y)})
		dark := min(max(0.5-away/0.16, 0), 1)
		c = c.times(1 - float64(s.shadowDepth*dark))
	}
	if cover > 0 {
		f := s.front.at(s.local(p))
		if s.outline > 0 && d > -s.outline {
			f = f.times(0.45)
		}
		c = mixed(c, f, cover)
	}
	lit := s.exposure * (1 + float64(s.shade*(float64(s.light.x*p.x)+float64(s.light.y*p.y))))
	c = c.times(lit)
	for i := range c {
		c[i] += s.offset
	}
	return c
}
