package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/train"
)

// runCmd takes data to report: it trains each method of a recipe, evaluates it, and compares them.
type runCmd struct {
	File string `arg:"" name:"RECIPE" help:"YAML file, or the name of a built-in recipe (augmix list recipes)."`
	Out  string `short:"o" required:"" placeholder:"DIR" help:"Folder of everything that is made."`

	Method  []string `placeholder:"NAME" help:"Methods of RECIPE, separated by commas; by default those that its key run lists, or all."`
	Data    string   `placeholder:"SRC" help:"Training data, in place of the recipe's."`
	Weights string   `placeholder:"FILE" help:"What methods start from whose weights RECIPE leaves to you."`
	Test    string   `placeholder:"SRC" help:"Labeled test set, in place of the recipe's."`
	Suite   []string `placeholder:"NAME" help:"What to measure (augmix eval --suite), in place of the recipe's."`
	Limit   int      `placeholder:"N" help:"Evaluate on N samples of the test set only."`
	Seed    *uint64  `placeholder:"N" help:"Seed of training, in place of the recipe's."`
	Workers int      `short:"j" placeholder:"N" help:"Workers (all cores)."`
	Plan    bool     `help:"Print what would be done, what is done already and how long the rest may take, and stop."`

	Styles       string `placeholder:"SET" help:"Images whose styles methods take where RECIPE leaves them to you."`
	Network      string `placeholder:"FILE" help:"Weights of the network that methods distort whose file RECIPE leaves to you."`
	StyleWeights string `placeholder:"FILE" help:"Weights of the style transfer network of such methods."`

	text []byte // of File, where that is not written
}

// Help is the end of "augmix run --help".
func (runCmd) Help() string {
	return `STAGES
  train METHOD   augmix train, into DIR/METHOD
  eval METHOD    augmix eval of its last weights, into DIR/METHOD/eval
  sheet          DIR/sheet.png: images of the test set under each method's augmentation
  report         DIR/report.html and DIR/report.md, the methods side by side
  The command that does the same as a stage is printed before the stage runs. A stage whose options
  and inputs are those of the last time is not run again; one that was stopped resumes from its last
  checkpoint or measurement. One whose data changed is done anew, and an evaluation whose network did;
  what it had made is kept in DIR/METHOD-old or DIR/METHOD/eval-old.

RECIPE
  The keys of augmix train, methods, and

    run:
      methods: [standard, augmix]     in this order; the first is what the others are compared with
      test: cifar-10-batches-bin      the test set; by default val, or the test part of data
      seen: known subtypes            measure what val-only leaves out too, as the part of this name
      suites: [clean, c]              of augmix eval
      eval: {limit: 1000}             more flags of augmix eval

EXAMPLES
  augmix run quickstart -o quick
  augmix run cifar10-wrn-40-2 --data cifar-10-batches-bin --method standard,augmix -o runs
  augmix run imagenet-resnet50-pixmix --weights resnet50.safetensors -o runs
  augmix run imagenet-resnet50-sin --styles paintings --style-weights magenta_style.npz -o runs
  augmix run my.yaml -o runs --plan`
}

// Run runs the stages.
func (c *runCmd) Run(a *app) error {
	stop := func() {}
	x, err := experiment.New(c.File, experiment.Options{
		Dir: c.Out, Text: c.text, Methods: c.Method, Data: c.Data, Weights: c.Weights, Test: c.Test, Suites: c.Suite, Limit: c.Limit, Seed: c.Seed,
		Styles: c.Styles, StyleWeights: c.StyleWeights, Network: c.Network, Workers: c.Workers, Versions: versions(),
		Before: func(s *experiment.Stage) {
			stop()
			stop = a.watchStage(s)
		},
	})
	if err != nil {
		return err
	}
	if err := a.printPlan(x, c.Plan); err != nil {
		return err
	}
	if c.Plan {
		return x.Check() // which Run begins with
	}
	err = x.Run(a.ctx)
	stop()
	if errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w; the same command resumes there", err)
	}
	if errors.Is(err, train.ErrOccupied) {
		longer := []string{"augmix", "train", "--resume", "--epochs", "N", "-o", filepath.Join(c.Out, "METHOD")}
		return fmt.Errorf("%w\n(another -o begins anew; %s gives a method more epochs, and the same command goes on from there)", err, shellWords(longer))
	}
	if err != nil {
		return err
	}
	rows, err := x.Rows()
	if err != nil {
		return err
	}
	if err := a.print(evalJSON(rows), func(w io.Writer) { report.WriteComparison(w, x.Models(), rows) }); err != nil {
		return err
	}
	a.say("open %s", filepath.Join(c.Out, experiment.ReportName))
	return nil
}

// watchStage prints a stage as the command that it is, and makes it tell how it goes. The result ends that.
func (a *app) watchStage(s *experiment.Stage) (stop func()) {
	if s.Kept != "" {
		a.say("%s: what it reads changed; what was made of that before is kept in %s", s.Name, s.Kept)
	}
	a.say("%s: augmix %s", s.Name, shellWords(stageArgs(s)))
	switch {
	case s.Train != nil:
		s.Train.Log, s.Train.Say = a.detail, a.say
		return a.watchTraining(s.Train)
	case s.Eval != nil:
		s.Eval.Log = a.detail
		return a.watchEval(s.Eval)
	}
	return func() {}
}

// plannedStage is one line of the plan.
type plannedStage struct {
	Stage   string   `json:"stage"`
	Args    []string `json:"args"` // of augmix
	Done    bool     `json:"done"`
	Seconds float64  `json:"seconds,omitempty"` // estimated, or measured where it is done
}

// printPlan says what is done and what is left. Standard output gets it where it was asked for.
func (a *app) printPlan(x *experiment.Experiment, asked bool) error {
	var plan []plannedStage
	var left time.Duration
	statuses := x.Plan(a.ctx)
	for _, s := range statuses {
		plan = append(plan, plannedStage{s.Stage.Name, stageArgs(s.Stage), s.Done, s.Took.Seconds()})
		if !s.Done {
			left += s.Took
		}
	}
	text := func(w io.Writer) {
		if x.About != "" {
			fmt.Fprintf(w, "%s\n", x.About)
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, s := range statuses {
			took := "about " + roughly(s.Took)
			switch {
			case s.Done:
				took = "done, took " + roughly(s.Took)
			case s.Took == 0:
				took = "seconds"
			}
			fmt.Fprintf(t, "  %s\t%s\n", s.Stage.Name, took)
		}
		_ = t.Flush()
		if left > 0 {
			fmt.Fprintf(w, "  left: about %s on this machine\n", roughly(left))
		}
	}
	if asked {
		return a.print(plan, text)
	}
	if !a.Quiet {
		var b strings.Builder
		text(&b)
		_, err := io.WriteString(a.err, terminal.Printable(b.String()))
		return err
	}
	return nil
}

// roughly prints a duration to two figures.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
