package mix

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/nn/image2image"
)

// Errors about what a method needs.
var (
	// ErrStyles is wrapped by every error about the styles of [Style]: there are none where a method needs some.
	ErrStyles = errors.New("styles")
	// ErrNetwork is wrapped by the error about the network of [DeepAugment]: there is none.
	ErrNetwork = errors.New("network")
	// ErrCorruptions is wrapped by the error about the corruptions of [Corrupt]: there are none.
	ErrCorruptions = errors.New("corruptions")
)

// Options are what a spec string cannot hold. A method ignores what it does not need.
type Options struct {
	// MixingSet is the mixing set of PixMix and IPMix.
	MixingSet MixingSet
	// Size is the longer side of the training images where that is known; 0 leaves the images of the set unchecked.
	Size int
	// Styles are the styles of [Style], with their network.
	Styles *image2image.Styles
	// Network is the network of [DeepAugment].
	Network *image2image.Network
	// Corruptions finds a corruption of [Corrupt] by its published name: all.ForMix of package corrupt/all.
	Corruptions func(name string) (Corruption, error)
}

// needy are the parameters of a method that needs what a spec string cannot hold.
type needy interface {
	fmt.Stringer
	needs() need
	// with returns the method, ready for use.
	with(o Options) (Augmentation, error)
}

// need is a set of what a method needs.
type need struct{ mixingSet, styles, network, corruptions bool }

// missing returns the error of parameters that got no such thing.
func missing(sentinel error, method fmt.Stringer, what string) error {
	return fmt.Errorf("%w: %s got none (give it %s)", sentinel, method, what)
}

// needs returns what the stages of a spec need together.
func (s Spec) needs() (all need) {
	for _, p := range s.parts {
		if p.needy != nil {
			n := p.needy.needs()
			all = need{
				all.mixingSet || n.mixingSet, all.styles || n.styles, all.network || n.network, all.corruptions || n.corruptions,
			}
		}
	}
	return all
}

// NeedsMixingSet reports whether a stage mixes in images of a mixing set.
func (s Spec) NeedsMixingSet() bool { return s.needs().mixingSet }

// NeedsStyles reports whether a stage gives images the style of others.
func (s Spec) NeedsStyles() bool { return s.needs().styles }

// NeedsNetwork reports whether a stage runs images through a network of the caller's.
func (s Spec) NeedsNetwork() bool { return s.needs().network }

// NeedsCorruptions reports whether a stage corrupts images.
func (s Spec) NeedsCorruptions() bool { return s.needs().corruptions }

// With returns the method, ready for use. The error wraps [ErrMixingSet], [ErrStyles], [ErrNetwork] or [ErrCorruptions]: what a
// stage needs is missing, or a mixing set is empty or has images that are smaller than the training images.
func (s Spec) With(o Options) (*Method, error) {
	m := &Method{make([]stage, len(s.parts))}
	for i, p := range s.parts {
		m.stages[i] = p.stage
		if p.needy != nil {
			var err error
			if m.stages[i].one, err = p.needy.with(o); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}
