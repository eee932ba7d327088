package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

const (
	mantissa = 1<<52 - 1
	oneBits  = 1023 << 52 // the bits of 1.0

	logBits = 6 // of the fraction, index of logTable
	expBits = 5 // of the exponent's fraction, index of expTable
)

// magic brings a number to an integer when it is added and subtracted again, halves to even, and leaves that integer in
// the low bits of the sum.
const magic = 0x1.8p52

// logTable holds, for the middle c of each of 64 slices of [1, 2), 1/c rounded and the logarithm to base 2 of the
// inverse of that.
var logTable = func() (t [1 << logBits]struct{ inv, log float64 }) {
	for i := range t {
		t[i].inv = 1 / (1 + float64((float64(i)+0.5)/float64(len(t))))
		t[i].log = -detmath.Log(t[i].inv) / math.Ln2
	}
	return t
}()

// expTable holds 2^(i/32).
var expTable = func() (t [1 << expBits]float64) {
	for i := range t {
		t[i] = detmath.Exp(math.Ln2 * float64(i) / float64(len(t)))
	}
	return t
}()

// pow returns x^e for a normal positive x, with a relative error of about 10^-13·(1+|e·log x|); powers below 2^-1000
// are 0 and those above 2^1000 are 2^1000.
func pow(x, e float64) float64 { return exp2(float64(e * log2(x))) }

// log2 returns the logarithm to base 2 of a normal positive x, with an absolute error of about 10^-13. The series of
// the logarithm stops where its terms, of r up to 1/129, are below that.
func log2(x float64) float64 {
	b := math.Float64bits(x)
	e := &logTable[b&mantissa>>(52-logBits)]
	r := float64(math.Float64frombits(b&mantissa|oneBits)*e.inv) - 1
	p := float64(r*(1./5)) - 1./4
	p = float64(r*p) + 1./3
	p = float64(r*p) - 1./2
	p = float64(r*p) + 1
	return float64(int64(b>>52)-1023) + (e.log + float64(float64(r*(1/math.Ln2))*p))
}

// exp2 returns 2^y, y cut to 1000; below -1000 it returns 0.
func exp2(y float64) float64 {
	switch {
	case y < -1000:
		return 0
	case y > 1000:
		y = 1000
	}
	n := float64(y*(1<<expBits)) + magic
	i := math.Float64bits(n) // modulo 2^51, which is enough
	r := float64((y - float64((n-magic)*(1./(1<<expBits)))) * math.Ln2)
	p := float64(r*(1./120)) + 1./24
	p = float64(r*p) + 1./6
	p = float64(r*p) + 1./2
	p = float64(r*p) + 1
	v := expTable[i&(1<<expBits-1)]
	v += float64(v * float64(r*p))
	return math.Float64frombits(math.Float64bits(v) + uint64(int64(i<<13)>>(13+expBits))<<52)
}
