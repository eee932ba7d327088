package main

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/terminal"
)

// quickstartCmd runs the recipe quickstart.
type quickstartCmd struct {
	Out     string  `short:"o" default:"quickstart" placeholder:"DIR" help:"Folder of everything that is made (${default})."`
	Data    string  `placeholder:"SRC" help:"Your own labeled images instead of drawn shapes: CIFAR, or a folder that holds train and test (or val, which validates where both are there)."`
	Test    string  `placeholder:"SRC" help:"The test set, where SRC does not hold it."`
	Seed    *uint64 `placeholder:"N" help:"Seed of training, in place of the recipe's (1)."`
	Workers int     `short:"j" placeholder:"N" help:"Workers (all cores)."`
	Plan    bool    `help:"Print what would be done and how long it may take, and stop."`
}

// Help is the end of "augmix quickstart --help".
func (quickstartCmd) Help() string {
	return `WHAT IT DOES
  It trains a small network three times: plainly, with AugMix and its consistency loss, and with PixMix,
  on 300 images of ten shapes that it draws itself, few enough that plain training is overconfident.
  It measures each on clean images, under the 15 corruptions at five severities, on perturbation
  sequences, under attack and on noise, and writes DIR/report.html, a contact sheet DIR/sheet.png, the
  networks and all numbers. It needs no file and no network. The same seed gives the same images;
  networks and numbers are the same bit for bit on every machine.

  It is "augmix run" on DIR/recipe.yaml. If it is stopped, the same command resumes it.

EXAMPLES
  augmix quickstart
  augmix quickstart --data cifar-10-batches-bin -o quick-cifar
  augmix quickstart --data photos/train --test photos/val -o quick-photos`
}

// Run runs.
func (c *quickstartCmd) Run(a *app) error {
	if c.Test != "" && c.Data == "" {
		return usagef("--test needs --data")
	}
	q := experiment.Quickstart{Dir: c.Out, Data: c.Data, Test: c.Test, Log: a.detail}
	run := runCmd{Out: c.Out, Seed: c.Seed, Workers: c.Workers, Plan: c.Plan}
	var err error
	if c.Plan {
		run.File, run.text, err = q.Recipe()
	} else {
		run.File, err = q.WriteRecipe()
	}
	if err != nil {
		return err
	}
	err = run.Run(a)
	if err == nil && !c.Plan && !a.Quiet {
		text := fmt.Sprintf(quickNext, shellWords([]string{"augmix", "studio", "--runs", c.Out}))
		_, err = io.WriteString(a.err, terminal.Printable(text))
	}
	return err
}

// quickNext says what the table means, whatever is in it.
const quickNext = `
C error is the error under 15 corruptions such as noise, blur and fog, which no training saw; the calibration
error on C says how far the network's confidence is from its accuracy there, and for both lower is better. OOD
AUROC says how well low confidence tells noise from images: 100 is perfect, 50 a guess. The report has intervals.

Next: look at the images and the networks' mistakes, or do the same with images of your own.
  %s
  augmix quickstart --data photos/train --test photos/val -o quick-photos
`
