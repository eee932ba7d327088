package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/train"
)

// watchTraining makes a training tell how it goes. The result ends that.
func (a *app) watchTraining(t *experiment.Train) (stop func()) {
	var plan *train.Plan
	var bar *progress.Bar
	var first int // images of bar that an earlier run saw
	var visualizing bool
	stop = func() {
		if bar != nil {
			bar.Stop()
		}
		bar = nil
	}
	epochs := t.Config.Epochs
	t.OnBegin = func(p *train.Plan) {
		plan = p
		a.say("%s: %s parameters, %s of %s, %d for validation", p.Model.Name, thousands(p.Model.Parameters()),
			terminal.Count(p.Samples, "sample"), terminal.Count(p.Classes, "class"), p.Val)
		if !p.InMemory {
			a.detail("the images are decoded again in every epoch (--cache-mb %d)", t.Config.CacheMB)
		}
		if p.Val == 0 {
			a.say("no validation data: errors are of the training images; --val SRC or --val-fraction 0.1 measures others and keeps the best epoch")
		}
		for _, what := range p.Otherwise {
			a.say("%s was trained on images with %s", t.Config.Weights, what)
		}
		if len(p.TrainedOn) > 0 {
			a.say("the files of weights say that the network was trained on %s before this run, or on images made with that",
				strings.Join(slices.Sorted(maps.Values(p.TrainedOn)), ", "))
		}
		if p.StartEpoch > 0 || p.StartInEpoch > 0 {
			a.say("resuming after %s and %s", terminal.Count(p.StartEpoch, "epoch"), terminal.Count(p.StartInEpoch, "step"))
		}
		if p.Extending {
			a.say("extending the run from %d to %d epochs: the learning rate goes on at %.3g, after %.3g (schedule %s)",
				p.Extended[len(p.Extended)-1].From, epochs, p.LR, p.LastLR, t.Config.Schedule)
		}
		if p.Dropped > 0 {
			a.say("%s: %s of evaluations of the shorter run removed", filepath.Join(t.Dir, train.ResultsName),
				terminal.Count(p.Dropped, "row"))
		}
	}
	t.OnStep = func(s *train.Step) {
		every := 1 // epochs of a bar: up to one that is told
		if plan.Val > 0 && !a.Verbose {
			every = t.Config.EvalEvery
		}
		begin := s.Epoch - s.Epoch%every
		label, before := fmt.Sprintf("epoch %d/%d", s.Epoch+1, epochs), (s.Epoch-begin)*plan.Samples
		if bar == nil {
			first = before + s.First
			bar = a.bar(label, progress.Images, (min(begin+every, epochs)-begin)*plan.Samples, first)
		}
		bar.Relabel(label, first)
		bar.Set(before+s.Samples, 0)
	}
	t.OnEpoch = func(e *train.Epoch) {
		if e.Validated || plan.Val == 0 || a.Verbose {
			stop()
		}
		a.sayEpoch(e, epochs, plan.Val > 0)
	}
	t.OnVisualize = func(v *train.Visualization) {
		label := fmt.Sprintf("epoch %d/%d", v.Epoch+1, epochs)
		if !visualizing {
			stop()
			bar, visualizing = a.bar(label+": mixing set", progress.Images, v.Count, 0), true
		}
		if bar.Set(v.Done, 0); v.Done == v.Count {
			stop()
			visualizing = false
			a.say("%s: %d feature visualizations of the network made in %s", label, v.Count,
				progress.Duration(v.Took.Round(100*time.Millisecond)))
		}
	}
	return stop
}

// sayEpoch says an epoch that was not validated only with -v where others are: a small data set has many.
func (a *app) sayEpoch(e *train.Epoch, epochs int, validates bool) {
	say := a.say
	text := fmt.Sprintf("epoch %d/%d: loss %.4f, %s images/s", e.Epoch, epochs, e.TrainLoss, progress.Number(e.ImagesPerS))
	if e.Validated {
		text += fmt.Sprintf(", error %.2f %%", 100*e.Error)
		if e.Best {
			text += " (best)"
		}
	} else {
		text += fmt.Sprintf(", training error %.2f %%", 100*e.TrainError)
		if validates {
			say = a.detail
		}
	}
	if e.Left > 0 {
		text += ", " + progress.Duration(e.Left.Round(time.Second)) + " left"
	}
	say("%s", text)
}

// trainSummary is the JSON form of a run's end.
type trainSummary struct {
	Run       string   `json:"run"`
	Epochs    int      `json:"epochs"`
	Error     *float64 `json:"error"` // null without validation
	Best      *float64 `json:"best"`
	BestEpoch int      `json:"best_epoch"`
}

func (c *trainCmd) tell(a *app, res train.Result) error {
	number := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	s := trainSummary{Run: c.Out, Epochs: res.Epochs, Error: number(res.Error), Best: number(res.Best), BestEpoch: res.BestEpoch}
	if a.JSON {
		return a.print(s, func(io.Writer) {})
	}
	text := fmt.Sprintf("%s: %s", c.Out, terminal.Count(res.Epochs, "epoch"))
	if s.Error != nil {
		text += fmt.Sprintf(", error %.2f %%, best %.2f %% after epoch %d", 100*res.Error, 100*res.Best, res.BestEpoch)
	}
	a.say("%s", text)
	return nil
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
