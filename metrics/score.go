package metrics

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/metrics/internal/softmax"
)

// Float is the element type of a row of logits or probabilities.
type Float interface{ ~float32 | ~float64 }

// NoLabel is the label of a row without one: its outcome has a prediction and scores, but no rank, loss or Brier
// score.
const NoLabel = -1

// ProbTolerance is how far from one the sum of a row of probabilities may be: 1e-4, a little above what the rounding
// of a thousand float32 values can add up to. Half-precision softmax outputs miss it; save logits instead.
const ProbTolerance = 1e-4

const (
	wantLogit = "finite numbers of at most 3.4e38, the range of float32"
	wantProb  = "numbers from 0 to 1"
	wantSum   = "rows that sum to 1 within 1e-4"
)

// Outcome is what one row of predictions says, all that the metrics of this package need from it.
type Outcome struct {
	Row     int // number of the row, for messages
	Classes int
	Label   int     // true class, or NoLabel
	Pred    int     // class with the largest logit, the first of equals
	Rank    int     // rank of the true class, 1 for the largest logit, equals ordered by class; 0 without a label
	Conf    float64 // largest softmax probability
	NLL     float64 // -log of the true class's probability, natural logarithm; NaN without a label
	Brier   float64 // sum over classes of (probability - [class is true])^2, from 0 to 2; NaN without a label

	// The rest exists for logits only and is NaN for probabilities.

	MaxLogit  float64
	MeanLogit float64
	LogSumExp float64 // log of the sum over classes of exp(logit)
}

// check returns an error unless o can be the outcome of a row with a label.
func (o *Outcome) check() error {
	switch {
	case o.Rank == 0:
		return fmt.Errorf("%w: row %d has no label", ErrLabel, o.Row)
	case o.Rank < 0 || o.Rank > o.Classes:
		return fmt.Errorf("%w: row %d has rank %d of %d classes (allowed: 1 to the number of classes)", ErrLabel, o.Row, o.Rank, o.Classes)
	case !(o.Conf >= 0 && o.Conf <= 1):
		return fmt.Errorf("%w: row %d has confidence %v (allowed: 0 to 1)", ErrScore, o.Row, o.Conf)
	case !(o.NLL >= 0) || !(o.Brier >= 0 && o.Brier <= 2+4*ProbTolerance):
		return fmt.Errorf("%w: row %d has loss %v and Brier score %v (allowed: 0 and up, 0 to 2)", ErrScore, o.Row, o.NLL, o.Brier)
	}
	return nil
}

// Correct reports whether the prediction is the label.
func (o *Outcome) Correct() bool { return o.Rank == 1 }

// Score reads a row of logits, one a class, and its label (or [NoLabel]). The number row only names the row in errors.
//
// It returns a [*RowError] that wraps [ErrLogit] for a logit that is NaN, infinite or larger than float32 holds,
// [ErrLabel] for a label outside the row, and [ErrLength] for an empty row. It does not allocate on success.
func Score[F Float](row int, logits []F, label int) (Outcome, error) {
	if err := checkRow(row, len(logits), label); err != nil {
		return Outcome{}, err
	}
	top, least, ok := softmax.Peak(logits)
	if !ok {
		return Outcome{}, badLogit(row, logits)
	}
	arg := softmax.First(logits, top)
	sum, rest, squares := softmax.ExpSums(logits, arg, top, least) // rest is without the largest, whose exponential is 1
	lse := math.Log1p(rest)
	o := Outcome{
		Row: row, Classes: len(logits), Label: label, Pred: arg,
		Conf: 1 / (1 + rest), NLL: math.NaN(), Brier: math.NaN(),
		MaxLogit: top, MeanLogit: sum / float64(len(logits)), LogSumExp: top + lse,
	}
	if label == NoLabel {
		return o, nil
	}
	o.Rank = rank(logits, label, arg)
	total := 1 + rest
	if label == arg {
		o.NLL = lse
		o.Brier = (float64(rest*rest) + squares) / float64(total*total)
		return o, nil
	}
	gap := float64(logits[label]) - top
	e := softmax.Exp(gap)
	o.NLL = lse - gap
	others := max(squares-float64(e*e), 0)
	miss := total - e
	o.Brier = (float64(miss*miss) + 1 + others) / float64(total*total)
	return o, nil
}

// ScoreProbs is [Score] for a row of probabilities. They are used as given, not normalized again; a row whose sum is
// further than [ProbTolerance] from one is refused with a [*RowError] that wraps [ErrProb], as is an entry that is
// not in [0, 1] (within the same tolerance above 1, and then counted as 1). A true class of probability 0 has
// infinite NLL.
func ScoreProbs[F Float](row int, probs []F, label int) (Outcome, error) {
	if err := checkRow(row, len(probs), label); err != nil {
		return Outcome{}, err
	}
	st := softmax.Scan(probs)
	if err := checkProbs(row, probs, &st); err != nil {
		return Outcome{}, err
	}
	arg := softmax.First(probs, st.Max)
	nan := math.NaN()
	o := Outcome{
		Row: row, Classes: len(probs), Label: label, Pred: arg,
		Conf: min(float64(probs[arg]), 1), NLL: nan, Brier: nan, MaxLogit: nan, MeanLogit: nan, LogSumExp: nan,
	}
	if label == NoLabel {
		return o, nil
	}
	p := float64(probs[label])
	o.Rank = rank(probs, label, arg)
	o.NLL = 0 - math.Log(min(p, 1)) // 0-x, not -x: no negative zero
	o.Brier = max(st.Squares-float64(p*p), 0) + float64((1-p)*(1-p))
	return o, nil
}

func checkRow(row, classes, label int) error {
	if classes == 0 {
		return fmt.Errorf("%w: row %d is empty", ErrLength, row)
	}
	if label != NoLabel && (label < 0 || label >= classes) {
		return labelErr(row, label, classes)
	}
	return nil
}

func labelErr(row, label, classes int) error {
	return rowErr(ErrLabel, row, -1, float64(label), fmt.Sprintf("0 to %d", classes-1))
}

// badLogit finds the first logit that [softmax.Peak] says is there.
func badLogit[F Float](row int, logits []F) error {
	for j, v := range logits {
		if x := float64(v); !(math.Abs(x) <= math.MaxFloat32) {
			return rowErr(ErrLogit, row, j, x, wantLogit)
		}
	}
	panic("metrics: a row of good logits was found to be bad")
}

// checkProbs looks at the single probabilities only if their extremes or their sum say that one is bad.
func checkProbs[F Float](row int, probs []F, st *softmax.Stats) error {
	if !(st.Min >= 0 && st.Max <= 1+ProbTolerance) || math.IsNaN(st.Sum) {
		for j, p := range probs {
			if v := float64(p); !(v >= 0 && v <= 1+ProbTolerance) {
				return rowErr(ErrProb, row, j, v, wantProb)
			}
		}
	}
	if !(math.Abs(st.Sum-1) <= ProbTolerance) {
		return rowErr(ErrProb, row, -1, st.Sum, wantSum)
	}
	return nil
}

// rank returns the ordinal rank of class label, from 1, given the first maximum.
func rank[F Float](row []F, label, arg int) int {
	if label == arg {
		return 1
	}
	v := float64(row[label])
	return 1 + softmax.CountFrom(row[:label], v) + softmax.CountFrom(row[label+1:], math.Nextafter(v, math.Inf(1)))
}
