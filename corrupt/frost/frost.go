// Package frost generates images of frosted panes, for a frost corruption that needs no photographs.
//
// The published corruption frost lays parts of five photographs over an image. Their license is not stated, so this
// project does not contain them; [Read] takes the user's copies where there are any. The images of [Default] are used
// where there are none: they are computed, from nothing but random numbers, and look and act alike, but are not the same
// images, so that results with them cannot be compared digit by digit with published ones. Package corrupt makes a
// corruption of either:
//
//	photos := frost.Default()                   // or frost.Read(dir)
//	set, err := corrupt.NewFrostSet(photos...)
//	op, err := corrupt.ByName("frost")
//	op = op.WithFrost(set)
//
// # How they are generated
//
// Fern, Curl, Leaf and Hoar are dendrites that compete for the pane. Stems nucleate, in waves, on free glass (and for
// Fern along the frame); every tip moves a pixel a round, at the pace of its order, sends out side branches in pairs at
// the angle of its crystal, 60° for the stars of Hoar as in real ice, and ends where it meets another crystal. The
// branches are then raised as beaded ridges that thin out towards their ends, and lit: by a grazing light that shows
// the slopes, by a shine that depends on the direction of each branch and on its crystal, and from behind; they darken
// the layer below them. Needle and Rime are painted from roof-shaped blades, Rime's in rows down the pane. Glaze is a
// crumpled clear sheet: folds of many sizes displaced by turbulence, in a grazing light. Soft mist, fine grain and an
// uneven light from behind end all of them.
//
// # What is matched
//
// A tone curve by rank gives every image, whatever its size, the distribution of luma (.299 R + .587 G + .114 B) of
// one of the photographs, through its quantiles .001, .01, .05, .1, .25, .5, .75, .9, .95, .99 and .999; a tint gives
// it the photograph's mean color. Only these few numbers and those below come from the photographs. Measured on them:
//
//	photograph       like           mean   std         R, G, B            local std 7×7, 63×63
//	frost1           Glaze          129.6  18.4         77.7 149.1 165.7    9.3  12.3
//	frost2 = frost3  Needle, Curl   205.0  21.9        200.8 205.4 214.5   11.3  15.3
//	frost4           Rime           149.7  28.6        137.6 152.8 165.2   17.8  21.5
//	frost5           Fern, Hoar     121.4  43.4        112.4 123.4 134.8   23.2  32.5
//	frost6           (Leaf)          89.3  40.7         71.4  95.4 104.5   20.7  30.6
//
// Leaf has the form and the hue of frost6 and the brightness of frost5: the published code ships frost6 but never draws
// it, so that its darkness is no part of the benchmark.
//
// Mean and standard deviation agree within 1.5 levels, the means of the channels within 3 and, in the images of [Default],
// the mean standard deviation within windows of 7 by 7 and 63 by 63 pixels within a fifth. Structures have the photographs'
// size in pixels, so that a part of 224 by 224 pixels, or one of a copy at a fifth of the size, shows as much as theirs.
//
// # How they differ
//
// The images are larger than the photographs (those are 485×323 to 900×600), so that fewer parts overlap. The set
// has nine images with equal chances, four of them white, where the published one has five, two of them the same
// white one. The mean of a draw is 163 levels here and 162 there, the standard deviation between the means of the images 39
// and 36. Nothing matches the dark frost6. The crystals are more regular than real ones, nothing is out of focus, and
// behind the pane there is no scenery but soft shapes. At the finest scales (32 to 127 periods in 256 pixels) power
// falls with the frequency to the power -1.8 to -3.2, by kind, where the photographs have -1.8 to -2.6.
//
// TestFrostAlike compares corrupted images, 47 photographs with either set: at any severity the mean brightness
// differs by less than 3 levels, the contrast and the local contrast by less than 3 %, the standard deviation of the brightness
// between draws by less than 5 %.
//
// # Determinism
//
// An image is a function of its kind, its size and the stream of random numbers, on every architecture: nothing is
// fused, elementary functions come from package detmath. TestPinned holds it to recorded hashes. The images are part
// of the project's output; changing one changes what the frost corruption gives without photographs.
package frost

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Kind is a form of frost.
type Kind uint8

