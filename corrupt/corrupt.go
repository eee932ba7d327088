// Package corrupt makes the 19 corruptions of ImageNet-C, CIFAR-10-C and their kin: 15 common ones and 4 for
// validation, each at five severities and any between them (Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common
// Corruptions and Perturbations", ICLR 2019, and its published generator).
//
// [ByName] looks a corruption up under its published name; [Op.Apply] corrupts one image, and [Op.Image] one of the standard
// library in a line. Package corrupt/all finds the corruptions of C-bar as well. Parameters come from a [Profile]:
// the published sets for images of side 32, 64, 224 and 299, or [Auto], which interpolates between them for any width and
// height.
//
// Package cbar has the corruptions of ImageNet-C-bar. What both have in common, and what a caller's own corruption needs, is
// the interface [Corruption]; package transform makes data sets of whatever implements it.
//
// Each corruption is also a type of its own (GaussianNoise, Snow, ...) whose fields are its parameters and whose work
// is split in two: Draw takes the random numbers from a *rng.Rand and Apply, a pure function, turns the image and the
// drawn numbers into the result, so that recorded draws can be replayed. Op.Apply is Draw, then Apply, with the
// parameters of the profile. Corruptions without chance have no Draw.
//
// # Severities
//
// Severities 1 to 5 are rows of the published tables. A fraction lies between two rows: every parameter is interpolated
// linearly, as CCC does (Press and others, "RDumb", NeurIPS 2023), integers are then rounded, halves up. (defocus_blur, and
// spatter from water to mud, are the mean of the two results: between their parameters lies nothing, or no blur.) Between 0, which is
// the image as it is, and 1 parameters come from what leaves an image alone. [Op.Between] says what each parameter does.
//
// # Parity
//
// With the reference's random numbers, impulse_noise, pixelate and jpeg_compression are exact; the others are within
// one gray level of the published arithmetic, glass_blur within two, and nearly everywhere equal: the published code
// computes in floating point and truncates, so that a value that is an integer before truncation may fall on either
// side. With this package's own random numbers, results have the same distribution (statistical parity); the tests
// check both.
//
// # Images
//
// Results are truncated to bytes, as published. Gray images are stored as three equal channels and are treated as
// color: noise is drawn for each channel and colors them (also as published, where data sets are read as RGB). An
// image that is too small for an operation is rejected with [ErrSize]; each type documents its least side. dst takes
// the size of src; it must not be src nor share its memory.
package corrupt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors that the package returns, wrapped with what was asked for.
var (
	// ErrUnknown: no corruption, subset or profile has that name.
	ErrUnknown = corruption.ErrUnknown
	// ErrSeverity: the severity is neither 0 nor 0.001 to 5.
	ErrSeverity = corruption.ErrSeverity
	// ErrSize: the image is smaller than the corruption can serve.
	ErrSize = corruption.ErrSize
	// ErrNoTextures: a [FrostSet] of no photographs.
	ErrNoTextures = errors.New("no frost textures")
)

// Severities is the number of published severities; they count from 1.
const Severities = corruption.Severities

// Corruption is one way to corrupt images, at severities up to [Severities]. An [Op] of this package is one, an Op of
// package cbar is one, and any type with these methods is one: package transform makes data sets of all of them alike.
// Several goroutines may use a Corruption at a time, each with its own [Scratch] and stream.
type Corruption interface {
	// Name is in lower case with underscores, such as gaussian_noise. It names the files of a data set and is part of the
	// keys of the random streams.
	Name() string
	// MinSide is the least width and height in pixels of an image that the corruption can serve.
	MinSide() int
	// Apply makes dst the corrupted src. All chance comes from r, so that equal streams give equal images. s holds the
	// memory for intermediate results (see [Memory]); a Scratch that has seen the size before should make the call free
	// of allocation. dst takes the size of src and must not share its memory. Errors wrap [ErrSeverity] where it
	// has no such severity (those of this module have 0, the image as it is, and all from 0.001 to 5) and [ErrSize] where src is too small;
	// dst is then unspecified.
	Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *Scratch) error
}

