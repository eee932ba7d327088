package metrics

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/metrics/internal/softmax"
)

// Classwise is the calibration error of the probabilities of all K classes, not of the predicted one alone: classwise ECE
// (Kull et al., NeurIPS 2019), the same as static calibration error (Nixon et al., CVPR workshops 2019):
//
//	1/(K·N) · Σ over classes k and bins m of |Σ over the rows whose probability of k is in bin m of (p_k - [k is true])|
//
// with the bins of [EqualWidth]. It takes 8 bytes a class and bin. Probabilities are rounded to multiples of 2^-36, so that
// their sums are exact and do not depend on the order; that moves the value by less than 1e-11. Make one with
// [NewClasswise]. It is not safe for concurrent use.
type Classwise struct {
	bins, classes int
	first         float64 // upper edge of the first bin, which most probabilities are in
	n             uint64
	sum           []int64 // of p - [true] in units of 2^-36; bin m of class k is k*bins+m
}

const (
	classwiseUnit = 1 << 36
	maxClasswise  = 1<<27 - 1 // rows, so that no sum overflows
)

// NewClasswise returns an accumulator with so many bins, from 1 to 10,000.
func NewClasswise(bins int) (*Classwise, error) {
	if err := checkBins(bins); err != nil {
		return nil, err
	}
	return &Classwise{bins: bins, first: 1 / float64(bins)}, nil
}

// AddClasswise adds the row of logits or probabilities that [Score] or [ScoreProbs] made the outcome of, with the errors of
// [Classification.Add], and one that wraps [ErrOption] for more than 2^27-1 rows.
func AddClasswise[F Float](c *Classwise, o *Outcome, row []F) error {
	if err := o.check(); err != nil {
		return err
	}
	switch {
	case len(row) != o.Classes:
		return fmt.Errorf("%w: row %d has %d classes, its outcome %d", ErrLength, o.Row, len(row), o.Classes)
	case c.classes != 0 && c.classes != len(row):
		return fmt.Errorf("%w: row %d has %d classes, the rows before %d", ErrLength, o.Row, len(row), c.classes)
	case c.n == maxClasswise:
		return optionErr("row %d for classwise calibration (allowed: %d rows)", o.Row, maxClasswise)
	}
	c.grow(len(row))
	c.n++
	logits := !math.IsNaN(o.MaxLogit)
	for k, v := range row {
		p := min(float64(v), 1)
		if logits {
			p = softmax.Exp(float64(v)-o.MaxLogit) * o.Conf
		}
		at := k * c.bins
		if p > c.first {
			at += widthIndex(p, c.bins)
		}
		c.sum[at] += int64(math.RoundToEven(p * classwiseUnit))
		if k == o.Label {
			c.sum[at] -= classwiseUnit
		}
	}
	return nil
}

func (c *Classwise) grow(classes int) {
	if c.sum == nil {
		c.classes, c.sum = classes, make([]int64, classes*c.bins)
	}
}

// Merge adds the rows of o. It returns an error that wraps [ErrLength] if the numbers of bins or of classes differ, and
// [ErrOption] for too many rows.
func (c *Classwise) Merge(o *Classwise) error {
	switch {
	case o.n == 0:
		return nil
	case c.bins != o.bins || c.n > 0 && c.classes != o.classes:
		return fmt.Errorf("%w: merging %d calibration bins of %d classes with %d of %d", ErrLength, c.bins, c.classes, o.bins,
			o.classes)
	case c.n+o.n > maxClasswise:
		return optionErr("%d rows for classwise calibration (allowed: %d)", c.n+o.n, maxClasswise)
	}
	c.grow(o.classes)
	c.n += o.n
	for i, v := range o.sum {
		c.sum[i] += v
	}
	return nil
}

// N returns how many rows were added.
func (c *Classwise) N() uint64 { return c.n }

// ECE returns classwise ECE, from 0 to 1 (2/K at most for a model whose probabilities sum to 1), or an error that wraps
// [ErrUndefined] without rows.
func (c *Classwise) ECE() (float64, error) {
	if c.n == 0 {
		return 0, emptyErr("classwise calibration error")
	}
	var total compensated
	for _, v := range c.sum {
		total.add(math.Abs(float64(v)) / classwiseUnit)
	}
	return total.value() / (float64(c.n) * float64(c.classes)), nil
}
