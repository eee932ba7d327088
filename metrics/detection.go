package metrics

import (
	"fmt"
	"math"
)

// DefaultRecall is the recall of FPR95.
const DefaultRecall = 0.95

// RecallRule says which threshold "at 95 % recall" means when none has exactly that recall. Thresholds are the
// distinct scores; a row counts as positive if its score is at least the threshold.
type RecallRule uint8

const (
	// AtLeast takes the highest threshold whose recall is at least the level: the plain definition.
	AtLeast RecallRule = iota
	// Nearest takes the threshold whose recall is nearest to the level, above or below, as the Outlier Exposure code
	// does: the higher recall of two equally near; among thresholds of that same recall the lowest, that is, the most
	// false positives, but at recall 1 the highest.
	Nearest
)

// Detection holds OOD scores of positive (out-of-distribution) and negative rows for AUROC, AUPR and FPR95. A larger score
// means less like the training data. It takes 8 bytes a score. The zero value is empty and ready. Not safe for concurrent use.
//
// AUPR depends on the share of positives. The papers' figures are for one positive to five negatives (2,000 rows of an
// out-of-distribution set and the 10,000 of CIFAR's test set, Outlier Exposure and PixMix); average them over the sets.
type Detection struct {
	pos, neg []float64 // in the order added, which is the row order of the bootstrap
	curve    *curve    // nil until a value is asked for
}

// Add adds the score of a row. It returns an error that wraps [ErrScore] if the score is NaN or infinite.
func (d *Detection) Add(score float64, positive bool) error {
	if !finite(score) {
		return fmt.Errorf("%w: OOD score %v of %s row %d (allowed: finite numbers)",
			ErrScore, score, sign(positive), d.count(positive))
	}
	if positive {
		d.pos = append(d.pos, score)
	} else {
		d.neg = append(d.neg, score)
	}
	d.curve = nil
	return nil
}

func sign(positive bool) string {
	if positive {
		return "positive"
	}
	return "negative"
}

func (d *Detection) count(positive bool) int {
	if positive {
		return len(d.pos)
	}
	return len(d.neg)
}

// AddAll adds many scores of one kind. On an error none of them has been added.
func (d *Detection) AddAll(scores []float64, positive bool) error {
	for i, s := range scores {
		if !finite(s) {
			return fmt.Errorf("%w: OOD score %v of %s row %d (allowed: finite numbers)",
				ErrScore, s, sign(positive), d.count(positive)+i)
		}
	}
	if positive {
		d.pos = append(d.pos, scores...)
	} else {
		d.neg = append(d.neg, scores...)
	}
	d.curve = nil
	return nil
}

// Merge adds the scores of o.
func (d *Detection) Merge(o *Detection) {
	d.pos = append(d.pos, o.pos...)
	d.neg = append(d.neg, o.neg...)
	d.curve = nil
}

// Positives returns how many scores of positive rows were added.
func (d *Detection) Positives() int { return len(d.pos) }

// Negatives returns how many scores of negative rows were added.
func (d *Detection) Negatives() int { return len(d.neg) }

// AUROC returns the area under the receiver operating characteristic: the probability that a random positive scores
// above a random negative, equal scores counting one half. It counts pairs in integers and rounds at the end. Like all
// methods of d it returns an error that wraps [ErrUndefined] without a positive or without a negative.
func (d *Detection) AUROC() (float64, error) {
	c, err := d.ready()
	if err != nil {
		return 0, err
	}
	return c.auroc(), nil
}

// AveragePrecision returns the area under the precision-recall curve as the papers and scikit-learn's
// average_precision_score take it: sum over distinct thresholds of (R_n - R_{n-1}) P_n, the positives being out
// of distribution.
func (d *Detection) AveragePrecision() (float64, error) {
	c, err := d.ready()
	if err != nil {
		return 0, err
	}
	return c.averagePrecision(), nil
}

// AUPRTrapezoid returns the area under the precision-recall curve by the trapezoid rule, with the curve beginning at
// recall 0 and precision 1 (scikit-learn's auc of precision_recall_curve). It interpolates where precision does not,
// and is usually too high (Davis and Goadrich, ICML 2006); [Detection.AveragePrecision] is what the papers report.
func (d *Detection) AUPRTrapezoid() (float64, error) {
	c, err := d.ready()
	if err != nil {
		return 0, err
	}
	return c.trapezoid(), nil
}

