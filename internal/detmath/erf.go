package detmath

import "math"

const (
	erfSteps = 16 // nodes lie 1/16 apart
	erfTerms = 11
	erfOne   = 6 // from here on erf is 1 in float64
)

// erfTable holds the Taylor polynomial of erf around each node: the next term is below 2^-56 at a 32nd from it.
var erfTable = func() (table [erfOne*erfSteps + 1][erfTerms]float64) {
	for i := range table {
		x := float64(i) / erfSteps
		// With u[n] the n-th derivative by n!: erf'' = -2x erf', derived n times, ties three of them together.
		u := &table[i]
		slope := 2 / math.Sqrt(math.Pi) * Exp(float64(-x*x))
		u[1] = slope
		for n := range erfTerms - 2 {
			next := float64(x*float64(float64(n+1)*u[n+1])) + float64(float64(n)*u[n])
			u[n+2] = float64(-2*next) / float64((n+1)*(n+2))
		}
		// erf itself is the slope times the sum of (2x²)^n x / (1*3*5*...*(2n+1)), all positive.
		term := x
		sum := x
		for n := 3.0; term > float64(sum*0x1p-60); n += 2 {
			term = float64(term*float64(2*x*x)) / n
			sum += term
		}
		u[0] = float64(slope * sum)
	}
	return table
}()

// Erf returns the error function of x. Its error is below 1.5e-15: enough for float32.
func Erf(x float64) float64 {
	a := math.Abs(x)
	if !(a < erfOne) { // or NaN
		if x != x {
			return x
		}
		return math.Copysign(1, x)
	}
	i := int(float64(a*erfSteps) + 0.5)
	u, d := &erfTable[i], a-float64(i)/erfSteps
	p := u[erfTerms-1]
	for n := erfTerms - 2; n >= 0; n-- {
		p = float64(p*d) + u[n]
	}
	return math.Copysign(min(p, 1), x)
}
