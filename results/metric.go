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
}

// metricTable is the registry; [Metric] reads it.
var metricTable = []MetricInfo{
	{Top1Error, "Error", true, Lower, 1},
	{Top5Error, "Top-5 error", true, Lower, 1},
	{Accuracy, "Accuracy", true, Higher, 1},
	{CE, "CE", true, Lower, 1},
	{RelativeCE, "Relative CE", true, Lower, 1},
	{MeanCE, "mCE", true, Lower, 1},
	{RelativeMeanCE, "Relative mCE", true, Lower, 1},
	{FlipProbability, "Flip probability", true, Lower, 1},
	{FlipRate, "Flip rate", true, Lower, 1},
	{MeanFlipRate, "mFR", true, Lower, 1},
	{Top5Distance, "Top-5 distance", false, Lower, 2},
	{Top5Rate, "T5D", true, Lower, 1},
	{MeanTop5Rate, "mT5D", true, Lower, 1},
	{ZipfDistance, "Zipf distance", false, Lower, 2},
	{RMSCalibration, "RMS calibration error", true, Lower, 1},
	{MADCalibration, "MAD calibration error", true, Lower, 1},
	{MaxCalibration, "Maximum calibration error", true, Lower, 1},
	{ECE, "ECE", true, Lower, 1},
	{SmoothECE, "Smooth ECE", true, Lower, 1},
	{ClasswiseECE, "Classwise ECE", true, Lower, 3},
	{NLL, "NLL", false, Lower, 3},
	{Brier, "Brier score", false, Lower, 3},
	{BrierBinary, "Binary Brier score", false, Lower, 3},
	{BrierRefinement, "Brier refinement", false, Lower, 3},
	{AURRA, "AURRA", true, Higher, 1},
	{AURC, "AURC", true, Lower, 2},
	{ExcessAURC, "E-AURC", true, Lower, 2},
	{SoftF1, "Soft F1", true, Higher, 1},
	{AUROC, "AUROC", true, Higher, 1},
	{AUPR, "AUPR", true, Higher, 1},
	{FPR95, "FPR95", true, Lower, 1},
	{Temperature, "Temperature", false, Neither, 3},
	{Agreement, "Agreement", true, Neither, 1},
	{ConfusionShare, "Confused", true, Lower, 1},
	{ShapeBias, "Shape bias", true, Neither, 1},
	{CueAccuracy, "Shape or texture right", true, Higher, 1},
	{BinAccuracy, "Accuracy of a bin", true, Neither, 1},
	{BinConfidence, "Confidence of a bin", true, Neither, 1},
}

// fractions are the metrics whose values are fractions of samples, confidences or areas, and so from 0 to 1.
var fractions = []string{
	Top1Error, Top5Error, Accuracy, FlipProbability, RMSCalibration, MADCalibration, MaxCalibration, ECE, SmoothECE, ClasswiseECE, AURRA,
	AURC, SoftF1, AUROC, AUPR, FPR95, Agreement, ConfusionShare, ShapeBias, CueAccuracy, BinAccuracy, BinConfidence,
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
