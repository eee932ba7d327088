package score

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// addNote adds a note unless it is there.
func addNote(notes []string, n string) []string {
	if slices.Contains(notes, n) {
		return notes
	}
	return append(notes, n)
}

// options says how the bootstrap of a row draws. The stream is named after what is measured, so that one metric's
// interval does not depend on the others: "bootstrap", the metric's name with its variant, the corruption, the severity
// and the view's text. Recorded intervals depend on these names: they stay.
func (b *Bootstrap) options(r *results.Row) metrics.BootstrapOptions {
	k := rng.NewKey(b.Seed).Str("bootstrap").Str(r.MetricName(r.Metric)).Str(r.Corruption).Number(r.Severity).
		Str(r.Text())
	stream := k.Rand()
	return metrics.BootstrapOptions{Source: &stream, Replicates: b.Replicates, Level: b.Level, Centered: biased(r.Metric)}
}

// biased reports whether a metric is larger of a sample of the samples than of all of them: its intervals are centered, or the number
// would lie at their lower end or below. Calibration errors are, as their bins are then noisier, and so is average precision, whose
// thresholds are then fewer.
func biased(metric string) bool {
	return slices.Contains([]string{
		results.RMSCalibration, results.MADCalibration, results.MaxCalibration, results.ECE, results.SmoothECE, results.ClasswiseECE,
		results.AUPR,
	}, metric)
}

// within cuts the interval of such a metric to least and 1, what there is of it, or of its differences, which centering can go beyond.
func within(least float64, metric string, iv metrics.Interval) metrics.Interval {
	if biased(metric) {
		iv.Lo, iv.Hi = max(iv.Lo, least), min(iv.Hi, 1)
	}
	return iv
}

// sure is the interval of an error of n images that no replicate differs from, as none of them or all are wrong: Wilson's, since the
// bootstrap's is that point, and the error of other images need not be.
func sure(metric string, iv metrics.Interval, n int) metrics.Interval {
	if metric != results.Top1Error && metric != results.Top5Error || iv.Lo != iv.Hi {
		return iv
	}
	z := quantile(iv.Level)
	square := float64(z * z)
	width := square / (float64(n) + square)
	switch iv.Lo {
	case 0:
		iv.Hi = width
	case 1:
		iv.Lo = 1 - width
	}
	return iv
}

// interval adds the bootstrap's interval to the row added last and keeps the statistic for differences.
func (t *taking) interval(stat metrics.Statistic, err error) error {
	r := &t.rows[len(t.rows)-1]
	if t.bootstrap == nil || math.IsNaN(r.Value) {
		return nil
	}
	name := placed(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.statistics = append(t.statistics, namedStatistic{*r, stat})
	iv, err := metrics.Bootstrap(stat, t.bootstrap.options(r))
	if errors.Is(err, metrics.ErrUndefined) {
		t.note("%s: no interval: %v", name, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	iv = sure(r.Metric, within(0, r.Metric, iv), stat.Strata()[0])
	r.Interval = &results.Interval{Lo: iv.Lo, Hi: iv.Hi, Level: iv.Level}
	seed := t.bootstrap.Seed
	r.Seed = &seed
	return nil
}

// Unpaired returns the interval of a minus b of two numbers that have intervals of one level, combined as if they were
// independent (the square-and-add method of Zou and Donner, Statistics in Medicine 2008): each side of the difference's
// interval is as far as the root of the squares of the two distances. That is too wide for two models on the same
// images. It reports false where the intervals do not allow it.
func Unpaired(a, b *Number) (lo, hi float64, ok bool) {
	if a.Level == 0 || a.Level != b.Level || a.Lo > a.Value || a.Hi < a.Value || b.Lo > b.Value || b.Hi < b.Value {
		return 0, 0, false
	}
	d := a.Value - b.Value
	return d - math.Hypot(a.Value-a.Lo, b.Hi-b.Value), d + math.Hypot(a.Hi-a.Value, b.Value-b.Lo), true
}

// Wilson returns the 95 % interval of a fraction p of n samples (Wilson 1927). It does not leave [0, 1] and needs no
// large n.
func Wilson(p, n float64) (lo, hi float64) {
	z := quantile(RecordLevel)
	d := 1 + z*z/n
	mid := (p + z*z/(2*n)) / d
	half := z / d * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(mid-half, 0), min(mid+half, 1)
}

// quantile is how many standard deviations an interval of a level goes to each side.
func quantile(level float64) float64 {
	if level == RecordLevel {
		return 1.959963984540054
	}
	return math.Sqrt2 * math.Erfinv(level)
}

// Gap returns the mean distance of confidence and accuracy over the samples of a reliability diagram, and their number.
func Gap(bins []results.ReliabilityBin) (gap float64, n int64) {
	for _, b := range bins {
		if b.N > 0 {
			n += b.N
			gap += math.Abs(b.Accuracy-b.Confidence) * float64(b.N)
		}
	}
	return gap / float64(n), n
}

// Ring returns the mean over the frequencies of a Fourier map, [side, side] with frequency 0 at [side/2, side/2], whose
// greater number of cycles, up or across, is from lo to hi. NaN in the map is a frequency that was not measured; the
// mean over none is NaN.
func Ring(side int, values []float64, lo, hi int) float64 {
	sum, n := 0.0, 0
	for i, v := range values {
		r, c := i/side-side/2, i%side-side/2
		if f := max(r, -r, c, -c); f >= lo && f <= hi && !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// Difference returns a's number minus b's, without an interval: see [Unpaired] and [Compare].
func Difference(a, b *Number) Number {
	return Number{State: Computed, Value: a.Value - b.Value, Note: "difference"}
}
