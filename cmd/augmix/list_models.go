package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
)

type listModels struct {
	Classes int    `help:"Number of classes." default:"0" placeholder:"N"`
	Spec    string `help:"List this network only, any that the forms allow." placeholder:"SPEC"`
}

// Help is the end of "augmix list models --help".
func (listModels) Help() string {
	return `COLUMNS
  INPUT          images that the network was published for: height, width, channels
  PARAMETERS     values that are trained, in millions (M)
  MULTIPLY-ADDS  of convolutions and linear layers for one image, in millions
Counts are for 10 classes with images of 32x32, for 1000 with larger ones; --classes says otherwise.

EXAMPLES
  augmix list models
  augmix list models --spec wrn-28-10-drop0.3 --classes 100
  augmix list models --json | jq -r '.[] | select(.parameters < 1e6).spec'`
}

type modelRow struct {
	Spec         string `json:"spec"`
	Family       string `json:"family"`
	Form         string `json:"form"` // how specs of the family are written
	Doc          string `json:"doc"`
	Options      string `json:"options,omitempty"`
	Paper        string `json:"paper"`
	Input        [3]int `json:"input"` // height, width, channels
	Classes      int    `json:"classes"`
	Layers       int    `json:"layers"` // convolutions and linear layers
	Parameters   int64  `json:"parameters"`
	MultiplyAdds int64  `json:"multiply_adds"`
}

// Run prints the networks.
func (l *listModels) Run(a *app) error {
	rows, err := l.rows()
	if err != nil {
		return err
	}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "SPEC\tINPUT\tPARAMETERS (M)\tMULTIPLY-ADDS (M)", func(row func(...any)) {
			for _, r := range rows {
				row(r.Spec, fmt.Sprintf("%dx%dx%d", r.Input[0], r.Input[1], r.Input[2]), millions(r.Parameters),
					millions(r.MultiplyAdds))
			}
		})
		for _, e := range models.Table() {
			if l.Spec == "" {
				fmt.Fprint(w, "\n", terminal.Wrap(e.Form+": ", "  ", e.Doc), terminal.Wrap("  paper: ", "    ", e.Paper))
				for line := range strings.Lines(e.Options) {
					fmt.Fprint(w, terminal.Wrap("  ", "    ", line))
				}
			}
		}
	})
}

func (l *listModels) rows() ([]modelRow, error) {
	if l.Classes < 0 {
		return nil, usagef("--classes %d (allowed: 1 and up)", l.Classes)
	}
	if l.Spec != "" {
		e, err := models.Find(l.Spec)
		if err != nil {
			return nil, usageError{err}
		}
		r, err := l.row(e, l.Spec)
		return []modelRow{r}, err
	}
	var rows []modelRow
	for _, e := range models.Table() {
		for _, spec := range e.Specs {
			r, err := l.row(&e, spec)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (l *listModels) row(e *models.Entry, spec string) (modelRow, error) {
	classes := l.Classes
	if classes == 0 {
		if classes = 1000; e.Input.H == 32 {
			classes = 10
		}
	}
	g, err := models.Build(spec, e.Input, classes)
	if err != nil {
		return modelRow{}, usageError{err}
	}
	r := modelRow{
		Spec: spec, Family: e.Name, Form: e.Form, Doc: e.Doc, Options: e.Options, Paper: e.Paper,
		Input: [3]int{e.Input.H, e.Input.W, e.Input.C}, Classes: classes,
		Parameters: g.Parameters(), MultiplyAdds: g.MultiplyAdds(),
	}
	for _, n := range g.Nodes {
		switch n.Op.(type) {
		case graph.Conv, graph.LearnedGroupConv, graph.Linear:
			r.Layers++
		}
	}
	return r, nil
}

// millions writes three digits.
func millions(n int64) string {
	v := float64(n) / 1e6
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
