package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Statistic is a metric of a fixed set of rows under integer weights.
type Statistic interface {
	// Strata returns how many rows there are in each stratum. Strata are resampled separately: all rows are one
	// stratum, except for detection, whose positives and negatives are two.
	Strata() []int
	// Weighted returns the metric of the multiset in which row i, counted through the strata, occurs w[i] times, and
	// NaN where the metric is undefined. The weights of each stratum sum to its number of rows. It does not keep w,
	// and it is not safe for concurrent use.
	Weighted(w []uint32) float64
}

// Batch is a [Statistic] that takes many draws at once faster than one after the other.
type Batch interface {
	Statistic
	// WeightedAll sets dst to what Weighted returns for each draw, of which w holds one after the other.
	WeightedAll(dst []float64, w []uint32)
}

// Interval is a bootstrap percentile interval.
type Interval struct {
	Estimate   float64 // of the rows as they are
	Lo, Hi     float64
	Level      float64 // 0.95: 2.5 % of the replicates lie below Lo and 2.5 % above Hi
	Replicates int
}

// BootstrapOptions configures a bootstrap. The zero value of a field but Source means its default.
type BootstrapOptions struct {
	// Source is the generator of the draws, such as a *rand.PCG with a seed or a stream of package rng. Required.
	Source     rand.Source
	Replicates int     // default 1000; at most 10 million
	Level      float64 // default 0.95
	// Centered takes the bias of the replicates, their mean minus the estimate, off both ends of the interval, for
	// statistics such as binned calibration errors and average precision that grow when rows repeat. The interval then says how far the value
	// scatters around the estimate; it says nothing about the bias of the estimate itself.
	Centered bool
}

// Bootstrap returns the percentile interval of a statistic (Efron 1979): rows are drawn with replacement within each
// stratum, as many as there are, and the interval is between the (1-level)/2 and (1+level)/2 quantiles of the
// replicates, interpolated linearly. The result is a function of the statistic and the source's state.
//
// The percentile interval does not correct bias. Binned calibration errors and average precision are biased upwards, and
// more so when rows repeat: their interval can lie above the estimate, unless it is centered (see [BootstrapOptions]).
// Of rows that are all alike, as where none is wrong, it is a point.
//
// It returns an error that wraps [ErrOption] for bad options, or [ErrUndefined] without rows or if any replicate is
// undefined.
func Bootstrap(s Statistic, opt BootstrapOptions) (Interval, error) {
	return bootstrap(s.Strata(), s.Weighted, opt)
}

// BootstrapDifference returns the interval of the metric of a minus the metric of b, both of the same rows (two
// models scored on the same images, in the same order): each replicate draws one set of rows for both. It returns an
// error that wraps [ErrLength] if the strata differ; otherwise errors are those of [Bootstrap].
func BootstrapDifference(a, b Statistic, opt BootstrapOptions) (Interval, error) {
	if sa, sb := a.Strata(), b.Strata(); !slices.Equal(sa, sb) {
		return Interval{}, fmt.Errorf("%w: paired bootstrap of %v and %v rows", ErrLength, sa, sb)
	}
	return bootstrap(a.Strata(), func(w []uint32) float64 { return difference(a.Weighted(w), b.Weighted(w)) }, opt)
}

// difference returns a - b, and 0 where that is no more than their rounding: two means of other sums may be equal and differ in
// the last bits, and an interval that ends at 0 would exclude it.
func difference(a, b float64) float64 {
	const bits = 8 * 0x1p-52 // relative: a mean of means rounds a few times
	d := a - b
	if math.Abs(d) <= bits*max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return d
}

// Value returns the metric with every row counted once, or an error that wraps [ErrUndefined].
func Value(s Statistic) (float64, error) {
	strata := s.Strata()
	w, err := unitWeights(strata)
	if err != nil {
		return 0, err
	}
	return defined(s.Weighted(w), "the statistic of these rows")
}

func unitWeights(strata []int) ([]uint32, error) {
	total := 0
	for _, n := range strata {
		if n < 1 {
			return nil, undefinedErr(fmt.Sprintf("statistic of strata of %v rows", strata))
		}
		total += n
	}
	if total == 0 || uint64(total) > math.MaxUint32 {
		return nil, undefinedErr(fmt.Sprintf("statistic of %d rows", total))
	}
	w := make([]uint32, total)
	for i := range w {
		w[i] = 1
	}
	return w, nil
}

func bootstrap(strata []int, f func([]uint32) float64, opt BootstrapOptions) (Interval, error) {
	if err := opt.complete(); err != nil {
		return Interval{}, err
	}
	w, err := unitWeights(strata)
	if err != nil {
		return Interval{}, err
	}
	estimate, err := defined(f(w), "the statistic of these rows")
	if err != nil {
		return Interval{}, err
	}
	values := make([]float64, opt.Replicates)
	draws := drawer{src: opt.Source}
	for r := range values {
		draws.draw(w, strata)
		if values[r], err = defined(f(w), replicateName(r)); err != nil {
			return Interval{}, err
		}
	}
	return percentile(values, estimate, &opt), nil
}

func meanOf(values []float64) float64 {
	var sum compensated
	for _, v := range values {
		sum.add(v)
	}
	return sum.value() / float64(len(values))
}

// quantile of sorted values, linear between order statistics (NumPy's default).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	t := at - float64(i)
	return float64(sorted[i]*(1-t)) + float64(sorted[i+1]*t)
}

// meanStatistic is the mean of a number a row.
type meanStatistic []float64

// countStatistic is the same of whole numbers, such as 1 for an error and 0, whose sum is exact in any way.
type countStatistic []uint32

// MeanStatistic returns the mean of one number a row as a [Statistic]. The slice is kept. It returns an error that
// wraps [ErrScore] and names the row for a NaN or infinite number, or [ErrUndefined] for no rows.
func MeanStatistic(values []float64) (Statistic, error) {
	if len(values) == 0 {
		return nil, emptyErr("mean")
	}
	counts := make(countStatistic, 0, len(values))
	for i, v := range values {
		if !finite(v) {
			return nil, rowErr(ErrScore, i, -1, v, "finite numbers")
		}
		if v >= 0 && v <= maxCount && v == math.Trunc(v) {
			counts = append(counts, uint32(v))
		}
	}
	if len(counts) == len(values) {
		return counts, nil
	}
	return meanStatistic(values), nil
}

// maxCount keeps the sums of a [countStatistic] below 2^53, where float64 has every whole number.
const maxCount = 1 << 20

func (c countStatistic) Strata() []int { return []int{len(c)} }

func (c countStatistic) Weighted(w []uint32) float64 {
	var sum, n uint64
	w = w[:len(c)]
	for i, v := range c {
		sum += uint64(w[i]) * uint64(v)
		n += uint64(w[i])
	}
	return float64(sum) / float64(n)
}

func (m meanStatistic) Strata() []int { return []int{len(m)} }

func (m meanStatistic) Weighted(w []uint32) float64 {
	var sum compensated
	var n uint64
	w = w[:len(m)]
	for i, v := range m { // one of weight 0 changes nothing
		sum = sum.plus(float64(float64(w[i]) * v))
		n += uint64(w[i])
	}
	return sum.value() / float64(n)
}
