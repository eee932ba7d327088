package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// perturbCmd makes the -P form of a data set.
type perturbCmd struct {
	In  string `arg:"" name:"IN" help:"Data set or image to read; - is standard input." yaml:"in"`
	Out string `short:"o" required:"" placeholder:"OUT" help:"Folder to write." yaml:"-"`

	Subset     []string `group:"Perturbation" default:"common" placeholder:"NAME" help:"Perturbations, by name or subset: common (the default: the ten of the mean flip rate), extra (four more), all. Separate several by commas." yaml:"subset"`
	Difficulty string   `group:"Perturbation" default:"1" placeholder:"LIST" help:"Difficulties of the noises: a list or range of 1 to 3 (${default})." yaml:"difficulty"`
	Profile    string   `group:"Perturbation" enum:"auto,32,64,224,299" default:"auto" help:"Parameters: auto (by the image's size), or the published ones for 32, 64, 224 or 299, which resize and crop as published." yaml:"profile"`
	Seed       uint64   `group:"Perturbation" default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`

	preparing    `yaml:",inline"`
	OutputFormat string        `group:"Output" enum:"auto,npy,folder,gif,apng,wds,tree" default:"auto" help:"Format of OUT: npy (CIFAR-10-P), folder (PNG frames), gif, apng, wds, tree (IN again for each frame), or auto: npy, folder, wds or tree, what suits IN." yaml:"output-format"`
	Delay        time.Duration `group:"Output" default:"100ms" placeholder:"TIME" help:"gif, apng: time that a frame is shown (${default})." yaml:"delay"`
	PerShard     int           `group:"Output" placeholder:"N" help:"wds: images in a tar file (1000)." yaml:"per-shard"`

	Quality   int `group:"Output" default:"85" help:"tree: JPEG quality, 1 to 100 (${default})." yaml:"quality"`
	carrying  `yaml:"-"`
	selecting `yaml:",inline"`
	graying   `yaml:",inline"`
	input     `yaml:",inline"`
	sharding  `yaml:"-"`
	running   `yaml:"-"`
}

// Help is the end of "augmix perturb --help".
func (perturbCmd) Help() string {
	return `FORMS
  npy     one file a perturbation, NAME.npy, uint8 [N,F,H,W,3] of F frames, with labels.npy:
          CIFAR-10-P. Difficulties 2 and 3 of the noises have names that end in _2 and _3. Images
          must have one size; --size and --crop give them one.
  folder  PERTURBATION/CLASS/IMAGE/frame-00.png and so on: what ImageNet-P's videos were made from
  gif     PERTURBATION/CLASS/IMAGE.gif, to look at: 256 colors
  apng    PERTURBATION/CLASS/IMAGE.png, to look at: an animated PNG without loss
  wds     PERTURBATION/ holds the shards of a WebDataset, keys of frames end in -00, -01 and so on
  tree    PERTURBATION/frame-00/ and so on hold all of IN, images with annotations, see augmix corrupt.
          Of translate a larger image has more frames, and the last trees lack the smaller ones.
  auto    npy for CIFAR and arrays, wds for WebDatasets, tree for annotated images, folder for the rest

RANDOM NUMBERS, MORE PARTS, RESUMING, RECORDS, SHARDS
  As with augmix corrupt.

EXAMPLES
  augmix perturb cifar-10-batches-bin -o CIFAR-10-P --difficulty 1-3
  augmix perturb imagenet/val -o ImageNet-P --profile 224 --subset all
  augmix perturb cat.jpg -o cat --output-format gif --subset tilt,rotate --size 256`
}

// expansion is the run that the flags ask for, of which nothing is opened yet.
func (c *perturbCmd) expansion(a *app) expansion {
	return expansion{
		generation: generation{
			app: a, command: "perturb", options: c, running: &c.running, Job: generate.Job{In: c.In, Seed: c.Seed},
			bench: &generate.Benchmark{Encoding: data.Encoding{Quality: c.Quality}, PerShard: c.PerShard, Link: c.Carry == "link"},
		},
		path: c.Out, selecting: &c.selecting, input: &c.input, sharding: &c.sharding, preparing: &c.preparing,
	}
}

