package rng

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
)

// The ziggurat method (Marsaglia and Tsang, J. Stat. Software 5(8), 2000) covers a decreasing density f by 256 layers
// of equal area: 255 rectangles and a base strip that holds the tail beyond x = r. A draw picks a layer and a place in
// it by one 64-bit word, the layer by the low 8 bits and the place by the 53 high ones, which do not overlap (Doornik,
// 2005). For the normal distribution 98.5 % of the places lie where the layer is wholly below the density and are the
// answer at once, for the exponential one 97.8 %.
type ziggurat struct {
	accept [256]int64   // places below this are below the density
	width  [256]float64 // times the place: the variate
	y      [257]float64 // density at the outer edge of each layer; y[256] is at the top, f(0) = 1
}

// The outer edge of the base rectangle and the area of a layer, for 256 layers: the solution of the equations that the
// layers, stacked from the edge upwards with area v each, end at f(0) = 1, and that v is the edge's rectangle and the
// tail together. TestZiggurat solves them again.
const (
	normalR = 3.6541528853610088   // f(x) = exp(-x*x/2)
	normalV = 0.004928673233974655 //
	expR    = 7.69711747013105     // f(x) = exp(-x)
	expV    = 0.003949659822581557 //
)

const (
	normalUnit   = 1 << 52 // places of the normal layers are signed
	normalUnit32 = 1 << 23 // of those that take half a word
	expUnit      = 1 << 53
)

var (
	normalZig = newZiggurat(normalR, normalV, normalUnit, normalDensity, func(y float64) float64 {
		return math.Sqrt(-2 * detmath.Log(y))
	})
	normalZig32 = newZiggurat(normalR, normalV, normalUnit32, normalDensity, func(y float64) float64 {
		return math.Sqrt(-2 * detmath.Log(y))
	})
	expZig = newZiggurat(expR, expV, expUnit, expDensity, func(y float64) float64 {
		return -detmath.Log(y)
	})
)

func normalDensity(x float64) float64 { return detmath.Exp(-0.5 * float64(x*x)) }

func expDensity(x float64) float64 { return detmath.Exp(-x) }

// newZiggurat builds the tables from the density and its inverse.
func newZiggurat(r, v, unit float64, density, inverse func(float64) float64) *ziggurat {
	z := new(ziggurat)
	edge := v / density(r) // the base strip as wide as a rectangle of its area would be
	next := r
	for i := range 256 {
		z.width[i] = edge / unit
		z.accept[i] = int64(float64(next/edge) * unit)
		z.y[i] = density(edge)
		edge = next
		if y := density(edge) + v/edge; y < 1 {
			next = inverse(y)
		} else {
			next = 0
		}
	}
	z.y[0] = 0
	z.y[256] = 1
	return z
}

// Normal returns a number of the normal distribution with mean 0 and standard deviation 1.
func (r *Rand) Normal() float64 {
	u := r.Uint64()
	i := u & 255
	p := int64(u) >> 11
	x := float64(float64(p) * normalZig.width[i])
	if p < 0 {
		p = -p
	}
	if p < normalZig.accept[i] {
		return x
	}
	return r.normalRest(i, x)
}

// normalRest decides about x at the edge of layer i, and draws anew until a number is accepted.
func (r *Rand) normalRest(i uint64, x float64) float64 {
	for {
		switch {
		case i == 0: // the tail beyond r (Marsaglia, 1964)
			t := r.Exponential() / normalR
			for 2*r.Exponential() <= float64(t*t) {
				t = r.Exponential() / normalR
			}
			if x < 0 {
				return -normalR - t
			}
			return normalR + t
		case normalZig.under(r, i, normalDensity(x)):
			return x
		}
		u := r.Uint64()
		i = u & 255
		p := int64(u) >> 11
		x = float64(float64(p) * normalZig.width[i])
		if p < 0 {
			p = -p
		}
		if p < normalZig.accept[i] {
			return x
		}
	}
}

// under throws a height uniformly between the edges of layer i and tells whether it is under the density fx.
func (z *ziggurat) under(r *Rand, i uint64, fx float64) bool {
	return r.Uniform(z.y[i], z.y[i+1]) < fx
}

// Exponential returns a number of the exponential distribution with mean 1.
func (r *Rand) Exponential() float64 {
	offset := 0.0
	for {
		u := r.Uint64()
		i := u & 255
		p := int64(u >> 11)
		x := float64(float64(p) * expZig.width[i])
		if p < expZig.accept[i] {
			return offset + x
		}
		if i == 0 { // the tail beyond r is the whole once more
			offset += expR
			continue
		}
		if expZig.under(r, i, expDensity(x)) {
			return offset + x
		}
	}
}

// FillNormal sets every element of dst to what [Rand.Normal] returns, in order.
func (r *Rand) FillNormal(dst []float64) {
	for i := range dst {
		dst[i] = r.Normal()
	}
}

// FillNormal32 fills dst with numbers of the normal distribution with mean 0 and standard deviation 1. Two numbers share
// one word of the stream, so that they have 24 bits, what float32 holds, and are not those of [Rand.Normal]. An odd length
// leaves half of the last word unused.
func (r *Rand) FillNormal32(dst []float32) {
	var p kernel.PCG
	z := normalZig32
	for follows := false; len(dst) >= 2; {
		if !follows {
			p.Start(r.hi, r.lo)
		}
		n := min(len(dst)/2, kernel.PCGBlock)
		p.Next(n)
		k := 0
		for ; k < n; dst = dst[2:] {
			// normal32 twice, written out: the call costs as much as the rest.
			u := p.Word[k]
			i, j := u&255, u>>32&255
			a, b := int64(int32(u)>>8), int64(u)>>40
			x, y := float64(float64(a)*z.width[i]), float64(float64(b)*z.width[j])
			if max(a, -a) >= z.accept[i] || max(b, -b) >= z.accept[j] {
				r.hi, r.lo = p.Hi[k], p.Lo[k]
				if max(a, -a) >= z.accept[i] {
					x = r.normalRest(i, x)
				}
				if max(b, -b) >= z.accept[j] {
					y = r.normalRest(j, y)
				}
				for k < n && (p.Hi[k] != r.hi || p.Lo[k] != r.lo) { // the words that this took
					k++
				}
			}
			k++
			dst[0], dst[1] = float32(x), float32(y)
		}
		if k == n {
			r.hi, r.lo = p.Hi[n-1], p.Lo[n-1]
		}
		follows = k == n && n == kernel.PCGBlock
	}
	if len(dst) > 0 {
		dst[0] = r.normal32(uint32(r.Uint64()))
	}
}

// normal32 is Normal for half a word: the layer by its low 8 bits and the place by the others.
func (r *Rand) normal32(u uint32) float32 {
	i := u & 255
	p := int32(u) >> 8
	x := float64(float64(p) * normalZig32.width[i])
	if max(p, -p) < int32(normalZig32.accept[i]) {
		return float32(x)
	}
	return float32(r.normalRest(uint64(i), x))
}
