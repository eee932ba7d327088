package vec

import "math"

// GELU sets x to x*Phi(x), or with sigmoid to x*sigmoid(1.702 x).
func GELU(x []float32, sigmoid bool) {
	if sigmoid {
		for i := geluVector(x); i < len(x); i++ {
			v := float64(x[i])
			x[i] = float32(v / (1 + math.Exp(-1.702*v)))
		}
		return
	}
	for i, t := range x {
		v := float64(t)
		x[i] = float32(0.5 * v * (1 + math.Erf(v/math.Sqrt2)))
	}
}

// GELUGrad multiplies g by the derivative of GELU at u.
func GELUGrad(g, u []float32, sigmoid bool) {
	u = u[:len(g)]
	if sigmoid {
		for i := geluGradVector(g, u); i < len(g); i++ {
			v := float64(u[i])
			s := 1 / (1 + math.Exp(-1.702*v))
			g[i] *= float32(s * (1 + 1.702*v*(1-s)))
		}
		return
	}
	for i, t := range u {
		v := float64(t)
		// Phi(x) + x*phi(x)
		d := 0.5*(1+math.Erf(v/math.Sqrt2)) + v*math.Exp(-v*v/2)/math.Sqrt(2*math.Pi)
		g[i] *= float32(d)
	}
}
