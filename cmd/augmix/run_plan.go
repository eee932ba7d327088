package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// plannedStage is one line of the plan.
type plannedStage struct {
	Stage   string   `json:"stage"`
	Args    []string `json:"args"`
	Done    bool     `json:"done"`
	Seconds float64  `json:"seconds,omitempty"` // estimated, or measured where it is done
}

// printPlan says what is done and what is left. Standard output gets it where it was asked for.
func (l *loop) printPlan(a *app, asked bool) error {
	var plan []plannedStage
	left := 0.0
	speeds := map[string]speed{}
	for i := range l.stages {
		s := &l.stages[i]
		p := plannedStage{Stage: s.Name, Args: s.Args, Done: l.done(s)}
		if p.Done {
			p.Seconds = l.stamps[s.Name].Seconds
		} else {
			p.Seconds = l.estimate(a.ctx, s, speeds)
			left += p.Seconds
		}
		plan = append(plan, p)
	}
	text := func(w io.Writer) {
		if l.about != "" {
			fmt.Fprintf(w, "%s\n", l.about)
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, p := range plan {
			took := "about " + roughly(p.Seconds)
			switch {
			case p.Done:
				took = "done, took " + roughly(p.Seconds)
			case p.Seconds == 0:
				took = "seconds"
			}
			fmt.Fprintf(t, "  %s\t%s\n", p.Stage, took)
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
		text(a.err)
	}
	return nil
}

// roughly prints a duration to two figures.
func roughly(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}

// speed is what a network does on this machine, measured by one batch: images a second.
type speed struct {
	train, predict float64
	samples, tests int // of the data sets
}

// estimate returns the seconds that a stage may take; 0 where that cannot be told.
func (l *loop) estimate(ctx context.Context, s *stage, known map[string]speed) float64 {
	method := s.Eval
	var r *train.Recipe
	if s.Recipe != nil {
		r = s.Recipe
	} else {
		for i := range l.stages {
			if t := &l.stages[i]; t.Recipe != nil && t.Name == "train "+method {
				r = t.Recipe
			}
		}
	}
	if r == nil {
		return 0
	}
	at, ok := known[r.Model]
	if !ok {
		at = measureSpeed(r, l.test)
		known[r.Model] = at
	}
	if at.train == 0 {
		return 0
	}
	if s.Recipe == nil {
		passes, limit := evalPasses(s.Args)
		tests := at.tests
		if limit > 0 {
			tests = min(tests, limit)
		}
		return float64(tests*passes) / at.predict
	}
	return float64(r.Epochs*at.samples)*passesOf(r)/at.train + drawingTime(ctx, r)
}

// passesOf is how much more a step of a recipe costs than a plain one, by the images that go through the network.
func passesOf(r *train.Recipe) float64 {
	switch {
	case r.JSD:
		return float64(r.Views)
	case r.Adversarial:
		return float64(1 + r.AdvSteps)
	case r.Outliers != "":
		return 1 + float64(r.OutlierBatch)/float64(r.Batch)
	case r.Stability > 0:
		return 2
	}
	return 1
}

// measureSpeed trains one batch of noise. Whatever goes wrong here goes wrong again where it is reported.
func measureSpeed(r *train.Recipe, test string) (s speed) {
	s.samples, s.tests = countSamples(r.Data, "train"), countSamples(test, "test")
	input, err := models.Input(r.Model)
	if err != nil {
		return speed{}
	}
	if crop, err := transform.ParseCrop(r.Crop); err == nil && crop.N > 0 {
		input.H, input.W = crop.N, crop.N
	}
	g, err := models.Build(r.Model, input, 10)
	if err != nil {
		return speed{}
	}
	const batch = 32
	net, err := nn.New(g, nn.Options{Workers: r.Workers, Batch: batch, Train: true})
	if err != nil {
		return speed{}
	}
	net.Init(rng.NewKey(1))
	x := make([]float32, batch*input.Len())
	labels, d := make([]int, batch), make([]float32, batch*10)
	random := rng.New(1)
	random.FillNormal32(x)
	step := func() {
		nn.CrossEntropy(d, net.Forward(x, batch, nn.Mode{Train: true}), labels, 10, 0)
		net.Backward(d)
	}
	s.train = batch / fastest(step)
	s.predict = batch / fastest(func() { net.Forward(x, batch, nn.Mode{}) })
	return s
}

// fastest returns the least of three times, in seconds, after a first that makes the buffers.
func fastest(f func()) float64 {
	least := math.Inf(1)
	for i := range 4 {
		start := time.Now()
		f()
		if took := time.Since(start).Seconds(); i > 0 {
			least = min(least, took)
		}
	}
	return least
}

// countSamples returns 0 where that is not known beforehand.
func countSamples(path, split string) int {
	src, _, err := formats.OpenSplit(path, formats.Options{}, split)
	if err != nil {
		return 0
	}
	defer src.Close()
	return max(src.Info().Len, 0)
}

// evalPasses is how many images an evaluation sends through the network for each of the test set, and how many of that it
// looks at; 0 for all.
func evalPasses(args []string) (passes, limit int) {
	for i, arg := range args[:len(args)-1] {
		switch arg {
		case "--suite":
			for name := range strings.SplitSeq(args[i+1], ",") {
				for _, s := range evalSuites {
					if s.name == name {
						passes += s.passes
					}
				}
			}
		case "--limit":
			limit, _ = strconv.Atoi(args[i+1]) // the command itself says what is wrong with it
		}
	}
	if slices.Contains(args, "--ten-crop") {
		passes *= 10
	}
	return passes, limit
}

// tell prints the table of the methods side by side.
func (l *loop) tell(a *app) error {
	var rows []results.Row
	for _, m := range l.models {
		some, err := results.ReadFile(filepath.Join(l.dir, m, "eval", results.FileName))
		if err != nil {
			return err
		}
		rows = append(rows, results.Rows(some)...)
	}
	if err := a.print(evalJSON(rows), func(w io.Writer) { compareTable(w, l.models, rows) }); err != nil {
		return err
	}
	a.say("%s", filepath.Join(l.dir, "report.html"))
	return nil
}
