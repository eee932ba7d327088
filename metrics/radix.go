package metrics

import (
	"math"
	"slices"
)

// floatKey maps float64 to integers of the same order, and the two zeros to one integer. x is not NaN.
func floatKey(x float64) uint64 {
	b := math.Float64bits(x + 0) // -0 + 0 is +0
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// radixMin is the length from which a radix sort beats the comparison sort of package slices.
const radixMin = 512

// sortKeys sorts a and returns it or a slice of the same length with its elements in order; tmp is scratch of at least
// that length. Least-significant-digit radix sort, 8 bits a pass; passes in which all keys agree are left out.
func sortKeys(a, tmp []uint64) []uint64 {
	if len(a) < radixMin {
		slices.Sort(a)
		return a
	}
	tmp = tmp[:len(a)]
	var hist [8][256]uint32
	for _, k := range a {
		for d := range hist {
			hist[d][k>>(8*d)&255]++
		}
	}
	for d := range hist {
		h := &hist[d]
		if !offsets(h, a[0]>>(8*d)&255, len(a)) {
			continue
		}
		for _, k := range a {
			i := k >> (8 * d) & 255
			tmp[h[i]] = k
			h[i]++
		}
		a, tmp = tmp, a
	}
	return a
}

// argsorter sorts row numbers by key; it reuses its memory.
type argsorter struct{ a, tmp []keyedRow }

type keyedRow struct {
	key uint64
	row uint32
}

// reset makes room for n rows and returns them to be filled in.
func (s *argsorter) reset(n int) []keyedRow {
	if cap(s.a) < n {
		s.a, s.tmp = make([]keyedRow, n), make([]keyedRow, n)
	}
	s.a, s.tmp = s.a[:n], s.tmp[:n]
	return s.a
}

// sort sorts by key, equal keys in their order, and returns the rows, which are valid until reset.
func (s *argsorter) sort() []keyedRow {
	var hist [8][256]uint32
	for _, p := range s.a {
		for d := range hist {
			hist[d][p.key>>(8*d)&255]++
		}
	}
	for d := range hist {
		h := &hist[d]
		if len(s.a) == 0 || !offsets(h, s.a[0].key>>(8*d)&255, len(s.a)) {
			continue
		}
		for _, p := range s.a {
			i := p.key >> (8 * d) & 255
			s.tmp[h[i]] = p
			h[i]++
		}
		s.a, s.tmp = s.tmp, s.a
	}
	return s.a
}

// argsort returns the permutation that sorts keys, equal keys in their order.
func argsort(keys []uint64) []uint32 {
	var s argsorter
	a := s.reset(len(keys))
	for i, k := range keys {
		a[i] = keyedRow{k, uint32(i)}
	}
	order := make([]uint32, len(keys))
	for i, p := range s.sort() {
		order[i] = p.row
	}
	return order
}

// offsets turns counts into first positions. It returns false if all n keys have the digit first.
func offsets(h *[256]uint32, first uint64, n int) bool {
	if int(h[first]) == n {
		return false
	}
	var at uint32
	for i, c := range h {
		h[i] = at
		at += c
	}
	return true
}

// checkRows refuses more rows than 32-bit counters hold.
func checkRows(n int) error {
	if uint64(n) > math.MaxUint32 {
		return optionErr("%d rows to sort (allowed: below 2^32)", n)
	}
	return nil
}
