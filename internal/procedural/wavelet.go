package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/rng"
)

// The wavelets: a steerable pyramid (Simoncelli and Freeman, ICIP 1995) made of products of the transform with real
// filters, an octave wide in frequency and |cos|^3 in direction. The squares of the filters with those of what is left
// at the lowest and the highest frequencies add up to 1, so that taking an image apart and putting it together by the
// same filters gives it back.
const (
	directions = 4
	maxScales  = 5
	leastBand  = 16 // side of the smallest band
)

// bands takes images apart, makes the marginal of every band that of a generalized Gaussian distribution, whose
// density falls as exp(-|x|^p), and puts them together.
type bands struct {
	n      int
	scales int
	ffts   [maxScales]*fft.Square
	part   [maxScales]*field
	filter [maxScales][directions][]float64 // of part's size
	sum    *field
	peaked [maxScales]quantile
	bins   [marginalBins]float64
}

func (b *bands) reset(n int) {
	*b = bands{n: n, sum: newField(n)}
	for side := n; side >= leastBand && b.scales < maxScales; side /= 2 {
		s := b.scales
		b.ffts[s], b.part[s] = fft.NewSquare(side), newField(side)
		for d := range directions {
			b.filter[s][d] = steer(side, d)
		}
		b.scales++
	}
}

// steer returns the filter of a direction in a band whose frequencies lie from side/8 to side/2.
func steer(side, d int) []float64 {
	// sum over k of cos^6(t - k pi/4) is 5/4 for every t.
	norm := 1 / math.Sqrt(1.25)
	a := math.Pi * float64(d) / directions
	sin, cos := detmath.Sin(a), detmath.Cos(a)
	f := make([]float64, side*side)
	for i := range f {
		x, y := float64(signed(i%side, side)), float64(signed(i/side, side))
		r := math.Sqrt(float64(x*x) + float64(y*y))
		if r == 0 {
			continue
		}
		oct := detmath.Log(r/(float64(side)/4)) / math.Ln2 // 0 at the middle of the band
		if math.Abs(oct) >= 1 {
			continue
		}
		c := math.Abs(float64(x*cos)+float64(y*sin)) / r
		f[i] = float64(float64(norm*detmath.Cos(math.Pi/2*oct)) * float64(c*float64(c*c)))
	}
	return f
}

// signed is the frequency of an index.
func signed(i, n int) int {
	if i >= n/2 {
		return i - n
	}
	return i
}

// draw chooses how peaked the bands are: exponents p from 0.4 to 0.8 at the finest scale, as the paper draws them, a
// little higher at coarser ones. Photographs have about 0.7 (Simoncelli and Adelson 1996).
func (b *bands) draw(r *rng.Rand) {
	p := r.Uniform(0.4, 0.8)
	for s := range b.peaked {
		b.peaked[s].set(p)
		p = min(p+r.Uniform(0, 0.1), 1)
	}
}

// match gives every band of the two planes of p its marginal.
func (b *bands) match(f *fft.Square, p *field) {
	f.Forward(p.re, p.im)
	copy(b.sum.re, p.re)
	copy(b.sum.im, p.im)
	for s := range b.scales {
		part := b.part[s]
		for d := range directions {
			b.take(part, p, b.filter[s][d])
			b.ffts[s].Backward(part.re, part.im)
			b.marginal(part.re, s)
			b.marginal(part.im, s)
			b.ffts[s].Forward(part.re, part.im)
			b.give(part, p, b.filter[s][d])
		}
	}
	copy(p.re, b.sum.re)
	copy(p.im, b.sum.im)
	f.Backward(p.re, p.im)
}

// take makes part the frequencies of p that its size can hold, through a filter.
func (b *bands) take(part, p *field, filter []float64) {
	for i, w := range filter {
		part.re[i], part.im[i] = 0, 0
		if w != 0 {
			j := b.index(i, part.n)
			part.re[i], part.im[i] = float64(w*p.re[j]), float64(w*p.im[j])
		}
	}
}

// give replaces in the sum what a band of p was by what it has become.
func (b *bands) give(part, p *field, filter []float64) {
	for i, w := range filter {
		if w != 0 {
			j := b.index(i, part.n)
			b.sum.re[j] += float64(w * (part.re[i] - float64(w*p.re[j])))
			b.sum.im[j] += float64(w * (part.im[i] - float64(w*p.im[j])))
		}
	}
}

// index returns the index in a field of side b.n of the frequency of index i of a field of side n.
func (b *bands) index(i, n int) int {
	x, y := signed(i%n, n), signed(i/n, n)
	return (y&(b.n-1))*b.n + x&(b.n-1)
}

// marginalBins is in how many bins the distribution of a band is measured, from -5 to 5 standard deviations.
const marginalBins = 1024

// marginal gives v the distribution of scale s with v's own standard deviation, by the ranks of its values.
func (b *bands) marginal(v []float64, s int) {
	mean, sd := moments(v)
	if sd < 1e-12 {
		return
	}
	clear(b.bins[:])
	k := marginalBins / (10 * sd)
	bin := func(x float64) (int, float64) {
		at := min(max(float64((x-mean)*k)+marginalBins/2, 0), marginalBins-1e-6)
		i := int(at)
		return i, at - float64(i)
	}
	for _, x := range v {
		i, _ := bin(x)
		b.bins[i]++
	}
	sum := 0.0
	for i, c := range b.bins {
		b.bins[i] = sum
		sum += c
	}
	for j, x := range v {
		i, t := bin(x)
		next := sum
		if i+1 < marginalBins {
			next = b.bins[i+1]
		}
		u := (b.bins[i] + float64(t*(next-b.bins[i]))) / sum
		v[j] = float64(sd * b.peaked[s].at(u))
	}
}

// quantile is the inverse of the distribution function of a generalized Gaussian of variance 1, for its upper half.
type quantile [513]float64

// set fills the table for an exponent p from 0.4 to 1: |x|^p is Gamma(1/p) distributed, whose density is summed up in
// small steps.
func (q *quantile) set(p float64) {
	const steps, top = 2400, 24.0
	var cdf [steps + 1]float64
	variance, total := 0.0, 0.0
	for i := 1; i <= steps; i++ {
		t := float64((float64(i) - 0.5) * (top / steps))
		l := detmath.Log(t)
		w := detmath.Exp(float64((1/p-1)*l) - t)
		total += w
		variance += float64(w * detmath.Exp(float64(2/p*l)))
		cdf[i] = total
	}
	k := 1 / math.Sqrt(variance/total)
	i := 0
	for n := range q {
		want := float64(total * min(float64(n)/float64(len(q)-1), 0.9995))
		for i < steps && cdf[i+1] < want {
			i++
		}
		t := float64(i)
		if i < steps && cdf[i+1] > cdf[i] {
			t += (want - cdf[i]) / (cdf[i+1] - cdf[i])
		}
		q[n] = float64(k * detmath.Pow(t*(top/steps), 1/p))
	}
}

// at returns the value that the share u, 0 to 1, of the distribution lies below.
func (q *quantile) at(u float64) float64 {
	sign := 1.0
	if u = 2*u - 1; u < 0 {
		u, sign = -u, -1
	}
	at := float64(min(u, 1) * float64(len(q)-1))
	i := min(int(at), len(q)-2)
	return sign * (q[i] + float64((at-float64(i))*(q[i+1]-q[i])))
}
