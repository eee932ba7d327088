package vec

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// GELU sets x to x*Phi(x), or with sigmoid to x*sigmoid(1.702 x).
func GELU(x []float32, sigmoid bool) {
	if sigmoid {
		for i := geluVector(x); i < len(x); i++ {
			x[i] *= sigmoid1702(x[i])
		}
		return
	}
	for i, t := range x {
		v := float64(t)
		x[i] = float32(0.5 * v * (1 + detmath.Erf(v/math.Sqrt2)))
	}
}

// GELUGrad multiplies g by the derivative of GELU at u.
func GELUGrad(g, u []float32, sigmoid bool) {
	u = u[:len(g)]
	if sigmoid {
		for i := geluGradVector(g, u); i < len(g); i++ {
			s := sigmoid1702(u[i])
			g[i] *= fma(1-s, float32(1.702*u[i]), 1) * s
		}
		return
	}
	for i, t := range u {
		v := float64(t)
		// Phi(x) + x*phi(x)
		d := 0.5*(1+detmath.Erf(v/math.Sqrt2)) + float64(v*detmath.Exp(-v*v/2)/math.Sqrt(2*math.Pi))
		g[i] *= float32(d)
	}
}

// expCoefs are the Taylor coefficients of 2^f: on [-1/2, 1/2] the term after them is at most (ln 2/2)^7/7! = 1.2e-7.
var expCoefs = func() (c [7]float32) {
	v := 1.0
	for k := range c {
		if k > 0 {
			v *= math.Ln2 / float64(k)
		}
		c[k] = float32(v)
	}
	return c
}()

// sigmoid1702 returns 1/(1 + e^(-1.702 x)).
func sigmoid1702(x float32) float32 {
	const scale = -1.702 / math.Ln2
	f := float32(scale * x)
	if -125 > f {
		f = -125
	}
	if 125 < f {
		f = 125
	}
	if f != f {
		return f
	}
	n := float32(math.RoundToEven(float64(f)))
	f -= n
	p := expCoefs[6]
	for k := 5; k >= 0; k-- {
		p = fma(f, p, expCoefs[k])
	}
	p = math.Float32frombits(math.Float32bits(p) + uint32(int32(n))<<23) // times 2^n
	return 1 / (p + 1)
}
