package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// mixing are the flags of what methods need that a spec cannot hold.
type mixing struct {
	Mixset      string `group:"Augmentation" placeholder:"SET" help:"Mixing set of pixmix and ipmix: fractals (the default) or another kind, KIND-nN for N images, or a folder or data set of your own (see augmix mixset)." yaml:"mixset,omitempty"`
	MixsetCache string `group:"Augmentation" placeholder:"DIR" help:"Generate or read all of the mixing set once, into a file of this folder; auto is your cache folder. Without, images are generated on the fly." yaml:"-"`

	Network string `group:"Augmentation" placeholder:"FILE" help:"Weights of the network that deepaugment distorts (npz, safetensors, pth): CARN-M, DnCNN, TAEF2 or EDSR." yaml:"network,omitempty"`
	styling `yaml:",inline"`
	weights string // which files of weights were read

	planned bool // nothing is made yet, and no cache of a mixing set either
}

// styling are the flags of what takes styles of images: the mix style and the corruption style_transfer.
type styling struct {
	Styles       string `group:"Styles" placeholder:"SET" help:"Images whose styles style and style_transfer take: mixed-n1000 (the default) or another kind of generated images, or a folder or data set of paintings or textures." yaml:"styles,omitempty"`
	StyleWeights string `group:"Styles" placeholder:"FILE" help:"Weights of their style transfer network (npz, safetensors, pth)." yaml:"style-weights,omitempty"`
}

// own returns the corruptions among names that take styles, and what to record of them.
func (f *styling) own(a *app, names []string) ([]corrupt.Corruption, string, error) {
	n := experiment.StyleFiles{Styles: f.Styles, StyleWeights: f.StyleWeights}
	list, err := n.Own(a.ctx, 0, names...)
	if err != nil {
		return nil, "", err
	}
	f.Styles = n.Styles
	about, err := n.About()
	return list, about, err
}

// methods returns the methods of specs. Those that need one get the mixing set that the flags name, opened for training
// images of size pixels; size is asked only then; and the styles. closeSet is to be called after the last use of the methods.
func (f *mixing) methods(
	a *app, specs []mix.Spec, size func() (int, error),
) (methods []*mix.Method, closeSet func(), err error) {
	set, err := f.set(a, specs, size)
	if err != nil {
		return nil, nil, err
	}
	closeSet = func() {}
	o := mix.Options{Corruptions: all.ForMix}
	if set != nil {
		closeSet, o.MixingSet = func() { _ = set.Close() }, set
	}
	n := experiment.Networks{StyleFiles: experiment.StyleFiles{Styles: f.Styles, StyleWeights: f.StyleWeights}, Network: f.Network}
	if err := n.Open(a.ctx, &o, 0, specs...); err != nil {
		closeSet()
		return nil, nil, err
	}
	if f.Styles = n.Styles; n.StyleWeights+n.Network != "" {
		if f.weights, err = n.Sum(); err != nil {
			closeSet()
			return nil, nil, err
		}
	}
	methods = make([]*mix.Method, len(specs))
	for i, s := range specs {
		if methods[i], err = s.With(o); err != nil {
			closeSet()
			return nil, nil, err
		}
	}
	return methods, closeSet, nil
}

// set opens the mixing set, nil if no spec needs one.
func (f *mixing) set(a *app, specs []mix.Spec, size func() (int, error)) (*mixset.Set, error) {
	if !slices.ContainsFunc(specs, mix.Spec.NeedsMixingSet) {
		if f.Mixset != "" {
			return nil, usagef("--mixset %s: no method of --mix mixes images in (pixmix and ipmix do)", f.Mixset)
		}
		return nil, nil
	}
	if _, iterative, _ := train.ParseIterative(f.Mixset); iterative {
		return nil, usagef("--mixset %s is drawn from a network in training, by augmix train; of a trained one, "+
			"\"augmix mixset fvis\" makes a set", f.Mixset)
	}
	n, err := size()
	if err != nil {
		return nil, err
	}
	set, err := f.openSet(a, n)
	switch {
	case errors.Is(err, experiment.ErrOption):
		return nil, err
	case errors.Is(err, errInterrupted) && f.MixsetCache != "":
		return nil, fmt.Errorf("--mixset %s: %w before its cache was complete: nothing of it is kept (KIND-nN makes fewer images)",
			cmp.Or(f.Mixset, mixset.Default), err)
	case err != nil:
		return nil, fmt.Errorf("--mixset %s: %w", cmp.Or(f.Mixset, mixset.Default), err)
	}
	f.Mixset = set.String()
	return set, nil
}

// openSet opens the mixing set for images of a size and shows how far one is that is made first. The seed of the set is fixed: as
// with the published set, runs of several seeds share their images, and a cache serves them all.
func (f *mixing) openSet(a *app, size int) (*mixset.Set, error) {
	o := mixset.Options{Size: size, Cache: f.MixsetCache}
	if f.planned {
		o.Cache = ""
	}
	var bar *progress.Bar
	o.Report = func(done, total int) {
		if bar == nil {
			bar = a.bar("mixing set", progress.Images, total, 0)
		}
		bar.Set(done, 0)
	}
	set, err := experiment.OpenMixset(a.ctx, f.Mixset, o)
	if bar != nil {
		bar.Stop()
	}
	return set, err
}

// longerSide returns the longer side of the first image of the data set at path that can be read, or the largest that mixing sets are
// made for.
func longerSide(a *app, in *input, path string) (int, error) {
	if path == formats.Standard {
		return 0, usagef("a mixing set needs the size of images, which is not known before standard input " +
			"is read; say it with --crop N")
	}
	w, h, err := in.firstSize(a, path)
	return min(max(w, h), mixset.MaxSize), err
}

// firstSize returns the size of the first image of the data set at path that can be read.
func (f *input) firstSize(a *app, path string) (w, h int, err error) {
	src, err := f.open(a, path)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	w, h, err = data.FirstSize(src)
	return w, h, within(path, err)
}

// within names the data set that an error is about.
func within(path string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
