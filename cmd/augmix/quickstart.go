package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
)

// quickstartCmd runs the recipe quickstart.
type quickstartCmd struct {
	Out  string `short:"o" default:"quickstart" placeholder:"DIR" help:"Folder of everything that is made (${default})."`
	Data string `placeholder:"SRC" help:"Your own labelled images instead of drawn shapes: CIFAR, or a folder that holds train and test (or val)."`
	Test string `placeholder:"SRC" help:"The test set, where SRC does not hold it."`
	Seed string `placeholder:"N" help:"Seed of every random choice (1)."`
	Jobs int    `short:"j" placeholder:"N" help:"Workers (all cores)."`
	Plan bool   `help:"Print what would be done and how long it may take, and stop."`
}

// Help is the end of "augmix quickstart --help".
func (quickstartCmd) Help() string {
	return `WHAT IT DOES
  Trains a small network three times, plainly, with AugMix and its consistency loss, and with PixMix,
  on images of ten shapes that it draws itself. Measures each on clean images, under the 15
  corruptions at five severities, on perturbation sequences, under an adversary and on noise, and
  writes DIR/report.html, a contact sheet DIR/sheet.png, the networks and all numbers. It needs no
  file and no network. The same seed gives the same images; networks are the same bit for bit on the
  same kind of processor with the same number of workers.

  It is "augmix run" on DIR/recipe.yaml. Stopped, it goes on where it was; done, it has nothing to do.

EXAMPLES
  augmix quickstart
  augmix quickstart --data cifar-10-batches-bin -o quick-cifar
  augmix quickstart --data photos/train --test photos/val -o quick-photos`
}

// quickRecipe is what DIR/recipe.yaml holds beside its base.
type quickRecipe struct {
	Base      string   `yaml:"base"`
	About     string   `yaml:"about,omitempty"`
	Data      string   `yaml:"data,omitempty"`
	Valid     string   `yaml:"valid,omitempty"`
	Size      int      `yaml:"size,omitempty"`
	ValidSize int      `yaml:"valid-size,omitempty"`
	Crop      string   `yaml:"crop,omitempty"`
	Run       *runKeys `yaml:"run,omitempty"`
}

// quickTests is how many test images of the user's own are measured at most.
const quickTests = 500

// quickSide is the side of the images that the small network takes.
const quickSide = 32

// Run runs.
func (c *quickstartCmd) Run(a *app) error {
	r := quickRecipe{Base: "quickstart.yaml"}
	if c.Test != "" && c.Data == "" {
		return usagef("--test needs --data")
	}
	if c.Data != "" {
		if err := c.own(a, &r); err != nil {
			return err
		}
	}
	text, err := yaml.Marshal(&r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	path := filepath.Join(c.Out, "recipe.yaml")
	text = append([]byte("# augmix quickstart; its base is shown by augmix list recipes\n"), text...)
	if err := data.WriteFileAtomic(path, text); err != nil {
		return err
	}
	return (&runCmd{File: path, Out: c.Out, Seed: c.Seed, Jobs: c.Jobs, Plan: c.Plan}).Run(a)
}

// own sets the recipe to the user's images.
func (c *quickstartCmd) own(a *app, r *quickRecipe) error {
	r.Data, r.Valid = c.Data, c.Test
	if r.Valid == "" && isDir(filepath.Join(c.Data, "train")) {
		for _, name := range []string{"test", "val", "valid", "validation"} {
			if dir := filepath.Join(c.Data, name); isDir(dir) {
				r.Data, r.Valid = filepath.Join(c.Data, "train"), dir
				break
			}
		}
	}
	src, _, err := formats.OpenSplit(r.Data, formats.Options{}, "train")
	if err != nil {
		return err
	}
	defer src.Close()
	info := src.Info()
	if r.Valid == "" && info.Format != "cifar10" && info.Format != "cifar100" {
		return usagef("--data %s has no test set (allowed: a CIFAR set, a folder with train and test in it, or --test SRC)", c.Data)
	}
	if r.Valid == "" {
		r.Valid = c.Data
	}
	if len(info.Classes) < 2 {
		return usagef("--data %s has %d classes (allowed: 2 and up)", c.Data, len(info.Classes))
	}
	r.About = fmt.Sprintf("Quick start: AugMix's table 1 in miniature, on %s", c.Data)
	r.Run = &runKeys{
		Methods: []string{"standard", "augmix", "pixmix"}, Test: r.Valid, Suites: []string{"clean", "c", "calibration", "anomalies"},
	}
	// Rows of a part of a set say so, and reports do not compare them: a set that is small enough is measured whole.
	if n := countSamples(r.Valid, "test"); n == 0 || n > quickTests {
		r.Run.Eval = []string{"--limit", fmt.Sprint(quickTests)}
	}
	if info.Format == "cifar10" || info.Format == "cifar100" {
		r.Run.TestSplit = "test"
		return nil
	}
	w, h, err := data.FirstSize(src)
	if err != nil {
		return err
	}
	if w != quickSide || h != quickSide {
		r.Size, r.ValidSize, r.Crop = quickSide*9/8, quickSide, fmt.Sprintf("random:%d", quickSide)
	}
	a.detail("images are %dx%d, the network takes %dx%[3]d", w, h, quickSide)
	return nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
