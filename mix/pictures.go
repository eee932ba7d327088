package mix

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/raster"
)

// ErrPictures is wrapped by every error about a mixing set: there is none where a method needs one, it is empty, its
// pictures are too small.
var ErrPictures = errors.New("mix: mixing set")

// Pictures is a mixing set: the pictures that PixMix mixes in. Package mixset grows some and reads others.
//
// Every picture is at least as large, on both sides, as the training pictures; it must not be changed. Len is positive
// and constant. All methods are safe for concurrent use, and Picture(i) has the same pixels whenever it is called: the
// output of a run depends on nothing else.
type Pictures interface {
	String() string
	Len() int
	Picture(i int) *raster.Image
}

// Options are what a spec string cannot hold.
type Options struct {
	// Pictures is the mixing set of PixMix. Methods that need none ignore it.
	Pictures Pictures
	// Size is the longer side of the training pictures where that is known; 0 leaves the pictures of the set unchecked.
	Size int
}

// New parses a spec string as [Parse] does and gives the methods that mix pictures in their set. The result is ready to
// use: a method that lacks its set, an empty set, or one whose pictures are smaller than the training pictures is an
// error here (it wraps [ErrPictures]) and not in the middle of a run.
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
	if !NeedsPictures(m) {
		return m, nil
	}
	if err := checkPictures(m, o); err != nil {
		return nil, err
	}
	stages := make([]Mixer, 0, 1)
	for _, st := range Stages(m) {
		if p, ok := st.(*PixMix); ok {
			p = p.with(o.Pictures)
			st = p
		}
		stages = append(stages, st)
	}
	if len(stages) == 1 {
		return stages[0], nil
	}
	return &Chain{stages}, nil
}

func checkPictures(m Mixer, o Options) error {
	if o.Pictures == nil {
		return fmt.Errorf("%w: %s mixes pictures in and got none (give it a mixing set)", ErrPictures, m)
	}
	n := o.Pictures.Len()
	if n < 1 {
		return fmt.Errorf("%w: %s is empty (allowed: one picture and more)", ErrPictures, o.Pictures)
	}
	if o.Size > 0 {
		if p := o.Pictures.Picture(0); min(p.W, p.H) < o.Size {
			return fmt.Errorf("%w: %s has pictures of %dx%d, smaller than the training pictures "+
				"(allowed: %d and more on both sides)", ErrPictures, o.Pictures, p.W, p.H, o.Size)
		}
	}
	return nil
}

// NeedsPictures reports whether m lacks a mixing set: what [New] and [Equip] would give it.
func NeedsPictures(m Mixer) bool {
	for _, st := range Stages(m) {
		if p, ok := st.(*PixMix); ok && p.pictures == nil && p.Variant != MixInputOnly {
			return true
		}
	}
	return false
}
