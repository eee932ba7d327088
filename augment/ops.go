package augment

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
)

// ErrOp is wrapped by every error about the name or the parameter of an operation.
var ErrOp = errors.New("bad operation")

// Op is one base operation as a table row: its parameter, how an AugMix level becomes that parameter, and the function.
// Sources: AugMix's reference code, augmentations.py (level mapping), and Pillow (pixels).
type Op struct {
	Name string // the reference's snake_case name
	Doc  string // one line
	// Param names the parameter with its unit; empty when there is none, and then values are ignored.
	Param    string
	Min, Max float64 // allowed values of the parameter
	Integer  bool    // the parameter is a whole number; others are truncated toward zero
	Signed   bool    // AugMix negates the parameter with probability one half
	Overlap  bool    // overlaps an ImageNet-C corruption: in AugMix's all-operations set only
	AugMix   bool    // one of AugMix's 13 operations
	Moves    bool    // moves pixels, so that boxes and masks would have to move as well

	level func(level float64, w, h int) float64
	apply func(dst, src *raster.Image, v float64, fill raster.RGB)
}

// Value returns the parameter at an AugMix level, negated if negative is set and the operation is signed, for an image
// of w by h pixels; 0 for operations without a parameter. Levels are 0 to 10; the published severities draw them from
// [0.1, severity).
//
// The mapping is the reference's, in float64: int_param truncates level*max/10, float_param does not. Translations
// scale with the image's width or height, a third of it at level 10, where the reference has one square IMAGE_SIZE.
func (o *Op) Value(level float64, w, h int, negative bool) float64 {
	if o.level == nil {
		return 0
	}
	v := o.level(level, w, h)
	if negative && o.Signed {
		return -v
	}
	return v
}

// Apply writes the operation's result at the given parameter value to dst. dst must not be src. fill is used by the
// geometric operations for positions outside the image.
func (o *Op) Apply(dst, src *raster.Image, value float64, fill raster.RGB) {
	o.apply(dst, src, value, fill)
}

// Matrix returns the map by which the operation moves the pixels of a w by h image at the given parameter value; the identity where it
// is none of those that do so by an affine (rotate, shear_x, shear_y, translate_x, translate_y).
func (o *Op) Matrix(value float64, w, h int) Matrix {
	m := Matrix{A: 1, E: 1}
	switch o.Name {
	case "rotate":
		if deg := math.Mod(value, 360); deg != 0 {
			return rotation(math.Mod(deg+360, 360), w, h)
		}
	case "shear_x":
		m.B = value
	case "shear_y":
		m.D = value
	case "translate_x":
		m.C = value
	case "translate_y":
		m.F = value
	}
	return m
}

// Identity reports whether the operation at this value is known to leave every image as it is, so that no copy is
// needed.
func (o *Op) Identity(value float64) bool {
	switch o.Name {
	case "rotate", "shear_x", "shear_y", "translate_x", "translate_y":
		return value == 0
	case "solarize":
		return value > 255
	case "posterize":
		return value >= 8
	case "color", "contrast", "brightness", "sharpness":
		return float32(value) == 1
	}
	return false
}

// Check returns an error that wraps [ErrOp] and says what is allowed unless value is a parameter the operation takes.
func (o *Op) Check(value float64) error {
	if o.Param != "" && !(value >= o.Min && value <= o.Max) {
		return fmt.Errorf("%w: %s with %s %v (allowed: %v to %v)", ErrOp, o.Name, o.Param, value, o.Min, o.Max)
	}
	return nil
}

// HasLevel reports whether AugMix draws a level for the operation.
func (o *Op) HasLevel() bool { return o.level != nil }

func intParam(level, max float64) float64   { return math.Trunc(level * max / 10) }
func floatParam(level, max float64) float64 { return level * max / 10 }

func enhanceLevel(level float64, _, _ int) float64 { return floatParam(level, 1.8) + 0.1 }

