package main

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/score"
)

// options checks the command line.
func (c *scoreCmd) options() (f score.Files, o score.Options, err error) {
	if c.Compare != "" && c.Bootstrap == 0 {
		c.Bootstrap = 1000
	}
	f = score.Files{Layout: predictions.Layout(c.Layout), OOD: c.Ood, Frames: c.Frames, Severity: c.Severity, Workers: c.Workers}
	o = score.Options{
		Dataset: c.Dataset, Difficulty: c.Difficulty, Zipf: c.Zipf, PerClass: c.PerClass || c.Confusion != "", Keep: c.Compare != "" || c.Records != "",
		Versions: map[string]string{"augmix": build().Version, "go": runtime.Version()}, Time: time.Now(),
		Bootstrap: score.Bootstrap{Replicates: c.Bootstrap, Level: c.Level, Seed: c.Seed},
	}
	if c.Layout == "ood" {
		f.Layout = predictions.Single
	}
	switch {
	case c.Layout == "ood" && len(c.Ood) == 0:
		err = usagef("--layout ood without --ood: predictions of out-of-distribution images are needed")
	case c.Workers < 0 || c.Workers > 1<<12:
		err = usagef("--workers %d (allowed: 1 to %d, 0 for all cores)", c.Workers, 1<<12)
	case c.Bootstrap < 0 || c.Bootstrap == 1 || c.Bootstrap > 1e6:
		err = usagef("--bootstrap %d (allowed: 2 to 1000000, 0 for no intervals)", c.Bootstrap)
	case !(c.Level > 0 && c.Level < 1):
		err = usagef("--level %v (allowed: above 0 and below 1)", c.Level)
	case c.Severity < 0 || c.Severity > 5:
		err = usagef("--severity %d (allowed: 1 to 5)", c.Severity)
	case c.Difficulty < 1 || c.Difficulty > 1000:
		err = usagef("--difficulty %d (allowed: 1 to 1000)", c.Difficulty)
	case c.Frames < 0:
		err = usagef("--frames %d (allowed: 2 and up)", c.Frames)
	case c.Ensemble && len(c.Pred) < 2:
		err = usagef("--ensemble of one model (allowed: two or more PRED)")
	case len(c.Ood) > 0 && len(c.Pred) > 1:
		err = usagef("--ood: %d models (allowed: one PRED, as predictions of out-of-distribution images are of one model)", len(c.Pred))
	case len(c.Ood) > 0 && c.Compare != "":
		err = usagef("--ood with --compare (allowed: one of them, as predictions of out-of-distribution images are of one model)")
	case c.Confusion != "" && len(c.Pred) > 1:
		err = usagef("--confusion %s: %d models (allowed: one PRED)", c.Confusion, len(c.Pred))
	case len(c.Model) > 0 && len(c.Model) != len(c.Pred):
		err = usagef("--model: %s for %s (allowed: --model NAME once for each, or none)", terminal.Count(len(c.Model), "name"),
			terminal.Count(len(c.Pred), "model"))
	}
	if err != nil {
		return f, o, err
	}
	if f.Kind, err = predictions.ParseKind(c.Kind); err != nil {
		return f, o, usageError{err}
	}
	if err := c.readBins(&o.Metrics); err != nil {
		return f, o, err
	}
	if c.Labels != "" {
		if f.Labels, err = predictions.ReadLabels(c.Labels); err != nil {
			return f, o, err
		}
	}
	switch c.Baseline {
	case "auto":
	case "alexnet":
		o.Baseline.Required = true
	case "none":
		o.Baseline.None = true
	default:
		o.Baseline, err = score.ReadBaseline(c.Baseline)
	}
	return f, o, err
}

// readBins reads --bins.
func (c *scoreCmd) readBins(m *score.Metrics) error {
	m.Published = c.ReferenceBinning
	said := map[string]bool{}
	for _, text := range c.Bins {
		how, number, _ := strings.Cut(text, ":")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || how == "equal" && n > 10000 || how != "equal" && how != "adaptive" {
			return usagef("--bins %s (allowed: adaptive:N, N rows in a bin; equal:N, 1 to 10000 bins)", text)
		}
		if said[how] {
			return usagef("--bins %s: %s bins twice (allowed: one adaptive:N and one equal:N)", text, how)
		}
		said[how] = true
		if how == "equal" {
			m.Bins = n
		} else {
			m.Adaptive.Size = n
		}
	}
	return nil
}
