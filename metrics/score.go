package metrics

import (
	"fmt"
	"math"
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
	arg, sum := argmaxSum(logits)
	if err := checkLogits(row, logits, arg, sum); err != nil {
		return Outcome{}, err
	}
	top := float64(logits[arg])
	s0, q0 := expSums(logits[:arg], top)
	s1, q1 := expSums(logits[arg+1:], top)
	rest, squares := s0+s1, q0+q1 // without the largest, whose exponential is 1
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
	e := expNeg(max(gap, expFloor))
	o.NLL = lse - gap
	others := max(squares-float64(e*e), 0)
	miss := total - e
	o.Brier = (float64(miss*miss) + 1 + others) / float64(total*total)
	return o, nil
}

// ScoreProbs is [Score] for a row of probabilities. They are used as given, not normalised again; a row whose sum is
// further than [ProbTolerance] from one is refused with a [*RowError] that wraps [ErrProb], as is an entry that is
// not in [0, 1] (within the same tolerance above 1, and then counted as 1). A true class of probability 0 has
// infinite NLL.
func ScoreProbs[F Float](row int, probs []F, label int) (Outcome, error) {
	if err := checkRow(row, len(probs), label); err != nil {
		return Outcome{}, err
	}
	var sum, squares float64
	arg := 0
	for j, p := range probs {
		v := float64(p)
		if !(v >= 0 && v <= 1+ProbTolerance) {
			return Outcome{}, rowErr(ErrProb, row, j, v, wantProb)
		}
		if p > probs[arg] {
			arg = j
		}
		sum += v
		squares += float64(v * v)
	}
	if !(math.Abs(sum-1) <= ProbTolerance) {
		return Outcome{}, rowErr(ErrProb, row, -1, sum, wantSum)
	}
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
	o.Brier = max(squares-float64(p*p), 0) + float64((1-p)*(1-p))
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

// argmaxSum returns the index of the first maximum and the sum. With a NaN the sum is NaN and the index arbitrary.
func argmaxSum[F Float](row []F) (arg int, sum float64) {
	top := row[0]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		v := row[i : i+4 : i+4]
		if v[0] > top {
			top, arg = v[0], i
		}
		if v[1] > top {
			top, arg = v[1], i+1
		}
		if v[2] > top {
			top, arg = v[2], i+2
		}
		if v[3] > top {
			top, arg = v[3], i+3
		}
		s0 += float64(v[0])
		s1 += float64(v[1])
		s2 += float64(v[2])
		s3 += float64(v[3])
	}
	for ; i < len(row); i++ {
		if row[i] > top {
			top, arg = row[i], i
		}
		s0 += float64(row[i])
	}
	return arg, (s0 + s1) + (s2 + s3)
}

// checkLogits looks at the single logits only if their sum says that one may be bad: a float64 sum of finite float32
// values cannot overflow, and huge float64 values that cancel in the sum have a huge maximum.
func checkLogits[F Float](row int, logits []F, arg int, sum float64) error {
	if math.Abs(sum) <= math.MaxFloat32 && float64(logits[arg]) <= math.MaxFloat32 {
		return nil
	}
	for j, v := range logits {
		if x := float64(v); !(math.Abs(x) <= math.MaxFloat32) {
			return rowErr(ErrLogit, row, j, x, wantLogit)
		}
	}
	return nil
}

// rank returns the ordinal rank of class label, from 1, given the first maximum.
func rank[F Float](row []F, label, arg int) int {
	if label == arg {
		return 1
	}
	v, r := row[label], 1
	for _, x := range row[:label] {
		if x >= v {
			r++
		}
	}
	for _, x := range row[label+1:] {
		if x > v {
			r++
		}
	}
	return r
}

// AnomalyScore names a score of how unlike the training data a row is; larger is more anomalous.
type AnomalyScore string

// The anomaly scores, by the names used on the wire.
const (
	// MSP is minus the largest softmax probability (Hendrycks and Gimpel, ICLR 2017; the PixMix and Outlier Exposure
	// default).
	MSP AnomalyScore = "msp"
	// MaxLogit is minus the largest logit (Hendrycks et al., ICML 2022).
	MaxLogit AnomalyScore = "max_logit"
	// Energy is the free energy -log sum exp(logit) at temperature 1 (Liu et al., NeurIPS 2020).
	Energy AnomalyScore = "energy"
	// XentUniform is the mean logit minus log sum exp(logit): minus the cross-entropy from the uniform distribution to
	// the softmax (Outlier Exposure's use_xent).
	XentUniform AnomalyScore = "xent_uniform"
)

// AnomalyScores lists the scores.
func AnomalyScores() []AnomalyScore { return []AnomalyScore{MSP, MaxLogit, Energy, XentUniform} }

// Of returns the score of an outcome. All but [MSP] need logits: for an outcome of [ScoreProbs] they return an error
// that wraps [ErrMeaningless], because the softmax has lost them. A name not in the list is [ErrName].
func (s AnomalyScore) Of(o *Outcome) (float64, error) {
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
	default:
		return 0, fmt.Errorf("%w: anomaly score %q (allowed: %v)", ErrName, s, AnomalyScores())
	}
	if math.IsNaN(v) {
		return 0, fmt.Errorf("%w: row %d: score %s needs logits and the row holds probabilities", ErrMeaningless,
			o.Row, s)
	}
	return v, nil
}