// FPR returns the false-positive rate at a recall level in (0, 1]; FPR95 is level [DefaultRecall]. The published
// figures use the rule [Nearest].
func (d *Detection) FPR(level float64, rule RecallRule) (float64, error) {
	if !(level > 0 && level <= 1) || rule > Nearest {
		return 0, optionErr("false-positive rate at recall %v, rule %d (allowed: above 0, at most 1)", level, rule)
	}
	c, err := d.ready()
	if err != nil {
		return 0, err
	}
	return c.fpr(level, rule), nil
}

func (d *Detection) ready() (*curve, error) {
	if len(d.pos) == 0 || len(d.neg) == 0 {
		return nil, undefinedErr(fmt.Sprintf("detection with %d positives and %d negatives", len(d.pos), len(d.neg)))
	}
	if err := checkRows(len(d.pos) + len(d.neg)); err != nil {
		return nil, err
	}
	if d.curve == nil {
		d.curve = newCurve(sortedKeys(d.pos), sortedKeys(d.neg))
	}
	return d.curve, nil
}

func sortedKeys(scores []float64) []uint64 {
	keys := make([]uint64, 2*len(scores))
	for i, s := range scores {
		keys[i] = floatKey(s)
	}
	keys, tmp := keys[:len(scores):len(scores)], keys[len(scores):]
	sortKeys(keys, tmp)
	return keys
}

// curve holds how many positives p and negatives q have each distinct score, in descending order of score. A score
// that neither has (in a bootstrap draw) is no threshold.
type curve struct {
	p, q           []uint32
	totalP, totalQ uint64
}

// newCurve merges sorted keys. Consecutive scores of one kind keep an entry each: they are thresholds.
func newCurve(pos, neg []uint64) *curve {
	c := &curve{totalP: uint64(len(pos)), totalQ: uint64(len(neg))}
	n := distinctUnion(pos, neg)
	c.p, c.q = make([]uint32, 0, n), make([]uint32, 0, n)
	i, j := len(pos)-1, len(neg)-1
	for i >= 0 || j >= 0 {
		var top uint64
		if i >= 0 {
			top = pos[i]
		}
		if j >= 0 {
			top = max(top, neg[j])
		}
		var p, q uint32
		for i >= 0 && pos[i] == top {
			p++
			i--
		}
		for j >= 0 && neg[j] == top {
			q++
			j--
		}
		c.p, c.q = append(c.p, p), append(c.q, q)
	}
	return c
}

func distinctUnion(a, b []uint64) (n int) {
	for i, j := 0, 0; i < len(a) || j < len(b); n++ {
		v := uint64(math.MaxUint64)
		if i < len(a) {
			v = a[i]
		}
		if j < len(b) {
			v = min(v, b[j])
		}
		for i < len(a) && a[i] == v {
			i++
		}
		for j < len(b) && b[j] == v {
			j++
		}
	}
	return n
}

func (c *curve) auroc() float64 {
	var wins, tp uint64 // wins counts a pair as 2, a tie as 1
	for i, q := range c.q {
		p := uint64(c.p[i])
		wins += uint64(q) * (2*tp + p)
		tp += p
	}
	return float64(wins) / (2 * float64(c.totalP) * float64(c.totalQ))
}

func (c *curve) averagePrecision() float64 {
	var sum compensated
	var tp, seen uint64
	for i, p := range c.p {
		tp += uint64(p)
		seen += uint64(p) + uint64(c.q[i])
		if p > 0 {
			sum.add(float64(p) * (float64(tp) / float64(seen)))
		}
	}
	return sum.value() / float64(c.totalP)
}

func (c *curve) trapezoid() float64 {
	var sum compensated
	var tp, seen uint64
	precision := 1.0
	for i, p := range c.p {
		tp += uint64(p)
		seen += uint64(p) + uint64(c.q[i])
		if seen == 0 {
			continue
		}
		next := float64(tp) / float64(seen)
		if p > 0 {
			sum.add(float64(p) * (0.5 * (precision + next)))
		}
		precision = next
	}
	return sum.value() / float64(c.totalP)
}

func (c *curve) fpr(level float64, rule RecallRule) float64 {
	var tp, fp, best uint64
	nearest := math.Inf(1)
	for i, p := range c.p {
		if p == 0 && c.q[i] == 0 {
			continue
		}
		tp += uint64(p)
		fp += uint64(c.q[i])
		recall := float64(tp) / float64(c.totalP)
		if rule == AtLeast {
			if recall >= level {
				return float64(fp) / float64(c.totalQ)
			}
			continue
		}
		if d := math.Abs(recall - level); d <= nearest {
			nearest, best = d, fp
		}
		if tp == c.totalP {
			break
		}
	}
	return float64(best) / float64(c.totalQ)
}
