package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// CausticRefraction shows the image on the ground of moving water: a field of light nets is taken for the height of
// the surface, through whose slopes the image is seen refracted and by which it is lit. Least side 1.
type CausticRefraction struct {
	Lens  float64 // reach of the refraction, in pixels; published as level/20·S, S being the shorter side
	Light float64 // gain of the light, white is 1; published as level/5
}

func runCaustic(j job) {
	c, d := CausticRefraction{j.scaled(0.5 * side(j.src.W, j.src.H)), j.scaled(2)}, &j.s.draws.water
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// CausticDraws are the random numbers of caustic_refraction.
type CausticDraws struct {
	Time float64
	Size float64 // period of the water, in pixels
}

// Draw makes d the numbers of a w by h image: Time uniform in [1/2, 2), Size in [0.75·S, 1.25·S), S being the shorter
// side.
func (c CausticRefraction) Draw(d *CausticDraws, w, h int, r *rng.Rand) {
	d.Time = r.Uniform(0.5, 2)
	d.Size = float64(r.Uniform(0.75, 1.25) * side(w, h))
}

// Constants of the published shader and of the refraction.
const (
	causticTurn   = 6.28318530718 // radians a period
	causticShift  = -250
	causticFocus  = 0.005
	causticRounds = 5
	causticTop    = 1.17
	causticPower  = 1.4
	waterEta      = 4 // refractive index
	waterSigma    = 1 // of the smoothing of the surface, in pixels
	waterCut      = 4 // standard deviations after which the smoothing is cut off
	upright       = 1 - 1e-3
)

// Apply makes dst the src under water.
func (c CausticRefraction) Apply(dst, src *raster.Image, d *CausticDraws, s *Scratch) {
	prepare(dst, src)
	w, h := src.W, src.H
	s.raw.Reset(w, h, 1)
	d.net(s.raw.Pix, w, h, s)
	s.gauss.Set(waterSigma, waterCut)
	s.gauss.Blur(&s.water, &s.raw, filter.Reflect)
	s.zeros = buffer.Resize(s.zeros, w)
	clear(s.zeros)
	row := func(y int) []float64 {
		if y < 0 || y >= h {
			return s.zeros
		}
		return s.water.Pix[y*w:][:w:w]
	}
	for y := range h {
		c.refract(dst, src, y, row(y-1), row(y), row(y+1))
	}
}

// refract makes row y of dst from the heights of the rows above, here and below; heights outside the image are 0.
func (c CausticRefraction) refract(dst, src *raster.Image, y int, above, here, below []float64) {
	w := src.W
	out := dst.Pix[4*y*w:][:4*w]
	for x := range here {
		left, right := 0.0, 0.0
		if x > 0 {
			left = here[x-1]
		}
		if x+1 < w {
			right = here[x+1]
		}
		dy, dx := below[x]-above[x], right-left
		vy, vx := c.bend(dy, dx)
		p := bilinear(src, &kernel.Unit64, float64(y)+vy, float64(x)+vx)
		across, down := float64(-dx*c.Light), float64(dy*c.Light)
		o := out[4*x:][:4:4]
		for k := range p {
			o[k] = filter.Byte((p[k] + across) + down)
		}
		o[3] = 255
	}
}

// bend returns where, relative to the pixel, a ray that comes in upright meets the ground under a surface of slope (dy,
// dx), in pixels rounded to three decimals. The published code turns angles into vectors and back; with the normal n =
// (dy, dx, 1)/|…|, ρ the sine of the angle between the ray and n, and s the unit vector across both, its result
// cos(out)·n + sin(out)·(n×s), sin(out) = ρ/η, is in the plane of the image (n₀, n₁)·(sqrt(1-ρ²/η²) - n₂/η).
func (c CausticRefraction) bend(dy, dx float64) (vy, vx float64) {
	squared := float64(dy*dy) + float64(dx*dx)
	nz := 1 / math.Sqrt(squared+1)
	if nz >= upright {
		return 0, 0
	}
	rho2 := squared / (squared + 1)
	// Quotients by powers of two are products to the compiler, which must not be fused either.
	f := math.Sqrt(1-float64(rho2/(waterEta*waterEta))) - float64(nz/waterEta)
	f = float64(float64(f*nz) * c.Lens)
	return thousandths(float64(dy * f)), thousandths(float64(dx * f))
}

// thousandths rounds v to three decimals, as NumPy does.
func thousandths(v float64) float64 { return ((float64(v*1000) + magic) - magic) / 1000 }

// net sets dst to the light net, in 0…1, row by row. A place on the ground has coordinates in radians, (row, column);
// in each round waves move it by sines of sums of its former coordinates and the time, and the light is gathered where
// it moved to. Taking the sums apart leaves a sine and a cosine of each coordinate and round.
func (d *CausticDraws) net(dst []float64, w, h int, s *Scratch) {
	s.rowBuffers(2 * w)
	s.d = buffer.Resize(s.d, w)
	n := &s.net
	*n = kernel.LightNet{Moved: s.a, Sin: s.b, Cos: s.c, Columns: s.d}
	for x := range n.Columns {
		n.Columns[x] = d.place(x)
	}
	var times [causticRounds]wave
	for k := range times {
		t := float64(d.Time * (1 - 3.5/float64(k+1)))
		times[k] = wave{re: detmath.Cos(t), im: detmath.Sin(t)}
	}
	for y := range h {
		light := dst[y*w:][:w:w]
		n.Row = d.place(y)
		for x := range light {
			light[x], n.Moved[x] = 1, n.Row
		}
		copy(n.Moved[w:], n.Columns)
		kernel.SinCos(n.Sin, n.Cos, n.Moved, 1)
		for _, t := range times {
			n.Move(t.re, t.im)
			kernel.SinCos(n.Sin, n.Cos, n.Moved, 1)
			n.Gather(light, t.re, t.im, causticFocus)
		}
		for x, v := range light {
			v = causticTop - pow(v/causticRounds, causticPower)
			v *= v
			v *= v
			light[x] = min(float64(v*v), 1)
		}
	}
}

// wave is the cosine and the sine of a time.
type wave struct{ re, im float64 }

// place returns the place of pixel k of an axis, in radians.
func (d *CausticDraws) place(k int) float64 {
	f := float64(k) / d.Size
	return float64((f-math.Floor(f))*causticTurn) + causticShift
}