// The kinds of frost. Brackets name the photograph whose brightness and color a kind has.
const (
	Fern   Kind = iota // many small fronds in layers, blue-gray on dark glass [frost5]
	Curl               // white feathers that roll up [frost2]
	Needle             // bundles of long white blades [frost2]
	Rime               // fine grains in rows, shards between them [frost4]
	Leaf               // large closed leaves with dark clear glass between them [frost5; hue of frost6]
	Hoar               // stars of six arms on dark glass [frost5]
	Glaze              // a crumpled clear sheet, blue and gray [frost1]
)

// kinds hold, by Kind, the name and what generates the light that comes from each pixel of a pane and, where the color
// varies beyond the brightness, a tint field of mean 0 and standard deviation 1.
var kinds = [...]struct {
	name     string
	generate func(w, h int, r *rng.Rand) (light, tint *plane)
}{
	Fern:   {"fern", fern},
	Curl:   {"curl", curl},
	Needle: {"needle", needle},
	Rime:   {"rime", rime},
	Leaf:   {"leaf", leaf},
	Hoar:   {"hoar", hoar},
	Glaze:  {"glaze", glaze},
}

// String returns the name of k in lower case.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kinds[k].name
}

// Kinds returns all kinds.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Limits of the sides of an image, in pixels.
const (
	MinSide = 32
	MaxSide = 4096
)

// leastPane is the least side of the pane that is generated. Smaller images are cropped from its middle: a frame close by
// would leave no room for crystals.
const leastPane = 256

// ErrSize is returned for a side below [MinSide] or above [MaxSide].
var ErrSize = errors.New("bad image size")

// CheckSize returns an error that wraps [ErrSize] and names the size unless both sides are within the limits.
func CheckSize(w, h int) error {
	if min(w, h) < MinSide || max(w, h) > MaxSide {
		return fmt.Errorf("%w: %dx%d, want sides of %d to %d pixels", ErrSize, w, h, MinSide, MaxSide)
	}
	return nil
}

// Generate returns a new image of w by h pixels. It takes a tenth to a quarter of a microsecond a pixel and, while it
// grows, up to a hundred bytes a pixel. It panics if the kind is unknown or the size is bad (see [CheckSize]).
func Generate(kind Kind, w, h int, r *rng.Rand) *raster.Image {
	if int(kind) >= len(kinds) {
		panic("frost: no frost is " + kind.String())
	}
	if err := CheckSize(w, h); err != nil {
		panic("frost: " + err.Error())
	}
	light, tint := kinds[kind].generate(max(w, leastPane), max(h, leastPane), r)
	light = light.middle(w, h)
	if tint != nil {
		tint = tint.middle(w, h)
		tint.center()
	}
	m := raster.New(w, h)
	targets[kind].develop(m, light, tint)
	return m
}

// Size of the images of a set.
const (
	SetWidth  = 1024
	SetHeight = 768
)

// setKinds are the kinds of a set. The white ones come twice, so that the mean brightness of a draw comes close to that
// of the published set, where frost2 is there twice.
var setKinds = [...]Kind{Glaze, Needle, Needle, Rime, Fern, Leaf, Curl, Curl, Hoar}

// Set returns nine new images of [SetWidth] by [SetHeight] pixels, one of each kind and two of Needle and Curl, 28 MB
// together. Image i comes from the stream rng.NewKey(seed).Str("ice").Uint(i). It uses as many goroutines as there
// are processors; on one it takes about a second and a half.
func Set(seed uint64) []*raster.Image {
	set := make([]*raster.Image, len(setKinds))
	parallel.Do(len(set), 0, func(_, i int) { set[i] = ofSet(seed, i) })
	return set
}

// ofSet returns image i of a set.
func ofSet(seed uint64, i int) *raster.Image {
	r := rng.NewKey(seed).Str("ice").Uint(uint64(i)).Rand()
	return Generate(setKinds[i], SetWidth, SetHeight, &r)
}

// defaults generate an image of Set(0) each, once.
var defaults = func() (all [len(setKinds)]func() *raster.Image) {
	for i := range all {
		all[i] = sync.OnceValue(func() *raster.Image { return ofSet(0, i) })
	}
	return all
}()

// Default returns the images of Set(0), generated on the first call and shared by all callers, who must not change them.
// It may be called by several goroutines at once.
func Default() []*raster.Image {
	set := make([]*raster.Image, len(defaults))
	parallel.Do(len(set), 0, func(_, i int) { set[i] = defaults[i]() })
	return set
}

// Deferred returns the images of [Default] as functions that return them: each is generated when it is first asked for, so
// that a few corrupted images need not wait for nine textures.
func Deferred() []func() *raster.Image { return slices.Clone(defaults[:]) }
