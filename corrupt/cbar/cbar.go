package cbar

import (
	"errors"
	"fmt"
	"image"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors that the package returns, wrapped with what was asked for. Those of package corrupt are the same here.
var (
	// ErrUnknown: no corruption or profile has that name.
	ErrUnknown = corrupt.ErrUnknown
	// ErrNotInProfile: the corruption is none of the ten of the profile.
	ErrNotInProfile = errors.New("not in the profile")
	// ErrSeverity: the severity is neither 0 nor 0.001 to 5.
	ErrSeverity = corrupt.ErrSeverity
	// ErrSize: the image is smaller than the corruption can serve.
	ErrSize = corrupt.ErrSize
)

// Severities is the number of published severities; they count from 1.
const Severities = corrupt.Severities

// Op is one of the 15 operations, with a profile: a [corrupt.Corruption]. Values come from [ByName]; they are small and
// comparable, and several goroutines may use one at a time, each with its own scratch memory and stream.
type Op struct {
	row     *row
	profile Profile
}

var _ corrupt.Corruption = Op{}

// levels are the published severity values, 0…10, of the five severities; all 0 where a profile lacks the corruption.
type levels [Severities]float64

// row is one line of the table: a corruption and how to run it.
type row struct {
	name     string
	random   bool // takes random numbers
	fades    bool // level 0 is not the image: below severity 1 lies the mean of the image and the result at 1
	minSide  int  // least width and height
	bytes    int  // that it takes for a pixel, see Op.Memory
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
	{"blue_noise_sample", true, true, 2, 57, levels{.8, 1.6, 2.4, 4, 5.6}, levels{.7, 1.4, 2.1, 3.5, 4.2}, runBlueNoise},
	{"plasma_noise", true, false, 1, 5, levels{4.75, 7, 8.5, 9.25, 10}, levels{}, runPlasma},
	{"checkerboard_cutout", true, false, 1, 5, levels{2, 3, 4, 5, 6}, levels{1, 2, 3, 4, 5}, runCheckerboard},
	{"cocentric_sine_waves", true, false, 1, 5, levels{3, 5, 8, 9, 10}, levels{}, runCocentric},
	{"single_frequency_greyscale", true, false, 1, 5, levels{1, 1.5, 2, 4.5, 5}, levels{}, runSingleFrequency},
	{"brownish_noise", true, false, 2, 65, levels{1, 2, 3, 4, 5}, levels{2.5, 4, 5.5, 6.5, 7}, runBrownish},
	{"perlin_noise", true, false, 1, 5, levels{4.6, 5.2, 5.8, 7.6, 8.8}, levels{}, runPerlin},
	{"sparkles", true, true, 1, 5, levels{1, 2, 3, 5, 6}, levels{.7, 3.5, 5.6, 6.3, 7}, runSparkles},
	{"inverse_sparkles", true, true, 1, 5, levels{1, 2, 4, 9, 10}, levels{1, 1.5, 2.5, 4.5, 5}, runInverseSparkles},
	{"caustic_refraction", true, false, 1, 21, levels{2.35, 3.2, 4.9, 6.6, 9.15}, levels{}, runCaustic},
	{"pinch_and_twirl", true, true, 3, 9, levels{}, levels{5.5, 6, 6.5, 8.5, 10}, runPinch},
	{"ripple", true, false, 1, 5, levels{}, levels{5.5, 6, 6.5, 7.5, 8}, runRipple},
	{"circular_motion_blur", false, false, 1, 41, levels{}, levels{2.8, 3.6, 4.4, 5.2, 6}, runCircular},
	{"lines", true, false, 1, 5, levels{}, levels{.5, 1, 1.5, 2, 2.5}, runLines},
	{"transverse_chromatic_abberation", true, true, 1, 5, levels{}, levels{1, 2, 5, 9, 10}, runChromatic},
}

// Names returns the ten corruptions of a profile, those that both profiles have first. It returns an error that wraps
// [ErrUnknown] for a profile that does not exist.
func Names(p Profile) ([]string, error) {
	if !p.valid() {
		return nil, fmt.Errorf("%w: profile number %d", ErrUnknown, p)
	}
	var names []string
	for i := range rows {
		if (Op{row: &rows[i]}).In(p) {
			names = append(names, rows[i].name)
		}
	}
	return names, nil
}

// ByName returns the corruption with the published name and the profile [ImageNet], or an error that wraps [ErrUnknown] and
// lists what there is.
func ByName(name string) (Op, error) {
	var all []string
	for i := range rows {
		all = append(all, rows[i].name)
	}
	i, err := corruption.Find("corruption", name, all)
	if err != nil {
		return Op{}, err
	}
	return Op{row: &rows[i]}, nil
}

// Name returns the published name.
func (c Op) Name() string { return c.row.name }

// Random reports whether the corruption takes random numbers; circular_motion_blur alone does not.
func (c Op) Random() bool { return c.row.random }

// MinSide returns the least width and height that the corruption can serve.
func (c Op) MinSide() int { return c.row.minSide }

// Memory returns how many bytes [Op.Apply] takes at most for a w by h image where dst and the Scratch are new, by measure: see
// corrupt.Op.Memory.
func (c Op) Memory(w, h int) int64 { return int64(c.row.bytes) * int64(w) * int64(h) }

// In reports whether the corruption is one of the ten of profile p.
func (c Op) In(p Profile) bool { return p.valid() && c.levels(p) != levels{} }

// WithProfile returns the corruption with the severity values of profile p.
func (c Op) WithProfile(p Profile) Op {
	c.profile = p
	return c
}

func (c Op) levels(p Profile) levels { return [...]levels{c.row.imageNet, c.row.cifar}[p] }

// Level returns the published severity value, 0 to 10, for a severity of 1 to 5 in the profile; between these severities it
// is interpolated linearly, below 1 it goes to 0 ([Op.Between] says where that is not the image as it is). The published ImageNet folders are named after it, with two decimals. The errors are those of [Op.Apply].
func (c Op) Level(severity float64) (float64, error) {
	if c.row == nil {
		return 0, corruption.ErrNone
	}
	if err := corruption.CheckSeverity(c.row.name, severity); err != nil {
		return 0, err
	}
	if err := corruption.CheckProfile(c.row.name, uint8(c.profile), profileNames); err != nil {
		return 0, err
	}
	if !c.In(c.profile) {
		return 0, fmt.Errorf("%s: %w %s", c.row.name, ErrNotInProfile, c.profile)
	}
	levels := c.levels(c.profile)
	return corruption.Lerp(levels[:], severity), nil
}

// Between says what fractions of severities stand for.
func (c Op) Between() string {
	if c.row.fades {
		return "linear; below 1 mean of the image and the result at 1"
	}
	return "linear; at 0 0"
}

// Apply implements [corrupt.Corruption] with the parameters of the profile: it draws from r, then applies. Besides the
// errors documented there it returns one that wraps [ErrUnknown] (a profile that does not exist, or the zero Op) or [ErrNotInProfile].
func (c Op) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error {
	level, err := c.Level(severity)
	if err != nil {
		return err
	}
	if err := corruption.CheckSize(c.row.name, src, c.row.minSide); err != nil {
		return err
	}
	if severity == 0 {
		corruption.Copy("cbar", dst, src)
		return nil
	}
	fade := c.row.fades && severity < 1
	if fade {
		level = c.levels(c.profile)[0]
	}
	c.row.run(job{dst, src, level, r, corrupt.Memory[Scratch](s)})
	if fade {
		corruption.Mean(dst, src, dst, severity)
	}
	return nil
}

// Image returns a corrupted copy of an image of the standard library, as [corrupt.Op.Image] does.
func (c Op) Image(img image.Image, severity float64, seed uint64) (image.Image, error) {
	if _, err := c.Level(severity); err != nil {
		return nil, err
	}
	return corrupt.Image(c, img, severity, seed)
}

// scaled returns the published parameter law: level·most/10.
func (j job) scaled(most float64) float64 { return float64(j.level*most) / 10 }

// side returns S of the published formulas: the shorter side of an image.
func side(w, h int) float64 { return float64(min(w, h)) }

func prepare(dst, src *raster.Image) { corruption.Prepare("cbar", dst, src) }

func mustLen(what string, got, want int) { corruption.MustLen("cbar", what, got, want) }