var ops = []Op{
	{
		Name: "autocontrast", Doc: "stretch each channel to the full range", AugMix: true,
		apply: func(dst, src *raster.Image, _ float64, _ raster.RGB) { AutoContrast(dst, src) },
	}, {
		Name: "equalize", Doc: "flatten the histogram of each channel", AugMix: true,
		apply: func(dst, src *raster.Image, _ float64, _ raster.RGB) { Equalize(dst, src) },
	}, {
		Name: "posterize", Doc: "keep the top bits of every value", AugMix: true,
		Param: "bits", Min: 0, Max: 8, Integer: true,
		level: func(l float64, _, _ int) float64 { return 4 - intParam(l, 4) },
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Posterize(dst, src, int(v)) },
	}, {
		Name: "rotate", Doc: "rotate about the center, counter-clockwise", AugMix: true, Moves: true,
		Param: "degrees", Min: -360, Max: 360, Signed: true,
		level: func(l float64, _, _ int) float64 { return intParam(l, 30) },
		apply: Rotate,
	}, {
		Name: "solarize", Doc: "invert the values at or above a threshold", AugMix: true,
		Param: "threshold", Min: 0, Max: 256, Integer: true,
		level: func(l float64, _, _ int) float64 { return 256 - intParam(l, 256) },
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Solarize(dst, src, int(v)) },
	}, {
		Name: "shear_x", Doc: "slant horizontally", AugMix: true, Moves: true,
		Param: "factor", Min: -10, Max: 10, Signed: true,
		level: func(l float64, _, _ int) float64 { return floatParam(l, 0.3) },
		apply: ShearX,
	}, {
		Name: "shear_y", Doc: "slant vertically", AugMix: true, Moves: true,
		Param: "factor", Min: -10, Max: 10, Signed: true,
		level: func(l float64, _, _ int) float64 { return floatParam(l, 0.3) },
		apply: ShearY,
	}, {
		Name: "translate_x", Doc: "move horizontally (positive: content moves left)", AugMix: true, Moves: true,
		Param: "pixels", Min: -1 << 20, Max: 1 << 20, Signed: true,
		level: func(l float64, w, _ int) float64 { return intParam(l, float64(w)/3) },
		apply: TranslateX,
	}, {
		Name: "translate_y", Doc: "move vertically (positive: content moves up)", AugMix: true, Moves: true,
		Param: "pixels", Min: -1 << 20, Max: 1 << 20, Signed: true,
		level: func(l float64, _, h int) float64 { return intParam(l, float64(h)/3) },
		apply: TranslateY,
	}, {
		Name: "color", Doc: "scale the saturation", AugMix: true, Overlap: true,
		Param: "factor", Min: 0, Max: 100, level: enhanceLevel,
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Color(dst, src, v) },
	}, {
		Name: "contrast", Doc: "scale the distance from the mean gray", AugMix: true, Overlap: true,
		Param: "factor", Min: 0, Max: 100, level: enhanceLevel,
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Contrast(dst, src, v) },
	}, {
		Name: "brightness", Doc: "scale every value", AugMix: true, Overlap: true,
		Param: "factor", Min: 0, Max: 100, level: enhanceLevel,
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Brightness(dst, src, v) },
	}, {
		Name: "sharpness", Doc: "smooth (below 1) or sharpen (above 1)", AugMix: true, Overlap: true,
		Param: "factor", Min: 0, Max: 100, level: enhanceLevel,
		apply: func(dst, src *raster.Image, v float64, _ raster.RGB) { Sharpness(dst, src, v) },
	}, {
		Name: "invert", Doc: "replace every value by 255 minus it",
		apply: func(dst, src *raster.Image, _ float64, _ raster.RGB) { Invert(dst, src) },
	}, {
		Name: "grayscale", Doc: "replace color by luma",
		apply: func(dst, src *raster.Image, _ float64, _ raster.RGB) { Grayscale(dst, src) },
	}, {
		Name: "flip", Doc: "flip horizontally", Moves: true,
		apply: func(dst, src *raster.Image, _ float64, _ raster.RGB) { FlipH(dst, src) },
	},
}

// clone returns a copy of the row.
func (o *Op) clone() *Op {
	c := *o
	return &c
}

// Ops returns all operations, AugMix's 13 first and in the reference's order.
func Ops() []*Op {
	all := make([]*Op, len(ops))
	for i := range ops {
		all[i] = ops[i].clone()
	}
	return all
}

// ByName returns the operation of that name, or an error that wraps [ErrOp] and lists the names.
func ByName(name string) (*Op, error) {
	for i := range ops {
		if ops[i].Name == name {
			return ops[i].clone(), nil
		}
	}
	names := make([]string, len(ops))
	for i := range ops {
		names[i] = ops[i].Name
	}
	return nil, fmt.Errorf("%w: no operation %q%s (there are: %s)", ErrOp, name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// AugMixOps returns the set AugMix draws from: the nine operations that do not overlap ImageNet-C's corruptions, or all
// thirteen (the reference's --all-ops).
func AugMixOps(all bool) []*Op {
	var set []*Op
	for i := range ops {
		if o := &ops[i]; o.AugMix && (all || !o.Overlap) {
			set = append(set, o.clone())
		}
	}
	return set
}
