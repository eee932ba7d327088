package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/superres"
)

// superresCmd trains a network of super-resolution.
type superresCmd struct {
	In  string `arg:"" name:"IN" help:"Data set of images larger than the patches; labels do not matter."`
	Out string `short:"o" required:"" placeholder:"FILE" help:"Weights to write, .safetensors, with the names of EDSR's PyTorch program."`

	Blocks int `group:"Network" default:"16" placeholder:"N" help:"Residual blocks (${default}; 32 in the wide one)."`
	Width  int `group:"Network" default:"64" placeholder:"N" help:"Channels (${default}; 256 in the wide one, which multiplies residuals by 0.1)."`
	Scale  int `group:"Network" default:"2" placeholder:"N" help:"How much larger images become: 2, 3 or 4 (${default})."`

	Patch int     `group:"Training" default:"48" placeholder:"N" help:"Side of the patches that go in, pixels (${default})."`
	Batch int     `group:"Training" default:"16" placeholder:"N" help:"Patches of a step (${default})."`
	Steps int     `group:"Training" default:"300000" placeholder:"N" help:"Steps (${default})."`
	Lr    float64 `group:"Training" default:"0.0001" placeholder:"N" help:"Learning rate of Adam (${default})."`
	Halve int     `group:"Training" default:"200000" placeholder:"N" help:"Steps after which the learning rate is halved, again and again (${default})."`
	Held  float64 `group:"Training" default:"0.1" placeholder:"F" help:"Share of the images that is held out and measured at the end (${default})."`

	Resume  bool   `group:"Running" help:"Resume from FILE."`
	Seed    uint64 `group:"Running" default:"0" help:"Seed of weights and patches (${default})."`
	CacheMb int    `group:"Running" default:"4096" placeholder:"MB" help:"Keep decoded images in memory where all fit in this much (${default}; 0 for none)."`
	input
	workers
}

// Help is the end of "augmix superres --help".
func (superresCmd) Help() string {
	return `WHAT IT IS FOR
  The augmentation deepaugment distorts a network that gives images back much as they are. This trains
  one on images of yours: EDSR (Lim et al. 2017), which enlarges images that bicubic interpolation has
  made smaller. At the end it prints the peak signal-to-noise ratio of held-out images, beside that of
  bicubic interpolation.

INTERRUPTING, RESUMING
  FILE is written after every thousand steps, and on Ctrl-C; --resume with the same flags continues, to
  the bytes of a run that was never stopped, with any --workers. One run at a time writes FILE. All
  images are looked at before the first step; one that is smaller than a large patch is an error.

EXAMPLES
  augmix superres photos -o edsr.safetensors --blocks 4 --width 32 --steps 3000 --lr 0.0005
  augmix augment photos -o distorted --crop rrc:64 --mix deepaugment-p1 --network edsr.safetensors
  augmix export edsr.safetensors -o edsr.onnx`
}

// superresResult is the JSON form.
type superresResult struct {
	Out      string   `json:"out"`
	Images   int      `json:"images"`
	Held     int      `json:"held"`
	Measured int      `json:"measured"` // of those that are held out: not one that bicubic interpolation reproduces exactly
	Loss     *float64 `json:"loss"`
	PSNR     *float64 `json:"psnr"` // null where none was measured
	Bicubic  *float64 `json:"bicubic"`
}

// Run trains.
func (c *superresCmd) Run(a *app) error {
	switch {
	case !strings.EqualFold(filepath.Ext(c.Out), ".safetensors"):
		return usagef("-o %s: weights are a safetensors file (allowed: a name that ends in .safetensors)", c.Out)
	case c.CacheMb < 0 || c.CacheMb > 1<<30:
		return usagef("--cache-mb %d (allowed: 0 to %d)", c.CacheMb, 1<<30)
	}
	cache := int64(c.CacheMb) << 20
	if cache == 0 {
		cache = -1 // in the options 0 is the default
	}
	src, err := formats.Open(c.In, c.options(a))
	if err != nil {
		return hintReading(err)
	}
	defer src.Close()
	tellIgnored(a, src.Info())
	var bar *progress.Bar
	stop := func() {
		if bar != nil {
			bar.Stop()
		}
	}
	res, err := superres.Run(a.ctx, superres.Config{
		Network: image2image.EDSR{Blocks: c.Blocks, Width: c.Width, Scale: c.Scale}, Patch: c.Patch, Batch: c.Batch, Steps: c.Steps,
		LR: c.Lr, Halve: c.Halve, Held: c.Held, Seed: c.Seed,
	}, superres.Options{
		File: c.Out, Resume: c.Resume, Train: src, Cache: cache, Workers: c.Workers, OnStep: func(s superres.Step) {
			if bar == nil {
				bar = a.bar("training", progress.Images, c.Steps*c.Batch, (s.Step-1)*c.Batch)
			}
			bar.Set(s.Step*c.Batch, 0)
		},
	})
	stop()
	switch {
	case errors.Is(err, errInterrupted):
		return fmt.Errorf("%w; the same with --resume continues", err)
	case errors.Is(err, superres.ErrConfig):
		return usageError{err}
	case err != nil:
		return err
	}
	number := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	r := superresResult{c.Out, res.Images, res.Held, res.Measured, number(res.Loss), number(res.PSNR), number(res.Bicubic)}
	if a.JSON {
		return a.print(r, func(io.Writer) {})
	}
	a.say("%s", r.text())
	return nil
}

// text is the result in a line.
func (r *superresResult) text() string {
	text := fmt.Sprintf("%s: trained on %s", r.Out, terminal.Count(r.Images, "image"))
	if r.PSNR != nil {
		text += fmt.Sprintf(", %.2f dB on %s, bicubic interpolation %.2f dB", *r.PSNR, terminal.Count(r.Measured, "other"), *r.Bicubic)
	}
	if without := r.Held - r.Measured; without > 0 {
		text += fmt.Sprintf("; %s held out, such as of one color, cannot be measured: bicubic interpolation loses nothing of them",
			terminal.Count(without, "image"))
	}
	return text
}
