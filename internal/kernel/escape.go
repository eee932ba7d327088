package kernel

import "math"

// EscapeMap is a map z -> f(z) + c to iterate, and a trap that the distance of orbits is measured from. And and FlipY are bits of
// float64, of which the sign counts: it stays where And has it and turns where FlipY has it. With them absolute values and conjugates
// are taken before z is raised to the power of Degree, at most 6; AndU is for the real part of z².
type EscapeMap struct {
	AndX, AndY, FlipY, AndU uint64
	Degree                  int64
	Limit                   int64 // most steps, rounded up to a multiple of 8
	Trap                    int64
	X, Y                    float64 // middle of the trap
	R2                      float64 // square of the radius of the circle
	Sin, Cos                float64 // of the turn of the cross
}

// What EscapeMap.Trap is.
const (
	TrapNone   = iota // nothing is measured
	TrapCircle        // a circle, or a point
	TrapCross         // two lines
)

// OrbitsAtOnce is how many orbits are iterated together: about as many as the second cache holds.
const OrbitsAtOnce = 4096

// Orbits are orbits to iterate: starting points, which have not escaped, and c. The other arrays are results in any order: the squares of
// the distances from 0 at which orbits end, their least distances from the trap (its square, or a difference of squares), how many steps
// they made, and which orbits they are.
type Orbits struct {
	X, Y, CX, CY        [OrbitsAtOnce]float64
	Square, Near, Steps [OrbitsAtOnce]float64
	Index               [OrbitsAtOnce]int64
}

// EscapeRadius2 is the square of the radius beyond which an orbit has escaped; orbitClose is how close to itself one has to come, as
// the sum of both distances, to be in a cycle. Orbits that escape never come as close but by chance; those that run into a cycle make
// twice as many steps to 1e-10, and their least distance hardly changes on the way.
const (
	EscapeRadius2 = 1 << 14
	orbitClose    = 1e-6
)

// orbitBlock is the number of steps after which orbits are compared with where they were.
const orbitBlock = 8

// pace is the number of steps after which orbits are tested for escape: as many as an escaped one can make with its square being
// finite. A map of degree 2 leads from 2^7 to 2^112 in four steps, one of degree 6 to 2^252 in two.
func (m *EscapeMap) pace() int64 {
	if m.Degree == 2 {
		return 4
	}
	return 2
}

// Iterate runs the first n orbits until they escape, come back to where they were, or have made Limit steps. Products are not fused.
func (m *EscapeMap) Iterate(o *Orbits, n int) {
	if escapeVector(m, o, n) {
		return
	}
	for i := range n {
		o.Square[i], o.Near[i], o.Steps[i] = m.Orbit(o.X[i], o.Y[i], o.CX[i], o.CY[i])
		o.Index[i] = int64(i)
	}
}

// Orbit is Iterate for one orbit.
func (m *EscapeMap) Orbit(x, y, cx, cy float64) (square, near, steps float64) {
	near = math.MaxFloat64
	// Brent's check for cycles: points inside run into one, and need not be iterated to the limit.
	backX, backY := x, y
	pace := m.pace()
	for n := int64(0); ; {
		for range pace {
			u, v := m.raise(x, y)
			x, y = u+cx, v+cy
			near = min(near, m.distance(x, y))
		}
		n += pace
		square = float64(x*x) + float64(y*y)
		if square > EscapeRadius2 {
			return square, near, float64(n)
		}
		if n%orbitBlock != 0 {
			continue
		}
		if n >= m.Limit || math.Abs(x-backX)+math.Abs(y-backY) < orbitClose {
			return square, near, float64(n)
		}
		if n&(n-1) == 0 {
			backX, backY = x, y
		}
	}
}

// raise returns f(z).
func (m *EscapeMap) raise(x, y float64) (u, v float64) {
	const sign = 1 << 63
	if m.AndX&sign == 0 {
		x = math.Abs(x)
	}
	if m.AndY&sign == 0 {
		y = math.Abs(y)
	}
	if m.FlipY&sign != 0 {
		y = -y
	}
	u, v = float64(x*x)-float64(y*y), float64(2*x*y)
	if m.AndU&sign == 0 {
		u = math.Abs(u)
	}
	if m.Degree == 4 {
		return float64(u*u) - float64(v*v), float64(2 * u * v)
	}
	for range m.Degree - 2 {
		u, v = float64(u*x)-float64(v*y), float64(u*y)+float64(v*x)
	}
	return u, v
}

// distance is how far a point is from the trap.
func (m *EscapeMap) distance(x, y float64) float64 {
	dx, dy := x-m.X, y-m.Y
	switch m.Trap {
	case TrapCircle:
		return math.Abs(float64(dx*dx) + float64(dy*dy) - m.R2)
	case TrapCross:
		a, b := float64(dx*m.Cos)+float64(dy*m.Sin), float64(dy*m.Cos)-float64(dx*m.Sin)
		return min(float64(a*a), float64(b*b))
	}
	return math.MaxFloat64
}
