package main

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
)

// evalPlan is the JSON form of what an evaluation would do.
type evalPlan struct {
	Model   string      `json:"model"`
	Dataset string      `json:"dataset"`
	Images  int         `json:"images"`
	Suites  []suitePlan `json:"suites"`
	Passes  int         `json:"passes"` // images through the model
	Logits  int64       `json:"logits_bytes"`
	Seconds float64     `json:"seconds"`
	out     string
}

// suitePlan is that of one suite.
type suitePlan struct {
	Name         string  `json:"name"`
	Measurements int     `json:"measurements"`
	Passes       int     `json:"passes"`
	Seconds      float64 `json:"seconds"`
}

// printEvalPlan says what an evaluation into the folder out would do.
func (a *app) printEvalPlan(p *experiment.EvalPlan, out string) error {
	r := evalPlan{
		Model: p.Model, Dataset: p.Dataset, Images: p.Images, Passes: p.Passes, Logits: p.Logits, Seconds: p.Time.Seconds(), out: out,
	}
	for _, s := range p.Suites {
		r.Suites = append(r.Suites, suitePlan{s.Name, s.Measurements, s.Passes, s.Time.Seconds()})
	}
	return a.print(r, func(w io.Writer) { r.text(w, p) })
}

func (r *evalPlan) text(w io.Writer, p *experiment.EvalPlan) {
	terminal.Table(w, "SUITE\tMEASUREMENTS\tIMAGES THROUGH THE MODEL\tABOUT", func(row func(...any)) {
		for _, s := range p.Suites {
			row(s.Name, s.Measurements, s.Passes, progress.Duration(s.Time))
		}
	})
	fmt.Fprintf(w, "%s on %s of %s: %s through the model, about %s on this machine", terminal.OneLine(r.Model),
		terminal.Count(r.Images, "image"), terminal.OneLine(r.Dataset), terminal.Count(r.Passes, "image"), progress.Duration(p.Time))
	if r.Logits > 0 {
		fmt.Fprintf(w, "; logits of %s", progress.Size(r.Logits))
	}
	fmt.Fprintln(w, "\nestimated from the forms of a few images and a batch of noise; nothing was measured or written")
	if r.out != "" {
		fmt.Fprintf(w, "what %s has already is not measured again\n", terminal.OneLine(r.out))
	}
}
