package mix

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/raster"
)

// ErrMixingSet is wrapped by every error about a mixing set: there is none where a method needs one, it is empty, its
// images are too small.
var ErrMixingSet = errors.New("mix: mixing set")

// MixingSet is a mixing set: the images that PixMix mixes in. Package mixset generates some and reads others.
//
// Every image is at least as large, on both sides, as the training images; it must not be changed. Len is positive
// and constant. All methods are safe for concurrent use, and Image(i) has the same pixels whenever it is called: the
// output of a run depends on nothing else.
type MixingSet interface {
	String() string
	Len() int
	Image(i int) *raster.Image
}

// Options are what a spec string cannot hold.
type Options struct {
	// MixingSet is the mixing set of PixMix. Methods that need none ignore it.
	MixingSet MixingSet
	// Size is the longer side of the training images where that is known; 0 leaves the images of the set unchecked.
	Size int
}

// New parses a spec string as [Parse] does and gives the methods that mix images in their set. The result is ready to
// use: a method that lacks its set, an empty set, or one whose images are smaller than the training images is an
// error here (it wraps [ErrMixingSet]) and not in the middle of a run.
func New(spec string, o Options) (Mixer, error) {
	m, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	return Equip(m, o)
}

// Equip returns m with the mixing set of o in every stage that needs one. m stays as it is. The errors are those of
// [New].
func Equip(m Mixer, o Options) (Mixer, error) {
	if !NeedsMixingSet(m) {
		return m, nil
	}
	if err := checkMixingSet(m, o); err != nil {
		return nil, err
	}
	stages := make([]Mixer, 0, 1)
	for _, st := range Stages(m) {
		if p, ok := st.(*PixMix); ok {
			p = p.with(o.MixingSet)
			st = p
		}
		stages = append(stages, st)
	}
	if len(stages) == 1 {
		return stages[0], nil
	}
	return &Chain{stages}, nil
}

func checkMixingSet(m Mixer, o Options) error {
	if o.MixingSet == nil {
		return fmt.Errorf("%w: %s mixes images in and got none (give it a mixing set)", ErrMixingSet, m)
	}
	n := o.MixingSet.Len()
	if n < 1 {
		return fmt.Errorf("%w: %s is empty (allowed: one image and more)", ErrMixingSet, o.MixingSet)
	}
	if o.Size > 0 {
		if p := o.MixingSet.Image(0); min(p.W, p.H) < o.Size {
			return fmt.Errorf("%w: %s has images of %dx%d, smaller than the training images "+
				"(allowed: %d and more on both sides)", ErrMixingSet, o.MixingSet, p.W, p.H, o.Size)
		}
	}
	return nil
}

// NeedsMixingSet reports whether m lacks a mixing set: what [New] and [Equip] would give it.
func NeedsMixingSet(m Mixer) bool {
	for _, st := range Stages(m) {
		if p, ok := st.(*PixMix); ok && p.set == nil && p.Variant != MixInputOnly {
			return true
		}
	}
	return false
}
