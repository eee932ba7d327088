package main

import (
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/transform"
)

// dataConvert writes a data set in another format.
type dataConvert struct {
	In     string `arg:"" name:"IN" help:"Data set or image to read; - is standard input." yaml:"in"`
	Out    string `short:"o" required:"" placeholder:"OUT" help:"Data set or image to write; - is standard output." yaml:"-"`
	Size   int    `placeholder:"N" help:"First resize the shorter side to N pixels." yaml:"size"`
	Crop   int    `placeholder:"N" help:"Then cut the middle N x N." yaml:"crop"`
	Filter string `enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of the resize: box, bilinear, bicubic or lanczos (${default})." yaml:"filter"`

	input   `yaml:",inline"`
	output  `yaml:",inline"`
	running `yaml:"-"`
}

// Help is the end of "augmix data convert --help".
func (dataConvert) Help() string {
	return `RESUMING AND RECORDS
  As with augmix augment: an interrupted run goes on when the same command is given again, and
  args.yaml and manifest.json lie in the output or beside it.

EXAMPLES
  augmix data convert cifar-10-python.tar.gz --split test -o test.npy
  augmix data convert photos --size 256 --crop 224 -o photos.npz`
}

// Run converts.
func (c *dataConvert) Run(a *app) error {
	if c.Size < 0 || c.Size > 1<<14 || c.Crop < 0 || c.Crop > 1<<14 {
		return usagef("--size %d --crop %d (allowed: 1 to %d)", c.Size, c.Crop, 1<<14)
	}
	for _, err := range []error{c.output.check(), c.running.check()} {
		if err != nil {
			return err
		}
	}
	place, err := c.place(c.Out)
	if err != nil {
		return err
	}
	filter, err := augment.ParseFilter(c.Filter)
	if err != nil {
		return err
	}
	recipe := &transform.Pipeline{Size: c.Size, Filter: filter}
	if c.Crop > 0 {
		recipe.Crop = transform.Crop{Kind: transform.CenterCrop, N: c.Crop}
	}
	s, err := pipeline{
		app: a, command: "data convert", in: c.In, place: place, options: c, recipe: recipe,
		input: &c.input, output: &c.output, running: &c.running,
	}.run()
	if err != nil {
		return err
	}
	return finish(a, place, []summary{s})
}
