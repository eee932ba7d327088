package rng

import (
	"math/bits"

	"github.com/augmix-go/augmix/internal/kernel"
)

// Rand is a stream of random numbers: PCG-DXSM of math/rand/v2, seeded from a [Key], with this package's own samplers
// on top, because their exact values are part of the project's output. A Rand is not safe for concurrent use; copy it
// to fork a stream that repeats.
type Rand struct{ hi, lo uint64 }

// New returns the stream of the key that is seed alone.
func New(seed uint64) *Rand {
	r := NewKey(seed).Rand()
	return &r
}

// Seed restarts r as the stream of k.
func (r *Rand) Seed(k Key) { r.hi, r.lo = k.a, k.b }

// Uint64 returns 64 uniform bits.
func (r *Rand) Uint64() uint64 {
	r.hi, r.lo = kernel.PCGStep(r.hi, r.lo)
	return kernel.PCGWord(r.hi, r.lo)
}

// Fill sets every element of dst to what [Rand.Uint64] returns, in order, in less time.
func (r *Rand) Fill(dst []uint64) {
	var p kernel.PCG
	p.Start(r.hi, r.lo)
	for len(dst) > 0 {
		n := min(len(dst), kernel.PCGBlock)
		p.Next(n)
		copy(dst[:n], p.Word[:n])
		r.hi, r.lo = p.Hi[n-1], p.Lo[n-1]
		dst = dst[n:]
	}
}

// Float64 returns a uniform number in [0, 1) with 53 random bits.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// Uniform returns a uniform number in [lo, hi), computed as NumPy computes it: lo + (hi-lo)*Float64().
func (r *Rand) Uniform(lo, hi float64) float64 { return lo + float64((hi-lo)*r.Float64()) }

// IntN returns a uniform integer in [0, n) without bias (Lemire's method). It panics if n <= 0.
func (r *Rand) IntN(n int) int {
	if n <= 0 {
		panic("rng: IntN of a number that is not positive")
	}
	m := uint64(n)
	hi, lo := bits.Mul64(r.Uint64(), m)
	if lo < m {
		for t := -m % m; lo < t; {
			hi, lo = bits.Mul64(r.Uint64(), m)
		}
	}
	return int(hi)
}

// Bool returns true with probability one half.
func (r *Rand) Bool() bool { return r.Uint64()>>63 != 0 }
