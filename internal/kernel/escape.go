package kernel

import "math"

// EscapeMap is a map z -> f(z) + c to iterate, and a trap that the distance of orbits is measured from: a cross of two lines, or a
// circle. And and FlipY are bits of float64, of which the sign counts: it stays where And has it and turns where FlipY has it.
// With them absolute values and conjugates are taken before z is raised to the power of Degree; AndU is for the real part of z².
type EscapeMap struct {
	AndX, AndY, FlipY, AndU uint64
	Degree, Limit           int64
	Cross                   int64   // 1 for a cross
	X, Y                    float64 // middle of the trap
	R2                      float64 // square of the radius of the circle
	Sin, Cos                float64 // of the turn of the cross
}

// Orbits are orbits to iterate, in slices of one length. X and Y go from the starting points to where orbits end, CX and CY are c,
// Near becomes the least distance from the trap (its square, or a difference of squares), Steps the number of steps.
type Orbits struct{ X, Y, CX, CY, Near, Steps []float64 }

// EscapeRadius2 is the square of the radius at which an orbit has escaped; orbitClose is how close to itself one has to come, as the
// sum of both distances, to be in a cycle.
const (
	EscapeRadius2 = 1 << 14
	orbitClose    = 1e-10
)

// Iterate runs the orbits until they escape, come back to where they were, or have made Limit steps, at least 1. Products are not
// fused.
func (m *EscapeMap) Iterate(o *Orbits) {
	if escapeVector(m, o) {
		return
	}
	for i := range o.X {
		o.X[i], o.Y[i], o.Near[i], o.Steps[i] = m.Orbit(o.X[i], o.Y[i], o.CX[i], o.CY[i])
	}
}

// Orbit is Iterate for one orbit.
func (m *EscapeMap) Orbit(x, y, cx, cy float64) (endX, endY, near, steps float64) {
	near = math.MaxFloat64
	// Brent's check for cycles: points inside run into one, and need not be iterated to the limit.
	sx, sy := x, y
	check := int64(8)
	const sign = 1 << 63
	absX, absY, flipY, absU := m.AndX&sign == 0, m.AndY&sign == 0, m.FlipY&sign != 0, m.AndU&sign == 0
	for n := int64(1); ; n++ {
		if absX {
			x = math.Abs(x)
		}
		if absY {
			y = math.Abs(y)
		}
		if flipY {
			y = -y
		}
		u, v := float64(x*x)-float64(y*y), float64(2*x*y)
		if absU {
			u = math.Abs(u)
		}
		if m.Degree == 4 {
			u, v = float64(u*u)-float64(v*v), float64(2*u*v)
		} else {
			for range m.Degree - 2 {
				u, v = float64(u*x)-float64(v*y), float64(u*y)+float64(v*x)
			}
		}
		x, y = u+cx, v+cy
		dx, dy := x-m.X, y-m.Y
		if m.Cross != 0 {
			a, b := float64(dx*m.Cos)+float64(dy*m.Sin), float64(dy*m.Cos)-float64(dx*m.Sin)
			near = min(near, float64(a*a), float64(b*b))
		} else {
			near = min(near, math.Abs(float64(dx*dx)+float64(dy*dy)-m.R2))
		}
		if n == m.Limit || float64(x*x)+float64(y*y) > EscapeRadius2 || math.Abs(x-sx)+math.Abs(y-sy) < orbitClose {
			return x, y, near, float64(n)
		}
		if n == check {
			sx, sy = x, y
			check *= 2
		}
	}
}
