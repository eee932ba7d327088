package report

import (
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// label names the metric of a cell, with its variant.
func label(c results.Cell) string {
	l := results.Metric(c.Metric).Label
	if c.Score != "" {
		l += " by " + strings.ReplaceAll(c.Score, "_", " ")
	}
	if c.SkipLast {
		l += ", last bin skipped"
	}
	return l
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
	"brightness_up": "Bright. up", "brightness_down": "Bright. down", "contrast_up": "Contrast up", "contrast_down": "Contrast down",
	"gamma_corr_up": "Gamma up", "gamma_corr_down": "Gamma down", "stain_deposit": "Stain", "bubble": "Bubble",
	"black_corner": "Corner", "characters": "Characters",
}

func shortName(corruption string) string {
	if s := short[corruption]; s != "" {
		return s
	}
	return strings.ReplaceAll(corruption, "_", " ")
}

// spell writes a corruption's published name with spaces.
func spell(corruption string) string { return strings.ReplaceAll(corruption, "_", " ") }
