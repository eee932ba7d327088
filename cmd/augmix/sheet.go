package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/experiment"
)

// sheetCmd draws a contact sheet. Its flags are the keys of experiment.Sheet.
type sheetCmd struct {
	In  []string `arg:"" optional:"" name:"IN" help:"Images or data sets to show, of a set with several parts the test part; - is standard input. Without any, a built-in image."`
	Out string   `short:"o" required:"" placeholder:"OUT.png" help:"PNG file to write, in place of an earlier one; - is standard output."`

	Mix     []string `placeholder:"SPEC" help:"Show samples of this augmentation (see augmix list mixes). Repeat for more."`
	Samples int      `placeholder:"N" help:"Samples of each image by each --mix (30 of one image, 11 of several); also images of --mixset alone, and rows of --group-by."`
	Count   int      `default:"8" placeholder:"N" help:"Images to take from each data set: from its front, of a folder, which is in the order of its classes, evenly spread (${default})."`
	Tile    int      `default:"128" placeholder:"N" help:"Pixels of an image, 64 to 256 (${default}); larger ones are reduced."`
	Seed    uint64   `default:"0" help:"Seed of every random choice (${default})."`

	Corruptions   bool     `help:"Show the 19 corruptions of ImageNet-C at five severities."`
	Cbar          bool     `help:"Show the corruptions of ImageNet-C-bar and CIFAR-10-C-bar."`
	Perturbations bool     `help:"Show the perturbations of ImageNet-P, frame by frame."`
	Severity      string   `placeholder:"LIST" help:"Show corruptions at these severities, fractions too: 0-5:0.5. Up to 11."`
	Subset        []string `placeholder:"NAME" help:"With --severity: which, by name or subset (common). Separate several by commas."`

	Cascade   bool   `help:"Show how a long chain of operations drifts off, beside AugMix with the same ones."`
	ColorSwap bool   `help:"Show each of 2 to 10 images with the colors of the others."`
	GroupBy   string `placeholder:"REGEX" help:"Show the first images of each class, a row, in each group, a column: what REGEX (its first parentheses) finds in keys."`

	FrostDir string `placeholder:"DIR" help:"Published photographs for frost (frost1.png to frost5.jpg); without, generated ice crystals."`

	mixing
	input
}

// Help is the end of "augmix sheet --help".
func (sheetCmd) Help() string {
	return `WHAT IT SHOWS
  Without --mix: how AugMix makes an image, every operation at several levels, AugMix at several
  severities. With --mix: the original and samples of each augmentation. Several images get a row
  each; mixup and cutmix take the other image from among them.
  With --corruptions, --cbar, --perturbations or --severity: what classifiers are tested with, a part
  for each image.
  With --cascade: one chain step by step, and AugMix with the same operations. With --color-swap:
  images with each other's colors, channel by channel, by the ranks of values. With --group-by:
  classes in rows and groups in columns, such as icons in the styles of their vendors; --count is
  the number of classes, --samples the rows of each (1).
  With --mixset alone: the first images of that mixing set.
  The options are recorded in the PNG file itself, as text under the key "augmix".

EXAMPLES
  augmix sheet -o sheet.png
  augmix sheet --corruptions -o corruptions.png
  augmix sheet cat.jpg --severity 0-5:0.5 --subset fog,snow -o cat-severities.png
  augmix sheet --perturbations cat.jpg -o cat-perturbed.png
  augmix sheet cat.jpg dog.jpg -o pets.png --mix augmix-m3 --mix augmix-m10
  augmix sheet cat.jpg dog.jpg -o pets.png --mix pixmix --mix pixmix+cutmix --mixset fractals
  augmix sheet cat.jpg --cascade -o cascade.png
  augmix sheet cat.jpg dog.jpg --color-swap -o colors.png
  augmix sheet Icons-50 --group-by '^[^/]+/([^_]+)' -o icons.png
  augmix sheet --mixset fractals -o fractals.png
  augmix sheet cifar-10-python.tar.gz --count 12 -o cifar.png`
}

// sheetResult is the JSON form of what was drawn.
type sheetResult struct {
	Out    string `json:"out"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Images int    `json:"images"`
}

// options returns the flags as options.
func (c *sheetCmd) options(ctx *kong.Context) *experiment.Sheet {
	s := &experiment.Sheet{In: c.In, Out: c.Out, MixsetCache: c.MixsetCache, Version: build().Version}
	setOptions(s, ctx, false)
	return s
}

// Run draws the sheet.
func (c *sheetCmd) Run(ctx *kong.Context, a *app) error {
	if c.Out != formats.Standard && !strings.EqualFold(filepath.Ext(c.Out), ".png") {
		return usagef("-o %s: a sheet is a PNG file (allowed: a name that ends in .png, or -)", c.Out)
	}
	if err := checkEffect(ctx, effect{append(inputFlags(ctx), "count"), len(c.In) > 0, "IN"}); err != nil {
		return err
	}
	s := c.options(ctx)
	s.Stdin = a.in
	if c.Count < 1 { // in the options 0 is the default
		return usagef("--count %d (allowed: 1 and up)", c.Count)
	}
	d, err := s.Draw(a.ctx)
	if err != nil {
		return err
	}
	if c.Out == formats.Standard {
		_, err := a.out.Write(d.PNG)
		return err
	}
	if err := data.WriteFileAtomic(c.Out, d.PNG); err != nil {
		return err
	}
	a.say("%s: %d by %d pixels", c.Out, d.Width, d.Height)
	if !a.JSON {
		return nil
	}
	return a.print(sheetResult{c.Out, d.Width, d.Height, d.Images}, func(io.Writer) {})
}
