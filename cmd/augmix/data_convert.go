package main

import (
	"errors"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// dataConvert writes a data set in another format.
type dataConvert struct {
	In  string `arg:"" name:"IN" help:"Data set or image to read; - is standard input." yaml:"in"`
	Out string `short:"o" required:"" placeholder:"OUT" help:"Data set or image to write; - is standard output." yaml:"-"`

	Seed      uint64 `default:"0" help:"Seed of --shuffle (${default})." yaml:"seed"`
	preparing `yaml:",inline"`
	selecting `yaml:",inline"`
	graying   `yaml:",inline"`
	input     `yaml:",inline"`
	output    `yaml:",inline"`
	running   `yaml:"-"`
}

// Help is the end of "augmix data convert --help".
func (dataConvert) Help() string {
	return `RESUMING AND RECORDS
  As with augmix augment: an interrupted run resumes when the same command is given again, and
  args.yaml and manifest.json lie in the output, or next to it where it is a file.

EXAMPLES
  augmix data convert cifar-10-python.tar.gz --split test -o test.npy
  augmix data convert photos --size 256 --crop 224 -o photos.npz
  augmix data convert xrays16 -o xrays.npy --gray --window 0:4095
  augmix data convert sentinel.npy -o rgb.npy --channels 4,3,2 --window 0:3000
  augmix data convert photos --limit 1000 --shuffle -o shards --output-format wds`
}

// Run converts.
func (c *dataConvert) Run(ctx *kong.Context, a *app) error {
	c.input.reading, c.input.stream = c.graying.reading(), c.Stream
	if err := errors.Join(c.preparing.check(), c.output.check(), c.running.check(), c.selecting.check(c.row(c.Out).Ordered),
		c.checkStream(&c.input, "")); err != nil {
		return err
	}
	shuffled := effect{[]string{"seed"}, c.Shuffle, "--shuffle"}
	if err := checkEffect(ctx, slices.Concat(c.preparing.effects(), c.output.effects(c.Out, c.row(c.Out).Name), []effect{shuffled})...); err != nil {
		return err
	}
	if err := c.checkAlpha(c.row(c.Out).Name, c.Out, c.encoding().JPEG); err != nil {
		return err
	}
	out, err := c.output.destination(c.Out)
	if err != nil {
		return err
	}
	filter, err := augment.ParseFilter(c.Filter)
	if err != nil {
		return err
	}
	src, err := c.open(a, c.In)
	if err != nil {
		return err
	}
	defer src.Close()
	if src, err = c.order(c.take(c.keepLayout(&c.input, c.In, c.Out, src)), c.Seed, 0); err != nil {
		return err
	}
	if err := checkOne(c.row(c.Out).Name, c.Out, src); err != nil {
		return err
	}
	classes := src.Info().Classes
	task := generate.PipelineTask(transform.Prepared(c.Size, filter, c.Crop), len(classes), c.opener(a, out, classes, 0))
	g := generation{
		Job: generate.Job{Source: src, In: c.In, Out: out, Seed: c.Seed, Task: task},
		app: a, command: "data convert", options: c, running: &c.running, each: 1,
		layout: c.layout(a, c.Out, src.Info(), 1), count: counter(a, &c.input, c.In, c.selecting),
	}
	s, err := g.run()
	if err != nil {
		return err
	}
	return finish(a, out, s)
}
