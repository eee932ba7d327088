// Package corrupt makes the 19 corruptions of ImageNet-C, CIFAR-10-C and their kin: 15 common ones and 4 for
// validation, each at five severities (Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common
// Corruptions and Perturbations", ICLR 2019, and its published generator).
//
// [ByName] looks a corruption up under its published name; [Corruption.Apply] corrupts one image. Parameters come
// from a [Profile]: the published sets for images of side 32, 64, 224 and 299, or [Auto], which interpolates between
// them for any width and height.
//
// Each corruption is also a type of its own (GaussianNoise, Snow, ...) whose fields are its parameters and whose work
// is split in two: Draw takes the random numbers from a *rng.Rand and Apply, a pure function, turns the image and the
// drawn numbers into the result, so that recorded draws can be replayed. Corruption.Apply is Draw, then Apply, with the
// parameters of the profile. Corruptions without chance have no Draw.
//
// # Parity
//
// With the reference's random numbers, impulse_noise, pixelate and jpeg_compression are exact; the others are within
// one grey level of the published arithmetic, glass_blur within two, and nearly everywhere equal: the published code
// computes in floating point and truncates, so that a value that is an integer before truncation may fall on either
// side. With this package's own random numbers, results have the same distribution (statistical parity); the tests
// check both.
//
// # Images
//
// Results are truncated to bytes, as published. Grey images are stored as three equal channels and are treated as
// colour: noise is drawn for each channel and colours them (also as published, where data sets are read as RGB). A
// image that is too small for an operation is refused with [ErrSize]; each type documents its least side. dst takes
// the size of src; it must not be src nor share its memory.
package corrupt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors that the package returns, wrapped with what was asked for.
var (
	// ErrUnknown: no corruption, subset or profile has that name.
	ErrUnknown = errors.New("unknown name")
	// ErrSeverity: the severity is not 1 to 5.
	ErrSeverity = errors.New("severity out of range")
	// ErrSize: the image is smaller than the corruption can serve.
	ErrSize = errors.New("image too small")
	// ErrNoTextures: frost was asked for without textures; see [Corruption.WithFrost].
	ErrNoTextures = errors.New("no frost textures")
)

// Severities is the number of severities; they count from 1.
const Severities = 5

// Corruption is one of the 19 operations. Values come from [ByName]; they are small and comparable, and several
// goroutines may use one at a time, each with its own [Scratch] and stream.
type Corruption struct {
	row   *row
	frost *FrostSet
}

// row is one line of the table: a corruption and how to run it.
type row struct {
	name    string
	group   string // subset of kind
	common  bool   // one of the 15 that mCE averages over
	random  bool   // takes random numbers
	minSide int    // least width and height
	params  string // names of the table's columns: the fields of the corruption's type
	table   *table
	run     func(j job) error
}

// job is one image to corrupt.
type job struct {
	dst, src *raster.Image
	v        params
	r        *rng.Rand
	s        *Scratch
	frost    *FrostSet
}

// rows holds the corruptions in published order: the 15 common ones, then the 4 for validation.
var rows = []row{
	{"gaussian_noise", "noise", true, true, 1, "sigma", &gaussianNoiseTable, runGaussianNoise},
	{"shot_noise", "noise", true, true, 1, "lambda", &shotNoiseTable, runShotNoise},
	{"impulse_noise", "noise", true, true, 1, "amount", &impulseNoiseTable, runImpulseNoise},
	{"defocus_blur", "blur", true, false, 1, "radius alias", &defocusBlurTable, runDefocusBlur},
	{"glass_blur", "blur", true, true, 1, "sigma delta iters", &glassBlurTable, runGlassBlur},
	{"motion_blur", "blur", true, true, 1, "radius sigma", &motionBlurTable, runMotionBlur},
	{"zoom_blur", "blur", true, false, 2, "step reach", &zoomBlurTable, runZoomBlur},
	{"snow", "weather", true, true, 2, "loc scale zoom threshold radius sigma mix", &snowTable, runSnow},
	{"frost", "weather", true, true, 1, "image_weight frost_weight scale", &frostTable, runFrost},
	{"fog", "weather", true, true, 1, "amount decay", &fogTable, runFog},
	{"brightness", "weather", true, false, 1, "add", &brightnessTable, runBrightness},
	{"contrast", "digital", true, false, 1, "factor", &contrastTable, runContrast},
	{"elastic_transform", "digital", true, true, 6, "alpha sigma affine", &elasticTable, runElastic},
	{"pixelate", "digital", true, false, 5, "scale", &pixelateTable, runPixelate},
	{"jpeg_compression", "digital", true, false, 1, "quality", &jpegTable, runJPEG},
	{"speckle_noise", "noise", false, true, 1, "sigma", &speckleNoiseTable, runSpeckleNoise},
	{"gaussian_blur", "blur", false, false, 1, "sigma", &gaussianBlurTable, runGaussianBlur},
	{"spatter", "weather", false, true, 1, "loc scale sigma threshold strength mud", &spatterTable, runSpatter},
	{"saturate", "digital", false, false, 1, "multiply add", &saturateTable, runSaturate},
}

// Subsets returns the names that [Names] takes.
func Subsets() []string {
	return []string{"all", "common", "validation", "noise", "blur", "weather", "digital"}
}

