package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/mixset/fvis"
	"github.com/augmix-go/augmix/transform"
)

// mixsetCmd generates images to mix in.
type mixsetCmd struct {
	Kind string `arg:"" name:"KIND" help:"What to generate: fractals, escape, mixed, ... (see augmix list mixsets); or fvis: feature visualizations of a network." yaml:"kind"`
	Out  string `short:"o" required:"" placeholder:"OUT" help:"Folder, .npy or .npz file to write." yaml:"-"`

	Count int    `short:"n" default:"10000" placeholder:"N" help:"Number of images (${default})." yaml:"count"`
	Size  int    `default:"256" placeholder:"N" help:"Side of the images in pixels (${default}; 36 for training images of 32, 256 for those of 224)." yaml:"size"`
	Seed  uint64 `default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`

	fvisFlags `yaml:",inline"`
	output    `yaml:",inline"`
	running   `yaml:"-"`
}

// Help is the end of "augmix mixset --help".
func (mixsetCmd) Help() string {
	return `WHAT IT IS FOR
  PixMix mixes images into training images that are complex in structure and not photographs.
  Its own set, collected art, cannot be redistributed; this command generates one. Nothing has to be
  written first: where a command takes --mixset KIND, images are generated on the fly. Files are for
  looking at, for other programs, and for a start without waiting.

IMAGES
  A generated image is a function of kind, seed, number and size alone: the same bytes on every
  machine, by any number of workers, in one run or several. The same number shows the same subject at
  every size, and -n 20000 begins with the images of -n 10000.

FEATURE VISUALIZATIONS
  The kind fvis shows what channels of a trained network answer to most, as a part of PixMix's set
  does. The layers are the network's early and middle ones, or those of --layer; --size is 16 to 512.
  The same weights and seed give the same bytes on every machine. On two cores resnet20 gives about
  15 images of --size 36 a second, and 6 of --size 64.

RESUMING, RECORDS
  An interrupted run resumes when the same command is given again. OUT holds args.yaml with the
  options and manifest.json with the SHA-256 of every file ("augmix verify OUT"); for a file they are
  OUT.args.yaml and OUT.manifest.json.

EXAMPLES
  augmix mixset fractals -o fractals
  augmix mixset mixed -n 50000 --size 36 --seed 1 -o mixed-36.npy
  augmix mixset escape -n 1000 --size 512 -o shards --output-format wds
  augmix mixset fvis --weights runs/augmix/model.safetensors -n 500 --size 64 -o fvis
  augmix mixset fvis --weights resnet20.npz --model resnet20 --norm imagenet -n 500 --size 64 -o fvis`
}

// writes reports whether the output is of that format.
func (c *mixsetCmd) writes(format string) bool {
	return c.output.row(c.Out).Name == format
}

// source returns the images, and what they depend on besides the flags.
func (c *mixsetCmd) source(a *app) (data.Source, []generate.Option, error) {
	if c.Kind == fvis.Kind {
		return c.fvisFlags.source(a.ctx, c.Count, c.Size, c.Seed, c.Workers)
	}
	if c.fvisFlags.given() {
		return nil, nil, usagef("--weights, --model, --norm, --layer and --steps go with the kind %s, not with %s",
			fvis.Kind, c.Kind)
	}
	src, err := mixset.NewSource(c.Kind, c.Count, c.Size, c.Seed)
	switch {
	case err == nil:
		return src, nil, nil
	case slices.ContainsFunc(mixset.Kinds(), func(k mixset.Kind) bool { return k.Name == c.Kind }):
		return nil, nil, usageError{err}
	}
	return nil, nil, usageError{fmt.Errorf("%w; or %s", err, fvis.Kind)}
}

// Run generates the images.
func (c *mixsetCmd) Run(ctx *kong.Context, a *app) error {
	c.unlabeled = true
	if err := errors.Join(c.output.check(), c.running.check()); err != nil {
		return err
	}
	if c.Out == formats.Standard {
		return usagef("-o -: many images do not go to standard output (allowed: a folder, a .npy or .npz file)")
	}
	out, err := c.output.destination(c.Out)
	if err != nil {
		return err
	}
	if c.writes("file") {
		return usagef("-o %s is one image (allowed: a folder, a .npy or .npz file)", c.Out)
	}
	if err := checkEffect(ctx, c.effects(c.Out, c.row(c.Out).Name)...); err != nil {
		return err
	}
	src, more, err := c.source(a)
	if err != nil {
		return err
	}
	g := generation{
		Job: generate.Job{
			Source: src, Out: out, Seed: c.Seed, Task: generate.PipelineTask(new(transform.Pipeline), 0, c.opener(a, out, nil, 0)),
		},
		app: a, command: "mixset", options: c, notes: more, running: &c.running, each: 1,
		layout: c.layout(a, c.Out, data.Info{Format: "folder"}, 1),
	}
	s, err := g.run()
	if err != nil {
		return err
	}
	return finish(a, out, s)
}
