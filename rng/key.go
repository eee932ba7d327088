// Package rng makes every random choice of the project: streams named by a key, and samplers whose values are the same
// on every architecture.
//
// A stream is a pure function of its key, so that what is drawn for one sample never depends on how many workers run,
// in which order, on which machine, or after which interruption. Nothing here is a cryptographic generator.
package rng

import (
	"math"
	"math/bits"
)

// Key names a stream. It starts from the user's seed and is narrowed by what the stream is for: the sample, the
// operation, the severity, the view, the epoch. Keys are values; narrowing returns a new one. The order of narrowing is
// part of the name.
//
// A key is 128 bits of state; each narrowing absorbs one 64-bit word by two rounds of multiply-and-fold with fixed odd
// constants (the fractional bits of the golden ratio and of the square roots of 3 and 5), so that equal words in
// different places lead to unrelated streams.
type Key struct{ a, b uint64 }

const (
	phi   = 0x9E3779B97F4A7C15 // golden ratio, 64 fractional bits, odd
	root3 = 0xBB67AE8584CAA73B // sqrt(3), 64 fractional bits
	root5 = 0x3C6EF372FE94F82B // sqrt(5), 64 fractional bits
)

// NewKey returns the key of a seed.
func NewKey(seed uint64) Key {
	return Key{a: phi, b: root3}.Uint(seed)
}

// Uint narrows the key by a number: an index, an epoch, a view, a severity.
func (k Key) Uint(v uint64) Key {
	hi, lo := bits.Mul64(k.a^v, phi)
	a := hi ^ lo ^ k.b
	hi, lo = bits.Mul64(bits.RotateLeft64(k.b, 23)^v^root5, root3)
	b := hi ^ lo ^ bits.RotateLeft64(a, 41)
	hi, lo = bits.Mul64(a|1, b^phi)
	return Key{a: a + hi, b: b ^ lo}
}

// Number narrows the key by a number that may be a fraction, such as a severity: a whole one as Uint does.
func (k Key) Number(v float64) Key {
	if n := uint64(max(v, 0)); float64(n) == v {
		return k.Uint(n)
	}
	return k.Uint(math.Float64bits(v))
}

// Str narrows the key by a name: a sample key, an operation. The empty string narrows too.
func (k Key) Str(s string) Key {
	k = k.Uint(uint64(len(s)) ^ 0xA5A5A5A500000000) // apart from the numbers an index takes
	for len(s) >= 8 {
		k = k.Uint(word(s[:8]))
		s = s[8:]
	}
	if len(s) > 0 {
		k = k.Uint(word(s))
	}
	return k
}

func word(s string) (v uint64) {
	for i := len(s) - 1; i >= 0; i-- {
		v = v<<8 | uint64(s[i])
	}
	return v
}

// Rand returns the stream of the key. It does not allocate when the result does not escape.
func (k Key) Rand() Rand {
	var r Rand
	r.Seed(k)
	return r
}
