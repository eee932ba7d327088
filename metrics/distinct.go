package metrics

import "math"

// step is a positive row: its weight, and the weights of the positives and of all rows down to it.
type step struct{ p, tp, seen uint32 }

// distinct is Weighted where no two rows have one score, in one pass and with the same bits. Masks take the place of branches, which
// nothing predicts, and a row of weight 0 changes nothing. The weights of the positives sum to their number, as those of each stratum do.
func (s *detectionStatistic) distinct(w []uint32) float64 {
	p, q := s.pos, s.neg
	switch s.metric {
	case AUROC:
		return float64(2*s.wins(w)) / (2 * float64(p) * float64(q))
	case FPR95:
		return s.falsePositives(w, int64(p), AtLeast) / float64(q)
	case FPR95Nearest:
		return s.falsePositives(w, int64(p), Nearest) / float64(q)
	}
	return s.precision(w) / float64(p)
}

// wins counts the pairs of a positive above a negative.
func (s *detectionStatistic) wins(w []uint32) (wins uint64) {
	mask := s.mask[:len(s.order)]
	var tp uint64
	for i, row := range s.order {
		v := w[row]
		p := v & mask[i]
		wins += uint64(v-p) * tp
		tp += uint64(p)
	}
	return wins
}

// precision is the sum of [curve.averagePrecision].
func (s *detectionStatistic) precision(w []uint32) float64 {
	mask := s.mask[:len(s.order)]
	var tp, seen uint32
	k := 0
	for i, row := range s.order {
		v := w[row]
		seen += v
		tp += v & mask[i]
		s.steps[k] = step{v, tp, seen}
		k += int(mask[i] & 1)
	}
	var sum compensated
	for _, t := range s.steps[:s.pos] {
		sum = sum.plus(float64(float64(t.p) * (float64(t.tp) / float64(max(t.seen, 1)))))
	}
	return sum.value()
}

// falsePositives is what [curve.fpr] divides. Recall only rises: the nearest to the level is the last below it or the first that
// reaches it, at the last row of that recall unless it is 1.
func (s *detectionStatistic) falsePositives(w []uint32, total int64, rule RecallRule) float64 {
	mask := s.mask[:len(s.order)]
	recall := func(tp int64) float64 { return float64(tp) / float64(total) }
	reach := int64(math.Ceil(DefaultRecall*float64(total))) - 1 // positives that reach the level, but for rounding
	for recall(reach) < DefaultRecall {
		reach++
	}
	var tp, fp int64
	i := 0
	for ; tp < reach; i++ {
		v := int64(w[s.order[i]])
		p := v & int64(int32(mask[i]))
		if tp+p >= reach {
			break
		}
		tp, fp = tp+p, fp+v-p
	}
	below, above := tp, tp+int64(w[s.order[i]])
	if rule == AtLeast {
		return float64(fp)
	}
	if DefaultRecall-recall(below) < recall(above)-DefaultRecall {
		return float64(fp)
	}
	for i++; above < total && i < len(s.order); i++ {
		if mask[i] == 0 {
			fp += int64(w[s.order[i]])
		} else if w[s.order[i]] > 0 {
			break
		}
	}
	return float64(fp)
}