// Op is one of the 19 operations, with a profile: a [Corruption]. Values come from [ByName]; they are small and
// comparable.
type Op struct {
	row     *row
	profile Profile
	frost   *FrostSet
	tables  *Tables
}

var _ Corruption = Op{}

// row is one line of the table: a corruption and how to run it.
type row struct {
	name    string
	random  bool   // takes random numbers
	minSide int    // least width and height
	bytes   int    // that it takes for a pixel, see Op.Memory
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

// rows holds the corruptions in the order of corruption.Catalog: the 15 common ones, then the 4 for validation.
var rows = []row{
	{"gaussian_noise", true, 1, 16, "sigma", &gaussianNoiseTable, runGaussianNoise},
	{"shot_noise", true, 1, 13, "lambda", &shotNoiseTable, runShotNoise},
	{"impulse_noise", true, 1, 7, "amount", &impulseNoiseTable, runImpulseNoise},
	{"defocus_blur", false, 1, 46, "radius alias", &defocusBlurTable, runDefocusBlur},
	{"glass_blur", true, 1, 15, "sigma delta iters", &glassBlurTable, runGlassBlur},
	{"motion_blur", true, 1, 6, "radius sigma", &motionBlurTable, runMotionBlur},
	{"zoom_blur", false, 2, 41, "step reach", &zoomBlurTable, runZoomBlur},
	{"snow", true, 2, 27, "loc scale zoom threshold radius sigma mix", &snowTable, runSnow},
	{"frost", true, 1, 9, "image_weight frost_weight scale", &frostTable, runFrost},
	{"fog", true, 1, 4, "amount decay", &fogTable, runFog},
	{"brightness", false, 1, 4, "add", &brightnessTable, runBrightness},
	{"contrast", false, 1, 4, "factor", &contrastTable, runContrast},
	{"elastic_transform", true, 6, 110, "alpha sigma affine", &elasticTable, runElastic},
	{"pixelate", false, 5, 10, "scale", &pixelateTable, runPixelate},
	{"jpeg_compression", false, 1, 5, "quality", &jpegTable, runJPEG},
	{"speckle_noise", true, 1, 16, "sigma", &speckleNoiseTable, runSpeckleNoise},
	{"gaussian_blur", false, 1, 9, "sigma", &gaussianBlurTable, runGaussianBlur},
	{"spatter", true, 1, 48, "loc scale sigma threshold strength mud", &spatterTable, runSpatter},
	{"saturate", false, 1, 4, "multiply add", &saturateTable, runSaturate},
}

// Subsets returns the names that [Names] takes.
func Subsets() []string { return slices.Clone(corruption.Subsets[:len(corruption.Subsets)-1]) }

// Names returns the corruptions of a subset in published order. "common" are the 15 that the mean corruption error
// averages over, "validation" the other 4 (to choose hyper-parameters on), "noise", "blur", "weather" and "digital" the
// paper's kinds (the validation corruptions are counted with their kind: speckle_noise, gaussian_blur, spatter,
// saturate), "all" is everything. It returns an error that wraps [ErrUnknown] for another subset.
func Names(subset string) ([]string, error) {
	if !slices.Contains(Subsets(), subset) {
		return nil, fmt.Errorf("%w: subset %q (there are %s)", ErrUnknown, subset, strings.Join(Subsets(), ", "))
	}
	var names []string
	for _, p := range corruption.Expand([]string{subset}) {
		names = append(names, p.Name)
	}
	return names, nil
}

// ByName returns the corruption with the published name and the profile [Auto], or an error that wraps [ErrUnknown] and
// lists what there is. Package corrupt/all has a ByName that finds the corruptions of C-bar too.
func ByName(name string) (Op, error) {
	all, _ := Names("all")
	i, err := corruption.Find("corruption", name, all)
	if err != nil {
		return Op{}, fmt.Errorf("%w; those of C-bar are in package corrupt/cbar, and package corrupt/all finds every one", err)
	}
	return Op{row: &rows[i]}, nil
}

// Name returns the published name.
func (c Op) Name() string { return c.row.name }

// Random reports whether the corruption takes random numbers; the others ignore their stream.
func (c Op) Random() bool { return c.row.random }

// MinSide returns the least width and height that the corruption can serve.
func (c Op) MinSide() int { return c.row.minSide }

// WithProfile returns the corruption with the parameters of profile p.
func (c Op) WithProfile(p Profile) Op {
	c.profile = p
	return c
}

// NeedsFrost reports whether the corruption takes textures from [Op.WithFrost].
func (c Op) NeedsFrost() bool { return c.row.name == "frost" }

// WithFrost returns the corruption with the textures that frost lays over images; the others ignore them. Without, or with
// nil, they are the generated ones of package corrupt/frost: alike, but not the published photographs, so that results
// cannot be compared digit by digit with published ones. They are made by the first image, which takes a second or two.
func (c Op) WithFrost(f *FrostSet) Op {
	c.frost = f
	return c
}

// Parameter is one number that a severity stands for.
type Parameter struct {
	Name  string // of the field of the corruption's type, such as sigma for GaussianNoise.Sigma
	Value float64
}

// Parameters returns what a severity, 0 or 0.001 to 5, stands for: the parameters of the profile; side is the shorter side of the
// image, which matters to [Auto] alone. It returns an error that wraps [ErrSeverity], [ErrSize] (a side below 1) or
// [ErrUnknown] (a profile that does not exist).
func (c Op) Parameters(severity float64, side int) ([]Parameter, error) {
	if err := c.check(severity); err != nil {
		return nil, err
	}
	if side < 1 && c.profile == Auto {
		return nil, fmt.Errorf("%s: %w: side %d (allowed: at least 1)", c.row.name, ErrSize, side)
	}
	table, published := c.parameters()
	v := table.Between(published, severity, side)
	var out []Parameter
	for i, name := range strings.Fields(c.row.params) {
		out = append(out, Parameter{name, v[i]})
	}
	return out, nil
}

// Between returns for each of [Op.Parameters] what it is at fractions of severities, such as "linear; at 0 1": how it goes
// from one published severity to the next, and below 1 to what leaves an image as it is.
func (c Op) Between() []string {
	var out []string
	for i := range strings.Fields(c.row.params) {
		out = append(out, c.row.table.Rule(i))
	}
	return out
}

// check checks severity and profile, and that there is a corruption.
func (c Op) check(severity float64) error {
	if c.row == nil {
		return corruption.ErrNone
	}
	if err := corruption.CheckSeverity(c.row.name, severity); err != nil {
		return err
	}
	return corruption.CheckProfile(c.row.name, uint8(c.profile), profileNames)
}

// Apply implements [Corruption] with the parameters of the profile: it draws from r, then applies. Besides the errors that
// Corruption documents it returns one that wraps [ErrUnknown] (a profile that does not exist, or the zero Op).
func (c Op) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *Scratch) error {
	if err := c.check(severity); err != nil {
		return err
	}
	if err := corruption.CheckSize(c.row.name, src, c.row.minSide); err != nil {
		return err
	}
	if severity == 0 {
		corruption.Copy("corrupt", dst, src)
		return nil
	}
	prepare(dst, src)
	side := min(src.W, src.H)
	table, published := c.parameters()
	if table.Blends(published, severity, side) {
		return c.blend(dst, src, severity, r, s)
	}
	v := table.Between(published, severity, side)
	if err := c.row.run(job{dst, src, v, r, s, c.frost}); err != nil {
		return fmt.Errorf("%s: %w", c.row.name, err)
	}
	return nil
}

// blend makes dst the mean of the results at the two severities that a fraction lies between, both with the numbers that r
// gives next.
func (c Op) blend(dst, src *raster.Image, severity float64, r *rng.Rand, s *Scratch) error {
	lower := math.Floor(severity)
	var again rng.Rand
	if r != nil { // which those without chance may have
		again = *r
	}
	if err := c.Apply(&s.lower, src, lower, &again, s); err != nil {
		return err
	}
	if err := c.Apply(dst, src, lower+1, r, s); err != nil {
		return err
	}
	corruption.Mean(dst, &s.lower, dst, severity-lower)
	return nil
}

func prepare(dst, src *raster.Image) { corruption.Prepare("corrupt", dst, src) }

func mustLen(what string, got, want int) { corruption.MustLen("corrupt", what, got, want) }
