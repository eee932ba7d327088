package score

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Line is a number that is looked for first, with the name that papers give it.
type Line struct {
	Label string
	Row   *results.Row
}

// Summary returns the few rows that say most, in the order in which they are read: errors, mCE or mFR, calibration, and
// the detection of out-of-distribution images. The plain mean of errors over all corruptions is what CIFAR papers print as
// mCE; its name says over how many, and that nothing divides it. What is not there has no line.
func (r *Result) Summary() []Line {
	var lines []Line
	severity := 0.0
	add := func(label, dataset, metric string, ok func(*results.Row) bool) (added bool) {
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Dataset == dataset && row.Metric == metric && row.Corruption == "" && row.Severity == severity && ok(row) {
				if row.SkipLast {
					label += ", last bin left out"
				}
				lines, added = append(lines, Line{label, row}), true
			}
		}
		return added
	}
	plain := func(row *results.Row) bool {
		v := row.View
		v.SkipLast = false
		return v == r.options.View
	}
	base, form := results.SampleSet(r.Dataset), r.Benchmark
	label := func(metric string) string { return results.Metric(metric).Label }
	if form == nil {
		for _, m := range []string{results.Top1Error, results.RMSCalibration, results.ECE, results.NLL, results.Brier} {
			add(label(m), base, m, plain)
		}
		for _, m := range []string{results.AUROC, results.AUPR, results.FPR95} {
			add(label(m)+oodMean(len(r.oodNames())), base, m, func(row *results.Row) bool { return row.Score == "" && row.OOD == "" })
			for _, set := range r.oodNames() {
				add(label(m)+", "+set, base, m, func(row *results.Row) bool { return row.Score == "" && row.OOD == set })
			}
		}
		return lines
	}
	add("Error, clean images", base, results.Top1Error, plain)
	over := fmt.Sprintf("mean over %d", len(form.Primary()))
	if form.Kind == metrics.PerturbationKind {
		add("mFR", r.Dataset, results.MeanFlipRate, plain)
		add("mT5D", r.Dataset, results.MeanTop5Rate, plain)
		add("Flip probability ("+over+")", r.Dataset, results.FlipProbability, plain)
		add("Top-5 distance ("+over+")", r.Dataset, results.Top5Distance, plain)
		return lines
	}
	add("mCE", r.Dataset, results.MeanCE, plain)
	add("Relative mCE", r.Dataset, results.RelativeMeanCE, plain)
	if !add(MeanErrorName(form, r.Rows), r.Dataset, results.Top1Error, plain) {
		for severity = 1; severity <= float64(form.Severities); severity++ {
			add(fmt.Sprintf("Error (%s, severity %v)", over, severity), r.Dataset, results.Top1Error, plain)
		}
		severity = 0
	}
	add(label(results.RMSCalibration)+", clean images", base, results.RMSCalibration, plain)
	add(label(results.RMSCalibration)+" ("+over+")", r.Dataset, results.RMSCalibration, plain)
	return lines
}

// MeanErrorName is what the mean of the errors over all corruptions of a benchmark is called beside the rows: what CIFAR papers print
// as mCE, unless there is one that a baseline divides.
func MeanErrorName(p *metrics.Profile, rows []results.Row) string {
	over := fmt.Sprintf("mean over %d", len(p.Primary()))
	if slices.ContainsFunc(rows, func(r results.Row) bool { return r.Dataset == p.Name && r.Metric == results.MeanCE }) {
		return "Error (" + over + ")"
	}
	return "mCE (" + over + ", unnormalized)"
}

// oodNames returns the out-of-distribution sets of the rows.
func (r *Result) oodNames() (names []string) {
	for i := range r.Rows {
		if set := r.Rows[i].OOD; set != "" && !slices.Contains(names, set) {
			names = append(names, set)
		}
	}
	return names
}

// oodMean says over how many sets a mean is: the papers' means are over seven.
func oodMean(sets int) string {
	if sets < 2 {
		return ""
	}
	return fmt.Sprintf(" (mean over %d sets)", sets)
}
