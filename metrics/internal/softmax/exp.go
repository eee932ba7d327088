package softmax

import "math"

// With n = round(x*steps/ln2), i its lowest three bits and r = x - n*ln2/steps,
//
//	exp(x) = 2^(n>>3) * 2^(i/8) * exp(r),  |r| <= ln2/16.
//
// exp(r) is 1 + r*P(r), P of degree 5 the polynomial that equals (exp(r)-1)/r at the six Chebyshev nodes of that
// interval (computed with 60 digits; rounded to float64 the relative error of 1 + r*P(r) is below 1.9e-15). The
// rounding of ln2/steps adds |x| * 1.1e-16. exp(0) is exactly 1.
const (
	steps = 8
	scale = steps / math.Ln2
	step  = math.Ln2 / steps
	// Adding and subtracting 1.5*2^52 rounds to an integer and leaves it in the low bits of the sum.
	round = 0x1.8p52
	// Floor is where terms begin to count as 0: e^-345 = 1e-150. Its square is a normal number yet, so that no
	// processor slows down, and no sum of at least 1 notices what is left out.
	Floor = -345

	c1 = 0x1.00000000000b9p+0
	c2 = 0x1.000000000002ep-1
	c3 = 0x1.55555547d35f6p-3
	c4 = 0x1.5555554e945dbp-5
	c5 = 0x1.1115c09afc4f5p-7
	c6 = 0x1.6c1b70f434f0fp-10
)

// roots holds the bits of 2^(i/8) less i<<49: adding n<<49, of which i<<49 is a part, makes 2^(n/8).
var roots = func() (t [steps]uint64) {
	// Powers of the eighth root of two, correctly rounded.
	for i, v := range [steps]float64{
		1, 0x1.172b83c7d517bp0, 0x1.306fe0a31b715p0, 0x1.4bfdad5362a27p0, 0x1.6a09e667f3bcdp0, 0x1.8ace5422aa0dbp0,
		0x1.ae89f995ad3adp0, 0x1.d5818dcfba487p0,
	} {
		t[i] = math.Float64bits(v) - uint64(i)<<49
	}
	return t
}()

// Exp returns exp(x) for x from Floor to 0 with a relative error below 2.5e-15 + |x|*1.2e-16, and 0 for x below Floor
// or NaN.
func Exp(x float64) float64 {
	if !(x >= Floor) {
		return 0
	}
	kd := math.FMA(x, scale, round)
	k := math.Float64bits(kd)
	r := math.FMA(round-kd, step, x)
	p := math.FMA(c6, r, c5)
	p = math.FMA(p, r, c4)
	p = math.FMA(p, r, c3)
	p = math.FMA(p, r, c2)
	p = math.FMA(p, r, c1)
	p = math.FMA(p, r, 1)
	return p * math.Float64frombits(roots[k%steps]+k<<49)
}
