package report

import (
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// measure is how a metric is shown.
type measure struct {
	label   string
	percent bool
	better  int // -1: lower is better, 1: higher, 0: neither
}

var measures = map[string]measure{
	results.Top1Error:       {"Error", true, -1},
	results.Top5Error:       {"Top-5 error", true, -1},
	results.Accuracy:        {"Accuracy", true, 1},
	results.CE:              {"CE", true, -1},
	results.RelativeCE:      {"Relative CE", true, -1},
	results.MeanCE:          {"mCE", true, -1},
	results.RelativeMeanCE:  {"Relative mCE", true, -1},
	results.FlipProbability: {"Flip probability", true, -1},
	results.FlipRate:        {"Flip rate", true, -1},
	results.MeanFlipRate:    {"mFR", true, -1},
	results.Top5Distance:    {"Top-5 distance", false, -1},
	results.Top5Rate:        {"T5D", true, -1},
	results.MeanTop5Rate:    {"mT5D", true, -1},
	results.ZipfDistance:    {"Zipf distance", false, -1},
	results.RMSCalibration:  {"RMS calibration error", true, -1},
	results.MADCalibration:  {"MAD calibration error", true, -1},
	results.MaxCalibration:  {"Maximum calibration error", true, -1},
	results.ECE:             {"ECE", true, -1},
	results.NLL:             {"NLL", false, -1},
	results.Brier:           {"Brier score", false, -1},
	results.BrierBinary:     {"Binary Brier score", false, -1},
	results.BrierRefinement: {"Brier refinement", false, -1},
	results.AURRA:           {"AURRA", true, 1},
	results.SoftF1:          {"Soft F1", true, 1},
	results.AUROC:           {"AUROC", true, 1},
	results.AUPR:            {"AUPR", true, 1},
	results.FPR95:           {"FPR95", true, -1},
	results.Temperature:     {"Temperature", false, 0},
	results.Agreement:       {"Agreement", true, 0},
}

// measureOf returns how a metric is shown; one that nobody knows is shown under its own name, as it is.
func measureOf(metric string) measure {
	if m, ok := measures[metric]; ok {
		return m
	}
	if base, ok := strings.CutSuffix(metric, results.SkippedBinSuffix); ok {
		if m, ok := measures[base]; ok {
			m.label += ", last bin skipped"
			return m
		}
	}
	return measure{label: metric}
}

// short names of corruptions and perturbations for heads of tables, after the papers' tables.
var short = map[string]string{
	metrics.GaussianNoise: "Gauss.", metrics.ShotNoise: "Shot", metrics.ImpulseNoise: "Impulse",
	metrics.DefocusBlur: "Defocus", metrics.GlassBlur: "Glass", metrics.MotionBlur: "Motion", metrics.ZoomBlur: "Zoom",
	metrics.Snow: "Snow", metrics.Frost: "Frost", metrics.Fog: "Fog", metrics.Brightness: "Bright.",
	metrics.Contrast: "Contrast", metrics.ElasticTransform: "Elastic", metrics.Pixelate: "Pixel",
	metrics.JPEGCompression: "JPEG", metrics.SpeckleNoise: "Speckle", metrics.GaussianBlur: "Gauss. blur",
	metrics.Spatter: "Spatter", metrics.Saturate: "Saturate",
	metrics.BlueNoiseSample: "Blue noise", metrics.PlasmaNoise: "Plasma", metrics.CheckerboardCutout: "Checkerb.",
	metrics.CocentricSineWaves: "Sine waves", metrics.SingleFrequencyGreyscale: "Single freq.",
	metrics.BrownishNoise: "Brownish", metrics.PerlinNoise: "Perlin", metrics.Sparkles: "Sparkles",
	metrics.InverseSparkles: "Inv. sparkles", metrics.CausticRefraction: "Refraction", metrics.PinchAndTwirl: "Pinch",
	metrics.Ripple: "Ripple", metrics.CircularMotionBlur: "Circ. blur", metrics.Lines: "Lines",
	metrics.TransverseChromaticAbberation: "Chrom. abb.", metrics.Translate: "Translate", metrics.Rotate: "Rotate",
	metrics.Tilt: "Tilt", metrics.Scale: "Scale", metrics.Shear: "Shear",
}

func shortName(corruption string) string {
	if s := short[corruption]; s != "" {
		return s
	}
	return strings.ReplaceAll(corruption, "_", " ")
}

// spell writes a corruption's published name with spaces.
func spell(corruption string) string { return strings.ReplaceAll(corruption, "_", " ") }

// display names of the data sets that have one.
var display = map[string]string{
	"cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "imagenet": "ImageNet", "tiny-imagenet": "Tiny-ImageNet",
	"places365": "Places365", "icons-50": "ICONS-50",
}

// displayName writes a data set's name as the papers do.
func displayName(dataset string) string {
	base, form := results.SplitForm(dataset)
	name := base
	if d := display[base]; d != "" {
		name = d
	}
	switch form {
	case "":
		return name
	case "c-bar":
		return name + "-C\u0304"
	}
	return name + "-" + strings.ToUpper(form)
}

// profileOf returns the benchmark of a data set, nil if it has no form.
func profileOf(dataset string) *metrics.Profile {
	if p, err := metrics.LookupProfile(dataset); err == nil {
		return p
	}
	switch _, form := results.SplitForm(dataset); form {
	case "c":
		return metrics.OwnProfile(dataset, metrics.CorruptionKind)
	case "p":
		return metrics.OwnProfile(dataset, metrics.PerturbationKind)
	case "c-bar":
		if p, err := metrics.LookupProfile("imagenet-c-bar"); err == nil {
			return metrics.OwnProfile(dataset, metrics.CorruptionKind, p.Corruptions...)
		}
	}
	return nil
}
