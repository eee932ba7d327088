package metrics

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/augmix-go/augmix/metrics/internal/softmax"
)

// OODScore names a score of how unlike the training data a row is; larger is less like it.
type OODScore string

// The OOD scores, by the names used on the wire.
const (
	// MSP is minus the largest softmax probability (Hendrycks and Gimpel, ICLR 2017; the PixMix and Outlier Exposure
	// default).
	MSP OODScore = "msp"
	// MaxLogit is minus the largest logit (Hendrycks et al., ICML 2022).
	MaxLogit OODScore = "max_logit"
	// Energy is the free energy -log sum exp(logit) at temperature 1 (Liu et al., NeurIPS 2020).
	Energy OODScore = "energy"
	// XentUniform is the mean logit minus log sum exp(logit): minus the cross-entropy from the uniform distribution to
	// the softmax (Outlier Exposure's use_xent).
	XentUniform OODScore = "xent_uniform"
	// Entropy of the softmax in nats, -Σ p log p, from 0 to log K (Malinin and Gales, NeurIPS 2018).
	Entropy OODScore = "entropy"
	// GEN is the generalized entropy Σ p^γ (1-p)^γ over the 100 largest probabilities, all where there are fewer classes,
	// with γ = 0.1 (Liu, Lochman and Zach, CVPR 2023).
	GEN OODScore = "gen"
)

const (
	genGamma   = 0.1
	genClasses = 100
)

// OODScores lists the scores.
func OODScores() []OODScore { return []OODScore{MSP, MaxLogit, Energy, XentUniform, Entropy, GEN} }

// OODScoreOf returns the score of an outcome and the row of logits or probabilities that it was made of. [MaxLogit],
// [Energy] and [XentUniform] need logits: for probabilities they return an error that wraps [ErrNotComputable], because the
// softmax has lost them. A name not in the list is [ErrName], a row of another length than the outcome's [ErrLength].
func OODScoreOf[F Float](s OODScore, o *Outcome, row []F) (float64, error) {
	if ofRow := s == Entropy || s == GEN || s == XentUniform && !math.IsNaN(o.MaxLogit); !ofRow {
		return s.Of(o)
	}
	if len(row) != o.Classes {
		return 0, fmt.Errorf("%w: row %d has %d classes, its outcome %d", ErrLength, o.Row, len(row), o.Classes)
	}
	if s == XentUniform {
		return xentUniform(o, row), nil
	}
	d := distribution(o, row)
	if s == Entropy {
		return entropy(d), nil
	}
	return generalizedEntropy(d), nil
}

// xentUniform is taken of the distances to the largest logit, so that rows that differ by a constant are ties: what rounds in
// [Outcome.MeanLogit] and [Outcome.LogSumExp] depends on the constant.
func xentUniform[F Float](o *Outcome, row []F) float64 {
	total, others, _ := softmax.ExpSums(row, o.Pred, o.MaxLogit, math.Inf(-1))
	n := float64(len(row))
	return math.FMA(-n, o.MaxLogit, total)/n - math.Log1p(others)
}

// logProb is a probability and its logarithm, without the error of taking either from the other.
type logProb struct{ p, log, rest float64 } // rest is 1-p

// distribution yields the softmax of a row of logits, or a row of probabilities, which are used as given.
func distribution[F Float](o *Outcome, row []F) iter.Seq[logProb] {
	return func(yield func(logProb) bool) {
		logits := !math.IsNaN(o.MaxLogit)
		others := 0.0 // exponentials of the classes that are not predicted: 1-p of a sure prediction would round to 0
		if logits {
			_, others, _ = softmax.ExpSums(row, o.Pred, o.MaxLogit, math.Inf(-1))
		}
		for k, v := range row {
			x := logProb{p: min(float64(v), 1)}
			if logits {
				gap := float64(v) - o.MaxLogit
				x.p, x.log = softmax.Exp(gap)*o.Conf, gap-math.Log1p(others)
			} else {
				x.log = math.Log(x.p)
			}
			x.rest = 1 - x.p
			if logits && k == o.Pred {
				x.rest = others * o.Conf
			}
			if !yield(x) {
				return
			}
		}
	}
}

func entropy(d iter.Seq[logProb]) float64 {
	var sum compensated
	for x := range d {
		if x.p > 0 {
			sum.add(-x.p * x.log)
		}
	}
	return sum.value()
}

// generalizedEntropy adds the largest probabilities in their order, so that the order of the classes has no part.
func generalizedEntropy(d iter.Seq[logProb]) float64 {
	top := make([]logProb, 0, genClasses+1)
	for x := range d {
		if len(top) == genClasses && x.log <= top[genClasses-1].log {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, x, func(a, b logProb) int { return cmp.Compare(b.log, a.log) })
		top = slices.Insert(top, at, x)
		top = top[:min(len(top), genClasses)]
	}
	var sum compensated
	for _, x := range top {
		if x.rest > 0 {
			sum.add(math.Exp(genGamma*x.log) * math.Pow(x.rest, genGamma))
		}
	}
	return sum.value()
}

// Of is [OODScoreOf] for the scores that an outcome alone has: all but [Entropy] and [GEN], for which it returns an error
// that wraps [ErrNotComputable]. Its [XentUniform] rounds otherwise: rows that differ by a constant may be no ties.
func (s OODScore) Of(o *Outcome) (float64, error) {
	var v float64
	switch s {
	case MSP:
		return -o.Conf, nil
	case MaxLogit:
		v = -o.MaxLogit
	case Energy:
		v = -o.LogSumExp
	case XentUniform:
		v = o.MeanLogit - o.LogSumExp
	case Entropy, GEN:
		return 0, fmt.Errorf("%w: row %d: score %s is of all classes, which an outcome does not hold", ErrNotComputable, o.Row, s)
	default:
		return 0, fmt.Errorf("%w: OOD score %q (allowed: %v)", ErrName, s, OODScores())
	}
	if math.IsNaN(v) {
		return 0, fmt.Errorf("%w: row %d: score %s needs logits and the row holds probabilities", ErrNotComputable,
			o.Row, s)
	}
	return v, nil
}
