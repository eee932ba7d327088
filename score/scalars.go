package score

import (
	"fmt"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// scalar is a metric of one cell.
type scalar struct {
	name string
	skip bool // as results.View.SkipLast
	of   func(c *metrics.Classification) (float64, error)
	stat func(r *metrics.Records) (metrics.Statistic, error) // nil where there is no interval
}

// scalars are the metrics of labeled images.
func (m *Metrics) scalars(classes, rows int) []scalar {
	type (
		class = metrics.Classification
		recs  = metrics.Records
		stat  = metrics.Statistic
	)
	list := []scalar{{results.Top1Error, false, (*class).Error, func(r *recs) (stat, error) { return r.TopKError(1) }}}
	if classes > 5 {
		list = append(list, scalar{
			results.Top5Error, false, func(c *class) (float64, error) { return c.TopKError(5) },
			func(r *recs) (stat, error) { return r.TopKError(5) },
		})
	}
	list = append(list, scalar{results.NLL, false, (*class).NLL, (*recs).NLL},
		scalar{results.Brier, false, (*class).Brier, (*recs).Brier})
	if m.Uncalibrated {
		return list
	}
	if m.fills(rows) {
		list = append(list, m.adaptive(rows)...)
	}
	return append(list,
		scalar{
			results.ECE, false, func(c *class) (float64, error) { return c.EqualWidth().ECE() },
			func(r *recs) (stat, error) { return r.ECE(m.bins()) },
		},
		scalar{
			results.MaxCalibration, false, func(c *class) (float64, error) { return c.EqualWidth().MaxCalibration() },
			func(r *recs) (stat, error) { return r.MaxCalibration(m.bins()) },
		},
		scalar{
			results.BrierBinary, false, func(c *class) (float64, error) { return c.Calibration().BrierBinary() },
			(*recs).BrierBinary,
		},
		scalar{results.AURRA, false, func(c *class) (float64, error) { return c.Calibration().AURRA() }, (*recs).AURRA},
		scalar{results.SoftF1, false, func(c *class) (float64, error) { return c.Calibration().SoftF1() }, (*recs).SoftF1},
		scalar{results.AURC, false, func(c *class) (float64, error) { return c.Calibration().AURC() }, (*recs).AURC},
		scalar{
			results.ExcessAURC, false, func(c *class) (float64, error) { return c.Calibration().ExcessAURC() },
			(*recs).ExcessAURC,
		},
		scalar{results.SmoothECE, false, func(c *class) (float64, error) { return c.Calibration().SmoothECE() }, nil},
	)
}

// adaptive are the metrics that have adaptive bins. Without the last of one bin nothing would be left.
func (m *Metrics) adaptive(rows int) []scalar {
	norm := func(a metrics.Adaptive, name string, n metrics.Norm) scalar {
		return scalar{
			name, a.SkipLast, func(c *metrics.Classification) (float64, error) { return c.Calibration().Error(n, a) },
			func(r *metrics.Records) (metrics.Statistic, error) { return r.Calibration(n, a) },
		}
	}
	a := m.Adaptive
	list := []scalar{norm(a, results.RMSCalibration, metrics.RMS), norm(a, results.MADCalibration, metrics.MAD)}
	if m.twice() && m.fills(rows/2) {
		less := a
		less.SkipLast = true
		list = append(list, norm(less, results.RMSCalibration, metrics.RMS), norm(less, results.MADCalibration, metrics.MAD))
	}
	return append(list, scalar{
		results.BrierRefinement, false, func(c *metrics.Classification) (float64, error) {
			p, err := c.Calibration().BrierParts(a)
			return p.Refinement, err
		}, nil,
	})
}

// twice reports whether calibration errors are wanted without the last bin too, which takes two.
func (m *Metrics) twice() bool { return m.Published && !m.Adaptive.SkipLast }

// fills reports whether so many images fill an adaptive bin.
func (m *Metrics) fills(rows int) bool { return rows >= m.size() }

// NoBins is the note why so many images lack RMS and MAD calibration errors, or those without the last bin that were asked for, ""
// where they do not.
func (m *Metrics) NoBins(rows int) string {
	switch {
	case !m.fills(rows):
		return fmt.Sprintf("adaptive calibration: %d images fill no bin of %d, so that there are no RMS and MAD calibration errors", rows, m.size())
	case m.twice() && !m.fills(rows/2):
		return fmt.Sprintf("adaptive calibration: %d images fill one bin of %d, so that there are no RMS and MAD calibration errors without the "+
			"last bin", rows, m.size())
	}
	return ""
}

// size is how many images an adaptive bin holds.
func (m *Metrics) size() int {
	if m.Adaptive.Size <= 0 {
		return metrics.DefaultBinSize
	}
	return m.Adaptive.Size
}

// BinsOf says which bins a metric has, for results.VersionBins; "" for the default ones and for a metric without bins.
func (m *Metrics) BinsOf(metric string) string {
	switch metric {
	case results.RMSCalibration, results.MADCalibration, results.BrierRefinement:
		if n := m.size(); n != metrics.DefaultBinSize {
			return fmt.Sprintf("adaptive:%d", n)
		}
	case results.ECE, results.MaxCalibration, results.ClasswiseECE:
		if n := m.bins(); n != metrics.DefaultWidthBins {
			return fmt.Sprintf("equal:%d", n)
		}
	}
	return ""
}

// mark says in a row of a metric which bins it has.
func (m *Metrics) mark(row *results.Row, metric string) {
	if bins := m.BinsOf(metric); bins != "" {
		setVersion(row, results.VersionBins, bins)
	}
}
