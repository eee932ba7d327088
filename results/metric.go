package results

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/decimal"
)

// Better says which values of a metric are better. Its number is a factor: the better of two values is the larger one
// after multiplication.
type Better int

// The directions.
const (
	Lower   Better = -1
	Neither Better = 0
	Higher  Better = 1
)

// MetricInfo says how a metric is shown.
type MetricInfo struct {
	Name    string // as in Row.Metric
	Label   string // for people: "mCE"
	Percent bool   // papers print it in percent; otherwise it has no unit
	Better  Better
	Digits  int // after the point in tables, on the scale on which it is shown

	share bool // a fraction of samples, a confidence or an area, and so from 0 to 1
}

// Words of the table.
const (
	percent, number = true, false // Percent
	share, free     = true, false // share
)

// metricTable is the registry; [Metric] reads it.
var metricTable = []MetricInfo{
	{Top1Error, "Error", percent, Lower, 1, share},
	{Top5Error, "Top-5 error", percent, Lower, 1, share},
	{Accuracy, "Accuracy", percent, Higher, 1, share},
	{CE, "CE", percent, Lower, 1, free},
	{RelativeCE, "Relative CE", percent, Lower, 1, free},
	{MeanCE, "mCE", percent, Lower, 1, free},
	{RelativeMeanCE, "Relative mCE", percent, Lower, 1, free},
	{FlipProbability, "Flip probability", percent, Lower, 1, share},
	{FlipRate, "Flip rate", percent, Lower, 1, free},
	{MeanFlipRate, "mFR", percent, Lower, 1, free},
	{Top5Distance, "Top-5 distance", number, Lower, 2, free},
	{Top5Rate, "T5D", percent, Lower, 1, free},
	{MeanTop5Rate, "mT5D", percent, Lower, 1, free},
	{ZipfDistance, "Zipf distance", number, Lower, 2, free},
	{RMSCalibration, "RMS calibration error", percent, Lower, 1, share},
	{MADCalibration, "MAD calibration error", percent, Lower, 1, share},
	{MaxCalibration, "Maximum calibration error", percent, Lower, 1, share},
	{ECE, "ECE", percent, Lower, 1, share},
	{SmoothECE, "Smooth ECE", percent, Lower, 1, share},
	{ClasswiseECE, "Classwise ECE", percent, Lower, 3, share},
	{NLL, "NLL", number, Lower, 3, free},
	{Brier, "Brier score", number, Lower, 3, free},
	{BrierBinary, "Binary Brier score", number, Lower, 3, free},
	{BrierRefinement, "Brier refinement", number, Lower, 3, free},
	{AURRA, "AURRA", percent, Higher, 1, share},
	{AURC, "AURC", percent, Lower, 2, share},
	{ExcessAURC, "E-AURC", percent, Lower, 2, free},
	{SoftF1, "Soft F1", percent, Higher, 1, share},
	{AUROC, "AUROC", percent, Higher, 1, share},
	{AUPR, "AUPR", percent, Higher, 1, share},
	{FPR95, "FPR95", percent, Lower, 1, share},
	{Temperature, "Temperature", number, Neither, 3, free},
	{Agreement, "Agreement", percent, Neither, 1, share},
	{ConfusionShare, "Confused", percent, Lower, 1, share},
	{ShapeBias, "Shape bias", percent, Neither, 1, share},
	{CueAccuracy, "Shape or texture right", percent, Higher, 1, share},
	{BinAccuracy, "Accuracy of a bin", percent, Neither, 1, share},
	{BinConfidence, "Confidence of a bin", percent, Neither, 1, share},
}

// Metric returns how a metric is shown. One that is not in the registry is shown under its own name, as it is.
func Metric(name string) MetricInfo {
	if i := slices.IndexFunc(metricTable, func(m MetricInfo) bool { return m.Name == name }); i >= 0 {
		return metricTable[i]
	}
	return MetricInfo{Name: name, Label: name, Digits: 3}
}

// Metrics returns the registry, in the order in which papers print.
func Metrics() []MetricInfo { return slices.Clone(metricTable) }

// IsBetter reports whether a is a better value than b.
func (m MetricInfo) IsBetter(a, b float64) bool { return a*float64(m.Better) > b*float64(m.Better) }

// Undefined is what an undefined value, NaN, is shown as.
const Undefined = "-"

// Format writes a value with its unit, with two digits after the point in percent and four otherwise: "12.35 %",
// "0.1235", and [Undefined] for NaN.
func (m MetricInfo) Format(v float64) string {
	text := m.Number(v, m.precise())
	if m.Percent && text != Undefined {
		text += " %"
	}
	return text
}

// FormatInterval writes a value with its interval, whose ends have no unit: "12.35 % [11.20, 13.61]".
func (m MetricInfo) FormatInterval(v float64, iv *Interval) string {
	if iv == nil {
		return m.Format(v)
	}
	return m.Format(v) + " [" + m.Number(iv.Lo, m.precise()) + ", " + m.Number(iv.Hi, m.precise()) + "]"
}

func (m MetricInfo) precise() int {
	if m.Percent {
		return 2
	}
	return 4
}

// Number writes a value on the scale of the metric, without its unit, with so many digits after the point.
func (m MetricInfo) Number(v float64, digits int) string {
	if math.IsNaN(v) {
		return Undefined
	}
	if m.Percent {
		v *= 100
	}
	return decimal.Format(v, digits)
}
