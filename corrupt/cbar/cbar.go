package cbar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors that the package returns, wrapped with what was asked for.
var (
	// ErrUnknown: no corruption or profile has that name.
	ErrUnknown = errors.New("unknown name")
	// ErrNotInProfile: the corruption is none of the ten of the profile.
	ErrNotInProfile = errors.New("not in the profile")
	// ErrSeverity: the severity is not 1 to 5.
	ErrSeverity = errors.New("severity out of range")
	// ErrSize: the image is smaller than the corruption can serve.
	ErrSize = errors.New("image too small")
)

// Severities is the number of severities; they count from 1.
const Severities = 5

// Corruption is one of the 15 operations. Values come from [ByName]; they are small and comparable, and several
// goroutines may use one at a time, each with its own [Scratch] and stream.
type Corruption struct{ row *row }

// levels are the published severity values, 0…10, of the five severities; all 0 where a profile lacks the corruption.
type levels [Severities]float64

// row is one line of the table: a corruption and how to run it.
type row struct {
	name     string
	random   bool // takes random numbers
	minSide  int  // least width and height
	imageNet levels
	cifar    levels
	run      func(j job)
}

// job is one image to corrupt.
type job struct {
	dst, src *raster.Image
	level    float64 // severity value
	r        *rng.Rand
	s        *Scratch
}

// rows holds the corruptions: the ten of ImageNet, then those of CIFAR alone.
var rows = []row{
	{"blue_noise_sample", true, 2, levels{.8, 1.6, 2.4, 4, 5.6}, levels{.7, 1.4, 2.1, 3.5, 4.2}, runBlueNoise},
	{"plasma_noise", true, 1, levels{4.75, 7, 8.5, 9.25, 10}, levels{}, runPlasma},
	{"checkerboard_cutout", true, 1, levels{2, 3, 4, 5, 6}, levels{1, 2, 3, 4, 5}, runCheckerboard},
	{"cocentric_sine_waves", true, 1, levels{3, 5, 8, 9, 10}, levels{}, runCocentric},
	{"single_frequency_greyscale", true, 1, levels{1, 1.5, 2, 4.5, 5}, levels{}, runSingleFrequency},
	{"brownish_noise", true, 2, levels{1, 2, 3, 4, 5}, levels{2.5, 4, 5.5, 6.5, 7}, runBrownish},
	{"perlin_noise", true, 1, levels{4.6, 5.2, 5.8, 7.6, 8.8}, levels{}, runPerlin},
	{"sparkles", true, 1, levels{1, 2, 3, 5, 6}, levels{.7, 3.5, 5.6, 6.3, 7}, runSparkles},
	{"inverse_sparkles", true, 1, levels{1, 2, 4, 9, 10}, levels{1, 1.5, 2.5, 4.5, 5}, runInverseSparkles},
	{"caustic_refraction", true, 1, levels{2.35, 3.2, 4.9, 6.6, 9.15}, levels{}, runCaustic},
	{"pinch_and_twirl", true, 3, levels{}, levels{5.5, 6, 6.5, 8.5, 10}, runPinch},
	{"ripple", true, 1, levels{}, levels{5.5, 6, 6.5, 7.5, 8}, runRipple},
	{"circular_motion_blur", false, 1, levels{}, levels{2.8, 3.6, 4.4, 5.2, 6}, runCircular},
	{"lines", true, 1, levels{}, levels{.5, 1, 1.5, 2, 2.5}, runLines},
	{"transverse_chromatic_abberation", true, 1, levels{}, levels{1, 2, 5, 9, 10}, runChromatic},
}

// Names returns the ten corruptions of a profile, those that both profiles have first. It returns an error that wraps
// [ErrUnknown] for a profile that does not exist.
func Names(p Profile) ([]string, error) {
	if !p.valid() {
		return nil, fmt.Errorf("cbar: %w: profile number %d", ErrUnknown, p)
	}
	var names []string
	for i := range rows {
		if (Corruption{&rows[i]}).In(p) {
			names = append(names, rows[i].name)
		}
	}
	return names, nil
}

// ByName returns the corruption with the published name, or an error that wraps [ErrUnknown] and lists what there is.
func ByName(name string) (Corruption, error) {
	var all []string
	for i := range rows {
		if rows[i].name == name {
			return Corruption{&rows[i]}, nil
		}
		all = append(all, rows[i].name)
	}
	return Corruption{}, fmt.Errorf("cbar: %w: corruption %q (there are %s)", ErrUnknown, name, strings.Join(all, ", "))
}

// Name returns the published name.
func (c Corruption) Name() string { return c.row.name }

// Random reports whether the corruption takes random numbers; circular_motion_blur alone does not.
func (c Corruption) Random() bool { return c.row.random }

// MinSide returns the least width and height that the corruption can serve.
func (c Corruption) MinSide() int { return c.row.minSide }

// In reports whether the corruption is one of the ten of profile p.
func (c Corruption) In(p Profile) bool { return p.valid() && c.levels(p) != levels{} }

func (c Corruption) levels(p Profile) levels { return [...]levels{c.row.imageNet, c.row.cifar}[p] }

// Level returns the published severity value, 0 to 10, for a severity of 1 to 5 in profile p. The published ImageNet
// folders are named after it, with two decimals. The errors are those of [Corruption.Apply].
func (c Corruption) Level(severity int, p Profile) (float64, error) {
	switch {
	case severity < 1 || severity > Severities:
		return 0, fmt.Errorf("cbar: %s: %w: %d (allowed: 1 to %d)", c.row.name, ErrSeverity, severity, Severities)
	case !p.valid():
		return 0, fmt.Errorf("cbar: %s: %w: profile number %d", c.row.name, ErrUnknown, p)
	case !c.In(p):
		return 0, fmt.Errorf("cbar: %s: %w %s", c.row.name, ErrNotInProfile, p)
	}
	return c.levels(p)[severity-1], nil
}

// Apply makes dst the corrupted src: it draws from r and applies, with the parameters of profile p for the severity, 1
// to 5. s holds the memory for intermediate results; a Scratch that has seen the size before makes the call free of
// allocation. dst takes the size of src and must not share its memory.
//
// It returns an error that wraps [ErrSeverity], [ErrSize], [ErrUnknown] (a profile that does not exist) or
// [ErrNotInProfile]; dst is then unspecified.
func (c Corruption) Apply(dst, src *raster.Image, severity int, p Profile, r *rng.Rand, s *Scratch) error {
	level, err := c.Level(severity, p)
	if err != nil {
		return err
	}
	if src.W < c.row.minSide || src.H < c.row.minSide {
		return fmt.Errorf("cbar: %s: %w: %dx%d (allowed: width and height of at least %d)", c.row.name, ErrSize,
			src.W, src.H, c.row.minSide)
	}
	c.row.run(job{dst, src, level, r, s})
	return nil
}

// scaled returns the published parameter law: level·most/10.
func (j job) scaled(most float64) float64 { return float64(j.level*most) / 10 }

// side returns S of the published formulas: the shorter side of an image.
func side(w, h int) float64 { return float64(min(w, h)) }

// prepare gives dst the size of src and panics if they share memory.
func prepare(dst, src *raster.Image) {
	if dst == src || len(dst.Pix) > 0 && len(src.Pix) > 0 && &dst.Pix[0] == &src.Pix[0] {
		panic("cbar: dst and src share memory")
	}
	dst.Reset(src.W, src.H)
}

// mustLen panics unless a draw has the length that the image needs.
func mustLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("cbar: %d %s, want %d", got, what, want))
	}
}
