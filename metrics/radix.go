package metrics

import (
	"math"
	"math/bits"
)

// floatKey maps float64 to integers of the same order, and the two zeros to one integer. x is not NaN.
func floatKey(x float64) uint64 {
	b := math.Float64bits(x + 0) // -0 + 0 is +0
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// insertMax is the length up to which keys are inserted one by one.
const insertMax = 32

// manyKeys is the length from which keys are dealt out by so many bits that the piles are soon in a cache.
const manyKeys = 1 << 16

// sortKeys sorts a; tmp is scratch of at least that length. The keys are dealt out by the highest bits in which they differ, and each
// pile by the next ones.
func sortKeys(a, tmp []uint64) {
	var differ uint64
	for _, k := range a {
		differ |= k ^ a[0]
	}
	switch {
	case len(a) <= insertMax:
		insertKeys(a)
	case differ == 0:
	case len(a) < manyKeys:
		var ends [1 << 8]uint32
		dealKeys(a, tmp, ends[:], bits.Len64(differ))
	default:
		var ends [1 << 11]uint32
		dealKeys(a, tmp, ends[:], bits.Len64(differ))
	}
}

// dealKeys deals out keys of which all bits from high on agree. The length of ends is a power of two.
func dealKeys(a, tmp []uint64, ends []uint32, high int) {
	mask := uint64(len(ends) - 1)
	shift := max(high-bits.Len64(mask), 0) & 63 // the mask says that no shift is too long
	for _, k := range a {
		ends[k>>shift&mask]++
	}
	offsets(ends)
	tmp = tmp[:len(a)]
	for _, k := range a {
		at := &ends[k>>shift&mask]
		tmp[*at] = k
		*at++
	}
	copy(a, tmp)
	start := uint32(0)
	for _, end := range ends {
		if end > start+1 {
			sortKeys(a[start:end], tmp[start:end])
		}
		start = end
	}
}

// mergeKeys returns the keys of both in order, which both are. Arithmetic takes the place of branches, which nothing predicts.
func mergeKeys(a, b []uint64) []uint64 {
	out := make([]uint64, len(a)+len(b))
	i, j, k := 0, 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		_, less := bits.Sub64(y, x, 0) // 1 if y < x
		out[k] = min(x, y)
		i, j, k = i+1-int(less), j+int(less), k+1
	}
	k += copy(out[k:], a[i:])
	copy(out[k:], b[j:])
	return out
}

func insertKeys(a []uint64) {
	for i := 1; i < len(a); i++ {
		k := a[i]
		j := i
		for ; j > 0 && a[j-1] > k; j-- {
			a[j] = a[j-1]
		}
		a[j] = k
	}
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
		if len(s.a) == 0 || int(h[s.a[0].key>>(8*d)&255]) == len(s.a) {
			continue // all keys agree
		}
		offsets(h[:])
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

// offsets turns counts into first positions.
func offsets(h []uint32) {
	var at uint32
	for i, c := range h {
		h[i] = at
		at += c
	}
}

// checkRows refuses more rows than 32-bit counters hold.
func checkRows(n int) error {
	if uint64(n) > math.MaxUint32 {
		return optionErr("%d rows to sort (allowed: below 2^32)", n)
	}
	return nil
}
