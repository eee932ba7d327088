package metrics

import (
	"fmt"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/internal/parallel"
)

// Resampled is a statistic under the draws of [Resample].
type Resampled struct {
	estimate float64
	values   []float64 // of the replicates, in their order
	opt      BootstrapOptions
	err      error // undefined
}

// chunkWeights bounds the weights that [Resample] draws ahead, twice.
const chunkWeights = 1 << 19

// drawnWeights are slices of weights that nobody uses: reports resample some hundred times.
var drawnWeights sync.Pool

// takeWeights returns n numbers, any ones.
func takeWeights(n int) []uint32 {
	if w, ok := drawnWeights.Get().(*[]uint32); ok && cap(*w) >= n {
		return (*w)[:n]
	}
	return make([]uint32, n)
}

// Resample takes several statistics of the same rows, such as one metric of several models, under the same draws: those
// that [Bootstrap] makes with these options. Intervals and paired differences of all of them then cost one drawing. The
// statistics run on goroutines of their own, so that no two may share memory that they write to; the result does not depend
// on how many run at once. It returns an error that wraps [ErrOption] for bad options, [ErrLength] where the strata differ, or
// [ErrUndefined] without rows; a statistic that is undefined under a draw says so in its own methods.
func Resample(opt BootstrapOptions, stats ...Statistic) ([]*Resampled, error) {
	if err := opt.complete(); err != nil || len(stats) == 0 {
		return nil, err
	}
	strata := stats[0].Strata()
	for _, s := range stats[1:] {
		if other := s.Strata(); !slices.Equal(strata, other) {
			return nil, fmt.Errorf("%w: bootstrap of %v and %v rows together", ErrLength, strata, other)
		}
	}
	unit, err := unitWeights(strata)
	if err != nil {
		return nil, err
	}
	all := make([]*Resampled, len(stats))
	for i := range all {
		all[i] = &Resampled{opt: opt}
	}
	parallel.Do(len(stats), 0, func(_, i int) {
		all[i].estimate, all[i].err = defined(stats[i].Weighted(unit), "the statistic of these rows")
	})
	n := len(unit)
	size := min(max(chunkWeights/n, 1), 64, opt.Replicates)
	now, next := takeWeights(size*n), takeWeights(size*n)
	defer func() {
		drawnWeights.Put(&now)
		drawnWeights.Put(&next)
	}()
	draws := drawer{src: opt.Source}
	draw := func(dst []uint32, from int) {
		for r := from; r < min(from+size, opt.Replicates); r++ {
			draws.draw(dst[(r-from)*n:][:n], strata)
		}
	}
	draw(now, 0)
	for from := 0; from < opt.Replicates; from += size {
		parallel.Do(len(stats)+1, 0, func(_, i int) {
			if i == 0 { // the longest, and what all wait for
				draw(next, from+size)
				return
			}
			all[i-1].take(stats[i-1], now, n, from, min(size, opt.Replicates-from))
		})
		now, next = next, now
	}
	return all, nil
}

// take adds the values of count replicates from number first on, whose weights of n rows each are w.
func (r *Resampled) take(s Statistic, w []uint32, n, first, count int) {
	if r.err != nil {
		return
	}
	values := make([]float64, count)
	if b, ok := s.(Batch); ok {
		b.WeightedAll(values, w[:count*n])
	} else {
		for k := range values {
			values[k] = s.Weighted(w[k*n:][:n])
		}
	}
	for k, v := range values {
		if _, r.err = defined(v, replicateName(first+k)); r.err != nil {
			return
		}
	}
	r.values = append(r.values, values...)
}

func replicateName(r int) string { return fmt.Sprintf("bootstrap replicate %d of a statistic", r) }

// Interval returns what [Bootstrap] returns for the statistic. The error wraps [ErrUndefined].
func (r *Resampled) Interval() (Interval, error) {
	if r.err != nil {
		return Interval{}, r.err
	}
	return percentile(slices.Clone(r.values), r.estimate, &r.opt), nil
}

// Minus returns what [BootstrapDifference] returns for the two statistics: both come from one call of [Resample], or from
// calls whose sources began alike. The error wraps [ErrUndefined], or [ErrLength] for other numbers of replicates.
func (r *Resampled) Minus(o *Resampled) (Interval, error) {
	switch {
	case r.err != nil:
		return Interval{}, r.err
	case o.err != nil:
		return Interval{}, o.err
	case len(r.values) != len(o.values):
		return Interval{}, fmt.Errorf("%w: %d replicates minus %d", ErrLength, len(r.values), len(o.values))
	}
	d := make([]float64, len(r.values))
	for i, v := range r.values {
		d[i] = difference(v, o.values[i])
	}
	return percentile(d, difference(r.estimate, o.estimate), &r.opt), nil
}

// percentile is the interval of replicates, which it sorts.
func percentile(values []float64, estimate float64, opt *BootstrapOptions) Interval {
	iv := Interval{Estimate: estimate, Level: opt.Level, Replicates: opt.Replicates}
	slices.Sort(values)
	iv.Lo = quantile(values, (1-opt.Level)/2)
	iv.Hi = quantile(values, (1+opt.Level)/2)
	if opt.Centered {
		bias := meanOf(values) - iv.Estimate
		iv.Lo, iv.Hi = iv.Lo-bias, iv.Hi-bias
	}
	return iv
}

// complete puts in the defaults. It returns an error that wraps [ErrOption] for bad options.
func (opt *BootstrapOptions) complete() error {
	if opt.Replicates == 0 {
		opt.Replicates = 1000
	}
	if opt.Level == 0 {
		opt.Level = 0.95
	}
	if opt.Source == nil || opt.Replicates < 2 || opt.Replicates > 1e7 || !(opt.Level > 0 && opt.Level < 1) {
		return optionErr("bootstrap with source %v, %d replicates, level %v (allowed: a source, 2 to 1e7, "+
			"above 0 and below 1)", opt.Source, opt.Replicates, opt.Level)
	}
	return nil
}
