package scenes

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// pattern is how the two colors of a surface meet.
type pattern int

const (
	plain pattern = iota
	gradient
	stripes
	checks
	dots
	clouds
	patterns // how many there are
)

// surface is a pattern of two colors.
type surface struct {
	pattern pattern
	a, b    color
	along   point   // the direction of gradients and stripes
	pitch   float64 // periods of the pattern over the unit length
	phase   float64
	lattice [8][8]float64 // of clouds
}

func newSurface(r *rng.Rand) surface {
	s := surface{pattern: pattern(r.IntN(int(patterns))), a: randomColor(r)}
	s.b = mixed(s.a, randomColor(r), r.Uniform(0.1, 0.4))
	s.along, s.pitch, s.phase = direction(r), r.Uniform(1, 4), r.Float64()
	if s.pattern == clouds {
		for i := range s.lattice {
			for j := range s.lattice[i] {
				s.lattice[i][j] = r.Float64()
			}
		}
	}
	return s
}

func (s *surface) mean() color { return mixed(s.a, s.b, 0.5) }

// at is the surface's color at a place of its own frame.
func (s *surface) at(p point) color {
	u := float64(s.along.x*p.x) + float64(s.along.y*p.y)
	v := float64(s.along.x*p.y) - float64(s.along.y*p.x)
	var t float64
	switch s.pattern {
	case gradient:
		t = min(max(0.5+float64(0.5*u), 0), 1)
	case stripes:
		t = soft(wave(float64(s.pitch*u) + s.phase))
	case checks:
		t = soft(float64(wave(float64(s.pitch*u)+s.phase) * wave(float64(s.pitch*v)+s.phase)))
	case dots:
		t = soft(wave(float64(s.pitch*u)+s.phase) + wave(float64(s.pitch*v)+s.phase) - 0.8)
	case clouds:
		t = float64(0.65*s.value(p, 1.5)) + float64(0.35*s.value(p, 3.5))
	}
	return mixed(s.a, s.b, t)
}

// wave is a cosine of period 1.
func wave(t float64) float64 { return detmath.Cos(float64(6.283185307179586 * t)) }

// soft is a step from 0 to 1 around 0.
func soft(v float64) float64 { return min(max(0.5+float64(2.5*v), 0), 1) }

// value interpolates the lattice, which repeats, at the given cells a unit.
func (s *surface) value(p point, cells float64) float64 {
	x, y := float64(p.x*cells)+16, float64(p.y*cells)+16
	fx, fy := math.Floor(x), math.Floor(y)
	i, j := int(fx), int(fy)
	tx, ty := smooth(x-fx), smooth(y-fy)
	at := func(i, j int) float64 { return s.lattice[i&7][j&7] }
	top := at(i, j) + float64(tx*(at(i+1, j)-at(i, j)))
	bottom := at(i, j+1) + float64(tx*(at(i+1, j+1)-at(i, j+1)))
	return top + float64(ty*(bottom-top))
}

func smooth(t float64) float64 { return float64(float64(t*t) * (3 - float64(2*t))) }