// Names returns the corruptions of a subset in published order. "common" are the 15 that the mean corruption error
// averages over, "validation" the other 4 (to choose hyper-parameters on), "noise", "blur", "weather" and "digital" the
// paper's kinds (the validation corruptions are counted with their kind: speckle_noise, gaussian_blur, spatter,
// saturate), "all" is everything. It returns an error that wraps [ErrUnknown] for another subset.
func Names(subset string) ([]string, error) {
	if !slices.Contains(Subsets(), subset) {
		return nil, fmt.Errorf("corrupt: %w: subset %q (there are %s)", ErrUnknown, subset, strings.Join(Subsets(), ", "))
	}
	var names []string
	for i := range rows {
		r := &rows[i]
		if subset == "all" || subset == r.group || subset == "common" && r.common || subset == "validation" && !r.common {
			names = append(names, r.name)
		}
	}
	return names, nil
}

// ByName returns the corruption with the published name, or an error that wraps [ErrUnknown] and lists what there is.
func ByName(name string) (Corruption, error) {
	for i := range rows {
		if rows[i].name == name {
			return Corruption{row: &rows[i]}, nil
		}
	}
	all, _ := Names("all")
	return Corruption{}, fmt.Errorf("corrupt: %w: corruption %q (there are %s)", ErrUnknown, name, strings.Join(all, ", "))
}

// Name returns the published name.
func (c Corruption) Name() string { return c.row.name }

// Random reports whether the corruption takes random numbers; the others ignore their stream.
func (c Corruption) Random() bool { return c.row.random }

// MinSide returns the least width and height that the corruption can serve.
func (c Corruption) MinSide() int { return c.row.minSide }

// Parameter is one number that a severity stands for.
type Parameter struct {
	Name  string // of the field of the corruption's type, such as sigma for GaussianNoise.Sigma
	Value float64
}

// Parameters returns what a severity, 1 to 5, stands for: the parameters of profile p; side is the shorter side of the
// image, which matters to [Auto] alone. It returns an error that wraps [ErrSeverity], [ErrSize] (a side below 1) or
// [ErrUnknown].
func (c Corruption) Parameters(severity int, p Profile, side int) ([]Parameter, error) {
	if err := c.checkStrength(severity, p); err != nil {
		return nil, err
	}
	if side < 1 && p == Auto {
		return nil, fmt.Errorf("corrupt: %s: %w: side %d (allowed: at least 1)", c.row.name, ErrSize, side)
	}
	v := c.row.table.at(p, severity, side)
	var out []Parameter
	for i, name := range strings.Fields(c.row.params) {
		out = append(out, Parameter{name, v[i]})
	}
	return out, nil
}

// checkStrength checks severity and profile.
func (c Corruption) checkStrength(severity int, p Profile) error {
	if severity < 1 || severity > Severities {
		return fmt.Errorf("corrupt: %s: %w: %d (allowed: 1 to %d)", c.row.name, ErrSeverity, severity, Severities)
	}
	if !p.valid() {
		return fmt.Errorf("corrupt: %s: %w: profile number %d", c.row.name, ErrUnknown, p)
	}
	return nil
}

// NeedsFrost reports whether the corruption needs textures from [Corruption.WithFrost].
func (c Corruption) NeedsFrost() bool { return c.row.name == "frost" }

// WithFrost returns the corruption with the textures that frost lays over images; the others ignore them.
func (c Corruption) WithFrost(f *FrostSet) Corruption {
	c.frost = f
	return c
}

// Apply makes dst the corrupted src: it draws from r and applies, with the parameters of profile p for the severity, 1
// to 5. s holds the memory for intermediate results; a Scratch that has seen the size before makes the call free of
// allocation. dst takes the size of src and must not share its memory.
//
// It returns an error that wraps [ErrSeverity], [ErrSize], [ErrUnknown] (a profile that does not exist) or
// [ErrNoTextures]; dst is then unspecified.
func (c Corruption) Apply(dst, src *raster.Image, severity int, p Profile, r *rng.Rand, s *Scratch) error {
	if err := c.checkStrength(severity, p); err != nil {
		return err
	}
	if src.W < c.row.minSide || src.H < c.row.minSide {
		return fmt.Errorf("corrupt: %s: %w: %dx%d (allowed: width and height of at least %d)", c.row.name, ErrSize,
			src.W, src.H, c.row.minSide)
	}
	prepare(dst, src)
	v := c.row.table.at(p, severity, min(src.W, src.H))
	if err := c.row.run(job{dst, src, v, r, s, c.frost}); err != nil {
		return fmt.Errorf("corrupt: %s: %w", c.row.name, err)
	}
	return nil
}

// prepare gives dst the size of src and panics if they share memory.
func prepare(dst, src *raster.Image) {
	if dst == src || len(dst.Pix) > 0 && len(src.Pix) > 0 && &dst.Pix[0] == &src.Pix[0] {
		panic("corrupt: dst and src share memory")
	}
	dst.Reset(src.W, src.H)
}

// mustLen panics unless a draw has the length that the image needs.
func mustLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("corrupt: %d %s, want %d", got, what, want))
	}
}
