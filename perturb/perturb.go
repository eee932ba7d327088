// Package perturb makes the frame sequences of ImageNet-P, CIFAR-10-P and their kin: the ten perturbations that the
// mean flip rate averages over, and four more (Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to
// Common Corruptions and Perturbations", ICLR 2019, section 4.2, and its published generator). A sequence starts from
// one image and changes it a little from frame to frame; a stable classifier does not change its mind.
//
// [ByName] looks a perturbation up under its published name; [Perturbation.Sequence] starts a sequence, and
// [Sequence.Next] makes one frame after the other in memory, so that an evaluation needs no disk. Parameters come
// from a [Profile]. The noises come in three difficulties, each with a data set of its own; for the others a higher
// difficulty is a matter of scoring (every second or third frame is compared), so that there is one sequence.
//
// # Profiles
//
// The published settings are for frames of one side; each prepares the image that it is given:
//
//	P32   the image as it is (CIFAR)
//	P64   resized to a shorter side of 64, frames are the central 64x64; motion_blur acts before the resize
//	P224  resized to a shorter side of 256, frames are the central 224x224 (ImageNet-P)
//	P299  frames are the central 7/8 of width and height, resized to 299x299
//	Auto  the image as it is, parameters for its shorter side
//
// zoom_blur, translate, rotate, tilt, scale and shear act on the image before it is cropped, so that content moves into
// view; where there is none, frames are black. The other perturbations act on the cropped image. An image that has the
// size already is not resized. Resizing is Pillow's bilinear filter.
//
// [Auto] takes images of any size and gives frames of that size. At shorter sides of 32, 64, 224 and 299 its
// parameters are the published ones, between two of these sides they are interpolated linearly, below 32 and above 299
// lengths in pixels grow in proportion to the side and all else stays, as in package corrupt. Numbers of frames are
// interpolated too: see [Perturbation.FramesAt]. On images of 32x32 and 64x64 Auto is P32 and P64.
//
// # Frames
//
// Frame 0 of the noises and of zoom_blur is the unchanged image, the others run through a range: motion_blur and snow
// turn their direction, translate goes from left to right, rotate, tilt, shear, scale and brightness from one extreme
// to the other. In between translate, rotate, shear and scale pass the unchanged image, brightness passes it but for
// a gray level that the conversion of colors may cost, and tilt at 0° still shrinks it by the factor f/(f+1), f being
// its diagonal in pixels. gaussian_blur grows. The drops of spatter run down and off the image; without a drop,
// frames are black, as published.
//
// # Parity
//
// With the reference's random numbers:
//
//	translate                                                      exact
//	rotate, scale, shear                                           exact given the matrices, else within 1 gray level
//	motion_blur, zoom_blur, snow, brightness, tilt, gaussian_blur  within 1 gray level, nearly everywhere equal
//	gaussian_noise, shot_noise, speckle_noise                      as package corrupt, whose operations they are
//	spatter                                                        within 1 gray level
//
// The classes allow for libraries that round sines, exponentials and sums otherwise; against the recorded sequences
// (scipy 1.10, OpenCV 4.6, Pillow 9.4) TestGolden finds every byte equal. The noises are replayed by package corrupt.
// With this package's own random numbers the noises, snow and spatter have the same distribution (statistical
// parity). Two parameters are not published in so many words: for P299 the directions of motion_blur are taken to be
// those of P224, and the threshold of spatter's drops to be its 0.69.
//
// The published frames were then encoded as video with loss; frames here are what went into the encoder.
//
// [WriteAPNG] and [WriteGIF] write sequences for looking at.
package perturb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
)

// Errors that the package returns, wrapped with what was asked for.
var (
	// ErrUnknown: no perturbation or profile has that name.
	ErrUnknown = corruption.ErrUnknown
	// ErrDifficulty: the perturbation has no such difficulty.
	ErrDifficulty = errors.New("difficulty not available")
	// ErrSize: the image is too small for the perturbation, or so long and thin that resizing it would make it too
	// large.
	ErrSize = errors.New("image size out of range")
	// ErrFrames: an animation without frames, with frames of different sizes, or too long between them.
	ErrFrames = errors.New("bad animation")
)

// Difficulties is the number of difficulties of the noises; they count from 1.
const Difficulties = 3

// Perturbation is one of the 14 operations. Values come from [ByName]; they are small and comparable, and several
// goroutines may use one at a time, each with its own [Scratch] and stream.
type Perturbation struct{ row *row }

// row is one line of the table: a perturbation and how to run it.
type row struct {
	name    string
	extra   bool // not one of the ten
	minSide int  // least width and height of the image it acts on
	place   place
	table   *table

	draw  func(q *Sequence)                           // draws what all frames share; nil if there is nothing
	begin func(q *Sequence)                           // prepares what all frames share; nil if there is nothing
	frame func(q *Sequence, dst *raster.Image, i int) // makes frame i; called for i = 0, 1, ... in turn
}

