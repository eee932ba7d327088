package rng_test

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/rng"
)

// state returns 128 bits that tell keys apart: the first two words of the stream.
func state(k rng.Key) [2]uint64 {
	r := k.Rand()
	return [2]uint64{r.Uint64(), r.Uint64()}
}

// TestKeyCollisions narrows a million ways that a run narrows, and wants a million streams: two 64-bit words that are
// equal by chance would be seen once in 4*10^7 runs.
func TestKeyCollisions(t *testing.T) {
	var first []uint64 // of the streams; where these differ, so do the keys
	add := func(k rng.Key) { first = append(first, state(k)[0]) }
	for seed := range uint64(5) {
		for _, op := range []string{"", "augmix", "gaussian_noise", "gaussian_noisf"} {
			for i := range uint64(5000) {
				k := rng.NewKey(seed).Str(op).Uint(i)
				for view := range uint64(5) {
					add(k.Uint(view))
					add(k.Uint(view).Uint(i))
				}
			}
		}
	}
	n := len(first)
	slices.Sort(first)
	if first = slices.Compact(first); len(first) != n {
		t.Errorf("%d streams from %d names", len(first), n)
	}
}

// TestKeyAvalanche flips each bit of what a key absorbs and counts, for every bit of the stream's first two words, how
// often it flips: one half, to 6 standard deviations (8192 cells and more, so that chance reaches about 4).
func TestKeyAvalanche(t *testing.T) {
	const n = 4000
	limit := 6 * math.Sqrt(n) / 2
	check := func(name string, flip func(i uint64, bit int) (a, b rng.Key)) {
		t.Run(name, func(t *testing.T) {
			for bit := range 64 {
				var counts [128]int
				for i := range uint64(n) {
					a, b := flip(i, bit)
					x, y := state(a), state(b)
					for w := range 2 {
						d := x[w] ^ y[w]
						for d != 0 {
							counts[64*w+bits.TrailingZeros64(d)]++
							d &= d - 1
						}
					}
				}
				for out, c := range counts {
					if math.Abs(float64(c)-n/2) > limit {
						t.Errorf("input bit %d flips bit %d of the stream %d times of %d", bit, out, c, n)
					}
				}
			}
		})
	}
	check("seed", func(i uint64, bit int) (a, b rng.Key) {
		return rng.NewKey(i), rng.NewKey(i ^ 1<<bit)
	})
	check("last word", func(i uint64, bit int) (a, b rng.Key) {
		k := rng.NewKey(7).Str("op")
		return k.Uint(i), k.Uint(i ^ 1<<bit)
	})
	check("earlier word", func(i uint64, bit int) (a, b rng.Key) {
		return rng.NewKey(7).Uint(1 << bit).Uint(i), rng.NewKey(7).Uint(0).Uint(i)
	})
	check("name", func(i uint64, bit int) (a, b rng.Key) {
		s := []byte("abcdefgh" + strconv.FormatUint(i, 10))
		k := rng.NewKey(7).Str(string(s))
		s[bit/8] ^= 1 << (bit % 8)
		return k, rng.NewKey(7).Str(string(s))
	})
}

// TestNeighbors correlates the streams of neighboring keys: the first numbers over many keys, and long stretches of
// two streams. A correlation of n independent pairs has the standard deviation 1/sqrt(n).
func TestNeighbors(t *testing.T) {
	correlate := func(what string, n int, pair func(i int) (x, y float64)) {
		t.Helper()
		sum := 0.0
		for i := range n {
			x, y := pair(i)
			sum += (x - 0.5) * (y - 0.5) * 12
		}
		if c := sum / float64(n); math.Abs(c) > 5/math.Sqrt(float64(n)) {
			t.Errorf("%s: correlation %.4f of %d pairs", what, c, n)
		}
	}
	first := func(k rng.Key, skip int) float64 {
		r := k.Rand()
		for range skip {
			r.Uint64()
		}
		return r.Float64()
	}
	base := rng.NewKey(1).Str("train")
	for skip := range 3 {
		correlate("sample and next sample", 200000, func(i int) (x, y float64) {
			return first(base.Uint(uint64(i)), skip), first(base.Uint(uint64(i+1)), 0)
		})
	}
	correlate("view 0 and view 1", 200000, func(i int) (x, y float64) {
		return first(base.Uint(uint64(i)).Uint(0), 0), first(base.Uint(uint64(i)).Uint(1), 0)
	})
	correlate("epoch and next epoch", 200000, func(i int) (x, y float64) {
		return first(base.Uint(3).Uint(uint64(i)), 0), first(base.Uint(4).Uint(uint64(i)), 0)
	})
	for seed := range uint64(8) {
		a, b := rng.New(seed), rng.New(seed+1)
		correlate("streams of neighboring seeds", 200000, func(int) (x, y float64) {
			return a.Float64(), b.Float64()
		})
	}
	// First numbers over many keys are uniform, too.
	x := make([]float64, draws)
	for i := range x {
		x[i] = first(base.Uint(uint64(i)), 0)
	}
	if p := kolmogorov(x, func(v float64) float64 { return v }); p < level {
		t.Errorf("first numbers of %d keys: p = %.2g", draws, p)
	}
}

// TestKeyNames: the order and the borders of what is absorbed are part of the name.
func TestKeyNames(t *testing.T) {
	k := rng.NewKey(1)
	same := [][2]rng.Key{
		{k, k.Str("")},
		{k, k.Uint(0)},
		{k.Str(""), k.Str("").Str("")},
		{k.Uint(0), k.Uint(0).Uint(0)},
		{k.Uint(1).Uint(2), k.Uint(2).Uint(1)},
		{k.Str("ab").Str("c"), k.Str("a").Str("bc")},
		{k.Str("a"), k.Str("a\x00")},
		{k.Str("a"), k.Uint('a')},
		{k.Str("12345678"), k.Str("12345678\x00")},
		{k.Str("1234567812345678"), k.Str("12345678").Str("12345678")},
		{k, rng.NewKey(2)},
		{k.Str("ab"), k.Str("ba")},
	}
	for i, p := range same {
		if p[0] == p[1] {
			t.Errorf("pair %d: two names of one key", i)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		u, v := rapid.Uint64().Draw(t, "u"), rapid.Uint64().Draw(t, "v")
		if (k.Str(a) == k.Str(b)) != (a == b) || (k.Uint(u) == k.Uint(v)) != (u == v) {
			t.Errorf("keys of %q, %q, %d, %d: equal where the names differ, or the other way round", a, b, u, v)
		}
		if k.Str(a).Uint(u) != rng.NewKey(1).Str(a).Uint(u) {
			t.Error("a key is not a function of its name")
		}
	})
}