// divide implements divided.
func (c *perturbCmd) divide(shard string) error {
	c.Shard = shard
	e := c.expansion(nil)
	return e.divide(c.OutputFormat, true)
}

// Run perturbs.
func (c *perturbCmd) Run(ctx *kong.Context, a *app) error {
	c.input.reading, c.input.each, c.input.stream = c.graying.reading(), true, c.Stream
	plan := &transform.Perturbations{Size: c.Size, Crop: c.Crop, Delay: c.Delay}
	var err error
	if plan.Difficulties, err = transform.ParseDifficulties(c.Difficulty); err != nil {
		return err
	}
	if plan.Profile, err = corrupt.ParseProfile(c.Profile); err != nil {
		return err
	}
	if plan.Filter, err = augment.ParseFilter(c.Filter); err != nil {
		return err
	}
	if plan.Names, err = transform.ExpandPerturbations(c.Subset); err != nil {
		return err
	}
	if left := lackDifficulty(plan); len(left) == len(plan.Names) {
		return usagef("--difficulty %s: none of the perturbations chosen has it (only noises have 2 and 3)", c.Difficulty)
	} else if len(left) > 0 {
		a.say("left out: %s, as only noises have difficulty 2 and 3", strings.Join(left, ", "))
	}
	if c.Quality < 1 || c.Quality > 100 {
		return usagef("--quality %d (allowed: 1 to 100)", c.Quality)
	}
	if c.Delay < 0 || c.Delay > time.Minute {
		return usagef("--delay %v (allowed: 0 to 1m)", c.Delay)
	}
	if c.Gray && (c.OutputFormat == "gif" || c.OutputFormat == "apng") {
		return usagef("--gray does not go with --output-format %s, which is to look at (allowed: npy, folder, wds, tree)", c.OutputFormat)
	}
	switch c.OutputFormat {
	case "gif":
		plan.Animation = transform.GIF
	case "apng":
		plan.Animation = transform.APNG
	}
	e := c.expansion(a)
	if err := e.open(&c.OutputFormat, true); err != nil {
		return err
	}
	defer e.close()
	animated := effect{[]string{"delay"}, plan.Animation != transform.NoAnimation, "an output of the format gif or apng"}
	if err := checkEffect(ctx, append(slices.Concat(e.effects("png"), c.preparing.effects()), animated)...); err != nil {
		return err
	}
	if err := c.checkAlpha(e.bench.Format, e.path, false); err != nil {
		return err
	}
	if c.Alpha == "keep" && plan.Profile != corrupt.Auto && plan.Profile != corrupt.P32 {
		return usagef("--profile %s resizes and crops, so that alpha channels would not fit (allowed with --alpha keep: auto, 32)", c.Profile)
	}
	if e.bench.Format == generate.FormatTree && plan.Profile != corrupt.Auto && plan.Profile != corrupt.P32 {
		return usagef("--profile %s resizes and crops, so that annotations would not fit (allowed with --output-format tree: auto, 32)", c.Profile)
	}
	a.warnTree(e.bench.Tree, plan.Names, e.Source.Info().Len)
	c.warnAlpha(a, transform.Moving(plan.Names))
	if err := e.findParts(); err != nil {
		return err
	}
	asked := plan.Variants()
	plan.Extend(e.have)
	c.Subset, c.Difficulty = plan.Names, numbers(plan.Difficulties)
	return e.run(plan, asked, "subset", "difficulty")
}

// lackDifficulty returns the perturbations of a plan that have none of its difficulties.
func lackDifficulty(plan *transform.Perturbations) (names []string) {
	for _, name := range plan.Names {
		one := *plan
		if one.Names = []string{name}; len(one.Variants()) == 0 {
			names = append(names, name)
		}
	}
	return names
}

// numbers joins numbers by commas.
func numbers(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}
