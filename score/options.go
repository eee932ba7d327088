package score

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Sentinel errors. Besides them the errors of this package wrap those of packages metrics and predictions.
var (
	// ErrOption: an option outside its range, or two that contradict each other.
	ErrOption = errors.New("bad option")
	// ErrUnpaired: two numbers that have no paired difference, or a number that records do not hold the parts of.
	ErrUnpaired = errors.New("not paired")
)

// Options say what is taken of predictions and how the rows are called. The zero value takes every metric, divides by
// AlexNet where that has a meaning, and makes no intervals.
type Options struct {
	Model string // in rows
	// Dataset of the rows: for corrupted and perturbed images the name of the form, such as "cifar10-c", or of what it was made from.
	Dataset  string
	View     results.View // treatment that all of the images went through; [Files] take it from what is said beside them
	Versions map[string]string
	Time     time.Time // of the rows; zero is now

	Metrics
	Difficulty int  // of sequences: frames that are compared lie so far apart; 0 is 1
	Zipf       bool // the Zipf distance of sequences too, for which all classes are sorted
	Baseline   Baseline
	Bootstrap  Bootstrap
	// PerClass takes the error of each class of clean images, and what classes are confused with, see [Classes]. [Files] counts them; a
	// caller of [Cells] sets Cell.ByClass before the first prediction.
	PerClass bool
	// Keep the outcome of every prediction also without intervals: for [Compare] and [WriteRecords].
	Keep bool
}

// Metrics say which metrics labeled images have.
type Metrics struct {
	// Uncalibrated leaves out the metrics of confidences: error, top-5 error, NLL and Brier score remain.
	Uncalibrated bool
	Adaptive     metrics.Adaptive // bins of RMS and MAD calibration errors, the papers'
	// Published takes RMS and MAD calibration errors without the last adaptive bin too, as the papers' code computes them by mistake:
	// rows with View.SkipLast.
	Published bool
	Bins      int // of equal width, of ECE and of reliability diagrams; 0 is metrics.DefaultWidthBins
	Workers   int // goroutines that compute them; 0: all cores. No number depends on it.
}

func (m *Metrics) bins() int {
	if m.Bins == 0 {
		return metrics.DefaultWidthBins
	}
	return m.Bins
}

// Bootstrap says how intervals are made.
type Bootstrap struct {
	Replicates int     // 2 to 1000000; 0 makes no intervals
	Level      float64 // above 0 and below 1; 0 is 0.95
	Seed       uint64
}

func (o *Options) check() error {
	b := &o.Bootstrap
	switch {
	case b.Replicates < 0 || b.Replicates == 1 || b.Replicates > 1e6:
		return fmt.Errorf("%w: %d replicates (allowed: 2 to 1000000, 0 for no intervals)", ErrOption, b.Replicates)
	case b.Level < 0 || b.Level >= 1 || math.IsNaN(b.Level):
		return fmt.Errorf("%w: level %v (allowed: above 0 and below 1)", ErrOption, b.Level)
	case o.Difficulty < 0 || o.Difficulty > 1000:
		return fmt.Errorf("%w: difficulty %d (allowed: 1 to 1000)", ErrOption, o.Difficulty)
	}
	return nil
}

// keep reports whether the outcome of each prediction is needed.
func (o *Options) keep() bool { return o.Keep || o.Bootstrap.Replicates > 0 }

func (o *Options) difficulty() int { return max(o.Difficulty, 1) }

// base is a row without a measurement.
func (o *Options) base() results.Row {
	at := o.Time
	if at.IsZero() {
		at = time.Now()
	}
	return results.Row{
		Model: o.Model, Dataset: o.Dataset, View: o.View, Versions: o.Versions, Time: at, Origin: results.Measured,
	}
}
