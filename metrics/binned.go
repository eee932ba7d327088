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

// add adds a bin of rows with the sums of their confidences and of the correct ones.
func (g *gaps) add(rows uint64, conf, correct float64) {
	if g.i++; g.i == g.skip {
		return
	}
	n := float64(rows)
	gap := math.Abs(conf-correct) / n
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
	b := binner{gaps: newGaps(s.norm, s.a, total), size: uint64(s.a.size()), left: total / uint64(s.a.size())}
	i := 0
	for _, t := range s.ties {
		s.singles(&b, w, i, t[0])
		var n, k uint32
		for j := t[0]; j < t[1]; j++ {
			v := w[s.order[j]]
			n += v
			k += v * s.right[j]
		}
		if n > 0 {
			b.add(uint64(n), s.conf[t[0]], float64(k)/float64(n))
		}
		i = t[1]
	}
	s.singles(&b, w, i, len(s.order))
	b.gaps.add(b.n, b.conf, b.correct)
	return b.gaps.value()
}

// singles adds the rows of order from i to end, each of a confidence of its own. Rows of weight 0 change nothing, so
// that they need no branch.
func (s *calibrationStatistic) singles(b *binner, w []uint32, i, end int) {
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
			b.add(uint64(v), confs[j], float64(rights[j]))
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
	gaps          gaps
	size, left    uint64 // rows of a bin; bins that are not complete, this one included
	n             uint64 // of the bin being filled
	conf, correct float64
}

// add adds n rows of one confidence, over as many bins as they reach.
func (b *binner) add(n uint64, conf, accuracy float64) {
	for n > 0 {
		take := n
		if b.left > 1 {
			take = min(n, b.size-b.n)
		}
		rows := float64(take)
		b.n += take
		b.conf += float64(rows * conf)
		b.correct += float64(rows * accuracy)
		if n -= take; b.left > 1 && b.n == b.size {
			b.gaps.add(b.n, b.conf, b.correct)
			b.n, b.conf, b.correct = 0, 0, 0
			b.left--
		}
	}
}