// rows holds the perturbations in published order: the ten, then the four extra ones.
var rows = []row{
	{"gaussian_noise", false, 1, inside, &gaussianNoiseTable, nil, nil, frameGaussianNoise},
	{"shot_noise", false, 1, inside, &shotNoiseTable, nil, nil, frameShotNoise},
	{"motion_blur", false, 1, early, &motionBlurTable, nil, nil, frameMotionBlur},
	{"zoom_blur", false, 1, around, &zoomBlurTable, nil, beginZoomBlur, frameZoomBlur},
	{"snow", false, 2, inside, &snowTable, drawLayer, beginSnow, frameSnow},
	{"brightness", false, 1, inside, &brightnessTable, nil, beginBrightness, frameBrightness},
	{"translate", false, 1, around, &translateTable, nil, nil, frameTranslate},
	{"rotate", false, 1, around, &rotateTable, nil, nil, frameRotate},
	{"tilt", false, 1, around, &tiltTable, nil, nil, frameTilt},
	{"scale", false, 1, around, &scaleTable, nil, nil, frameScale},
	{"speckle_noise", true, 1, inside, &speckleNoiseTable, nil, nil, frameSpeckleNoise},
	{"gaussian_blur", true, 1, inside, &gaussianBlurTable, nil, beginGaussianBlur, frameGaussianBlur},
	{"spatter", true, 1, inside, &spatterTable, drawLayer, beginSpatter, frameSpatter},
	{"shear", true, 1, around, &shearTable, nil, nil, frameShear},
}

// Names returns the perturbations in published order: [Common], and after them the four extra ones.
func Names() []string {
	return namesOf(func(r *row) bool { return true })
}

// Common returns the ten perturbations that the mean flip rate averages over, in published order.
func Common() []string {
	return namesOf(func(r *row) bool { return !r.extra })
}

func namesOf(want func(*row) bool) []string {
	var names []string
	for i := range rows {
		if want(&rows[i]) {
			names = append(names, rows[i].name)
		}
	}
	return names
}

// ByName returns the perturbation with the published name, or an error that wraps [ErrUnknown] and lists what there is.
func ByName(name string) (Perturbation, error) {
	i, err := corruption.Find("perturbation", name, Names())
	if err != nil {
		return Perturbation{}, err
	}
	return Perturbation{&rows[i]}, nil
}

// Name returns the published name.
func (p Perturbation) Name() string { return p.row.name }

// Extra reports whether the perturbation is one of the four that the mean flip rate leaves out.
func (p Perturbation) Extra() bool { return p.row.extra }

// Noise reports whether frames are independent noise on the first one: metrics compare every frame of such a sequence
// with the first, of the others with its predecessor. As in the published code it is a matter of the name.
func (p Perturbation) Noise() bool { return strings.Contains(p.row.name, "noise") }

// Random reports whether the perturbation takes random numbers; the others ignore their stream.
func (p Perturbation) Random() bool { return p.Noise() || p.row.draw != nil }

// Difficulties returns how many difficulties the perturbation has: 3 for a noise, otherwise 1.
func (p Perturbation) Difficulties() int { return len(p.row.table.Sets[0]) }

// Dir returns the name that the published data sets give to the files of a difficulty: the perturbation's name, for
// difficulties 2 and 3 with the suffix _2 or _3. It returns an error that wraps [ErrDifficulty] if the perturbation
// lacks the difficulty.
func (p Perturbation) Dir(difficulty int) (string, error) {
	if err := p.checkDifficulty(difficulty); err != nil {
		return "", err
	}
	if difficulty == 1 {
		return p.row.name, nil
	}
	return p.row.name + "_" + strconv.Itoa(difficulty), nil
}

func (p Perturbation) checkDifficulty(difficulty int) error {
	if p.row == nil {
		return fmt.Errorf("%w: the zero Perturbation (allowed: one of ByName)", ErrUnknown)
	}
	switch n := p.Difficulties(); {
	case difficulty >= 1 && difficulty <= n:
		return nil
	case n == 1:
		return fmt.Errorf("%s: %w: %d (allowed: 1; only noises have harder sequences, the others are scored "+
			"with frames left out)", p.row.name, ErrDifficulty, difficulty)
	default:
		return fmt.Errorf("%s: %w: %d (allowed: 1 to %d)", p.row.name, ErrDifficulty, difficulty, n)
	}
}

// Frames returns the number of frames of a sequence with a published profile. For [Auto] it depends on the image
// and Frames returns 0: see [Perturbation.FramesAt]. It returns 0 for a profile that does not exist, too.
func (p Perturbation) Frames(profile Profile) int {
	if profile == Auto || !profile.Valid() {
		return 0
	}
	return frameCount(p.row.table.At(profile.Side(), 0, 0))
}

// FramesAt returns the number of frames of a sequence with the profile [Auto] from an image whose shorter side is
// side: the published number at 32, 64, 224 and 299, interpolated between these, constant beyond.
func (p Perturbation) FramesAt(side int) int { return frameCount(p.row.table.At(Auto.Side(), 0, side)) }
