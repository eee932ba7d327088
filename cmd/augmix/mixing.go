package main

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// mixing are the flags of the images that PixMix mixes in.
type mixing struct {
	Mixset      string `group:"Augmentation" placeholder:"SET" help:"Mixing set of pixmix: fractals (the default) or another kind, KIND-nN for N images, or a folder or data set of your own (see augmix mixset)." yaml:"mixset,omitempty"`
	MixsetCache string `group:"Augmentation" placeholder:"DIR" help:"Generate or read all of the mixing set once, into a file of this folder; auto is your cache folder. Without, images are generated on the fly." yaml:"-"`
}

// defaultMixset is the mixing set when none is named.
const defaultMixset = "fractals"

// equip gives the methods that need one the mixing set that the flags name, opened for training images of size
// pixels; size is asked only then. The result must be closed after the last use of the methods.
func (f *mixing) equip(a *app, methods []mix.Mixer, size func() (int, error)) (closeSet func(), err error) {
	closeSet = func() {}
	needed := false
	for _, m := range methods {
		needed = needed || mix.NeedsMixingSet(m)
	}
	if !needed {
		if f.Mixset != "" {
			return closeSet, usagef("--mixset %s: no method of --mix mixes images in (pixmix does)", f.Mixset)
		}
		return closeSet, nil
	}
	if f.Mixset == "" {
		f.Mixset = defaultMixset
	}
	if _, drawn, _ := (&train.Recipe{Mixset: f.Mixset}).Drawn(); drawn {
		return closeSet, usagef("--mixset %s is drawn from a network in training, by augmix train; of a trained one, "+
			"\"augmix mixset fvis\" makes a set", f.Mixset)
	}
	n, err := size()
	if err != nil {
		return closeSet, err
	}
	// The seed of the set is fixed: as with the published set, runs of several seeds share their images, and a cache
	// serves them all.
	set, err := mixset.Open(a.ctx, f.Mixset, mixset.Options{Size: max(n, mixset.MinSize), Cache: f.MixsetCache})
	if errors.Is(err, mixset.ErrSpec) {
		return closeSet, usageError{fmt.Errorf("--mixset %s: %w", f.Mixset, err)}
	}
	if err != nil {
		return closeSet, fmt.Errorf("--mixset %s: %w", f.Mixset, err)
	}
	closeSet = func() { _ = set.Close() }
	f.Mixset = set.String()
	for i, m := range methods {
		if methods[i], err = mix.Equip(m, mix.Options{MixingSet: set}); err != nil {
			closeSet()
			return func() {}, err
		}
	}
	return closeSet, nil
}

// longerSide returns the longer side of the first image of the data set at path that can be read.
func longerSide(a *app, in *input, path string) (int, error) {
	if path == formats.Standard {
		return 0, usagef("pixmix needs the size of images, which is not known before standard input " +
			"is read; say it with --crop N")
	}
	src, err := in.open(a, path)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	w, h, err := data.FirstSize(src)
	return max(w, h), within(path, err)
}

// within names the data set that an error is about.
func within(path string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
