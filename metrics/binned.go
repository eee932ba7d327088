package metrics

import "math"

// gaps sums the gaps of adaptive bins as a norm asks for.
type gaps struct {
	norm  Norm
	skip  uint64 // number of the bin that is left out, from 1; 0 for none
	i     uint64
	sum   compensated
	top   float64
	total uint64
}

func newGaps(norm Norm, a Adaptive, total uint64) gaps {
	g := gaps{norm: norm, total: total}
	if a.SkipLast {
		g.skip = total / uint64(a.size())
	}
	return g
}

func (g *gaps) add(b bin) {
	if g.i++; g.i == g.skip {
		return
	}
	n := float64(b.n)
	gap := math.Abs(b.conf-b.correct) / n
	g.top = max(g.top, gap)
	if g.norm == RMS {
		gap *= gap
	}
	g.sum.add(n * gap)
}

func (g *gaps) value() float64 {
	switch g.norm {
	case RMS:
		return math.Sqrt(g.sum.value() / float64(g.total))
	case MAD:
		return g.sum.value() / float64(g.total)
	}
	return g.top
}

// calibrationStatistic is the adaptive calibration error of rows in ascending order of confidence. It is
// [groups.calibration] in one pass.
type calibrationStatistic struct {
	norm  Norm
	a     Adaptive
	order []uint32
	conf  []float64 // of order's rows
	right []uint32  // 1 where order's row is correct
	ties  [][2]int  // rows of one confidence, from and to in order
}

func (s *calibrationStatistic) Strata() []int { return []int{len(s.order)} }

func (s *calibrationStatistic) Weighted(w []uint32) float64 {
	total := uint64(len(s.order))
	b, sum := newBinner(total, s.a.size()), newGaps(s.norm, s.a, total)
	i := 0
	for _, t := range s.ties {
		s.singles(&b, w, i, t[0], sum.add)
		var n, k uint32
		for j := t[0]; j < t[1]; j++ {
			v := w[s.order[j]]
			n += v
			k += v * s.right[j]
		}
		if n > 0 {
			b.fill(uint64(n), s.conf[t[0]], float64(k)/float64(n), sum.add)
		}
		i = t[1]
	}
	s.singles(&b, w, i, len(s.order), sum.add)
	sum.add(b.bin)
	return sum.value()
}

// singles adds the rows of order from i to end, each of a confidence of its own. Rows of weight 0 change nothing, so
// that they need no branch.
func (s *calibrationStatistic) singles(b *binner, w []uint32, i, end int, f func(bin)) {
	order, confs, rights := s.order[i:end], s.conf[i:end], s.right[i:end]
	confs, rights = confs[:len(order)], rights[:len(order)]
	full := int64(b.size) // processors convert signed numbers faster
	if b.left <= 1 {
		full = math.MaxInt64
	}
	n, conf, correct := int64(b.n), b.conf, b.correct
	for j, row := range order {
		v := int64(w[row])
		if n+v >= full {
			b.n, b.conf, b.correct = uint64(n), conf, correct
			b.fill(uint64(v), confs[j], float64(rights[j]), f)
			n, conf, correct = int64(b.n), b.conf, b.correct
			if b.left <= 1 {
				full = math.MaxInt64
			}
			continue
		}
		n += v
		conf += float64(float64(v) * confs[j])
		correct += float64(v & -int64(rights[j]))
	}
	b.n, b.conf, b.correct = uint64(n), conf, correct
}

// binner fills adaptive bins in ascending order of confidence.
type binner struct {
	bin               // the one being filled
	size, left uint64 // rows of a bin; bins that are not complete, this one included
}

func newBinner(rows uint64, size int) binner {
	return binner{size: uint64(size), left: rows / uint64(size)}
}

// fill adds n rows of one confidence, over as many bins as they reach, and calls f with each that is complete but the last, which
// takes all the rows that are left.
func (b *binner) fill(n uint64, conf, accuracy float64, f func(bin)) {
	for n > 0 {
		take := n
		if b.left > 1 {
			take = min(n, b.size-b.n)
		}
		b.add(take, conf, accuracy)
		if n -= take; b.left > 1 && b.n == b.size {
			f(b.bin)
			b.bin = bin{}
			b.left--
		}
	}
}
