package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// OverSeeds returns the mean of one number of several training runs that differ in their seeds alone, with Student's interval of
// that mean: where the mean over all seeds lies, as far as these tell. One more run lies further out, within sqrt(n+1) times the
// interval of n runs. Replicates is the number of runs. It returns an error that wraps
// [ErrUndefined] for fewer than two values or one that is no number, or [ErrOption] for a level outside (0, 1).
func OverSeeds(values []float64, level float64) (Interval, error) {
	if !(level > 0 && level < 1) {
		return Interval{}, optionErr("level %v (allowed: above 0 and below 1)", level)
	}
	n := float64(len(values))
	if n < 2 {
		return Interval{}, fmt.Errorf("%w: an interval over %d seeds (allowed: at least 2)", ErrUndefined, len(values))
	}
	mean := meanOf(values)
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return Interval{}, fmt.Errorf("%w: the mean of %v", ErrUndefined, values)
	}
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * math.Sqrt(squares/(n-1)/n)
	return Interval{Estimate: mean, Lo: mean - half, Hi: mean + half, Level: level, Replicates: len(values)}, nil
}

// MeanOf returns the mean of statistics, such as of one method's training runs, replicate by replicate: its interval is over rows,
// for these runs. All come from one call of [Resample], or from calls whose sources began alike. The error wraps [ErrUndefined], or
// [ErrLength] for other numbers of replicates, or without statistics.
func MeanOf(all ...*Resampled) (*Resampled, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: a mean over no statistics", ErrLength)
	}
	mean := &Resampled{opt: all[0].opt, values: make([]float64, len(all[0].values))}
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		if len(r.values) != len(mean.values) {
			return nil, fmt.Errorf("%w: %d replicates beside %d", ErrLength, len(r.values), len(mean.values))
		}
		mean.estimate += r.estimate
		for i, v := range r.values {
			mean.values[i] += v
		}
	}
	n := float64(len(all))
	mean.estimate /= n
	for i := range mean.values {
		mean.values[i] /= n
	}
	return mean, nil
}
