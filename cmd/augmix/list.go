package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/mix"
)

// listCmd prints the tables that names on the command line come from.
type listCmd struct {
	Corruptions   listCorruptions   `cmd:"" help:"List the corruptions of augmix corrupt: sets, kinds, limits, parity."`
	Perturbations listPerturbations `cmd:"" help:"List the perturbations of augmix perturb: frames, difficulties."`
	Profiles      listProfiles      `cmd:"" help:"List the built-in profiles of augmix corrupt --profile, with their corruptions."`
	Ops           listOps           `cmd:"" help:"List the operations of --op, with their parameters."`
	Mixes         listMixes         `cmd:"" help:"List the augmentations of --mix, with their options and papers."`
	Mixsets       listMixsets       `cmd:"" help:"List the kinds of generated mixing sets, for --mixset."`
	Models        listModels        `cmd:"" help:"List the networks: parameters, multiply-adds, papers."`
	Recipes       listRecipes       `cmd:"" help:"List the built-in recipes, with their methods."`
	Classes       listClasses       `cmd:"" help:"List what lies below broad classes in WordNet, for --classes."`
	Formats       listFormats       `cmd:"" help:"List the data formats that are read and written."`
	Published     listPublished     `cmd:"" help:"List numbers that the papers print."`
}

type (
	listOps     struct{}
	listMixes   struct{}
	listFormats struct{}
)

// Help is the end of "augmix list ops --help".
func (listOps) Help() string {
	return `EXAMPLES
  augmix list ops
  augmix list ops --json | jq -r '.[].name'`
}

// Help is the end of "augmix list mixes --help".
func (listMixes) Help() string {
	return `EXAMPLES
  augmix list mixes`
}

// Help is the end of "augmix list formats --help".
func (listFormats) Help() string {
	return `EXAMPLES
  augmix list formats`
}

type opRow struct {
	Name   string    `json:"name"`
	Doc    string    `json:"doc"`
	Param  string    `json:"param,omitempty"`
	Range  []float64 `json:"range,omitempty"` // least and greatest parameter
	Levels bool      `json:"levels"`          // NAME@LEVEL is allowed
	AugMix string    `json:"augmix"`          // "yes", "all" (in the set of thirteen only), "no"
}

// Run prints the operations.
func (*listOps) Run(a *app) error {
	var rows []opRow
	for _, o := range augment.Ops() {
		r := opRow{Name: o.Name, Doc: o.Doc, Param: o.Param, Levels: o.HasLevel(), AugMix: "no"}
		if o.Param != "" {
			r.Range = []float64{o.Min, o.Max}
		}
		switch {
		case o.AugMix && o.Overlap:
			r.AugMix = "all"
		case o.AugMix:
			r.AugMix = "yes"
		}
		rows = append(rows, r)
	}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "NAME\tPARAMETER\tRANGE\tAUGMIX\tWHAT IT DOES", func(row func(...any)) {
			for _, r := range rows {
				param, span := "-", "-"
				if r.Param != "" {
					param, span = r.Param, fmt.Sprintf("%.0f to %.0f", r.Range[0], r.Range[1])
				}
				row(r.Name, param, span, r.AugMix, r.Doc)
			}
		})
	})
}

type mixRow struct {
	Name    string       `json:"name"`
	Doc     string       `json:"doc"`
	Spec    string       `json:"spec"` // the default, written out
	Options []mix.Option `json:"options,omitempty"`
	Paper   string       `json:"paper,omitempty"`
}

// Run prints the methods.
func (*listMixes) Run(a *app) error {
	var rows []mixRow
	for _, e := range mix.Table() {
		rows = append(rows, mixRow{e.Name, e.Doc, e.Spec, e.Options, e.Paper})
	}
	return a.print(rows, func(w io.Writer) {
		for i, r := range rows {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprint(w, terminal.Wrap(r.Name+": ", "  ", r.Doc))
			if r.Paper != "" {
				fmt.Fprint(w, terminal.Wrap("  paper    ", "           ", r.Paper))
			}
			fmt.Fprintf(w, "  default  %s\n", r.Spec)
			width := 11
			for _, o := range r.Options {
				width = max(width, len(o.Form()))
			}
			title := "options"
			for _, o := range r.Options {
				fmt.Fprint(w, terminal.Wrap(fmt.Sprintf("  %-8s %-*s ", title, width, o.Form()), strings.Repeat(" ", 12+width), o.Help()))
				title = ""
			}
		}
	})
}

type formatRow struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Read  bool   `json:"read"`
	Write bool   `json:"write"`
}

// Run prints the formats.
func (*listFormats) Run(a *app) error {
	var rows []formatRow
	for _, f := range formats.Table() {
		rows = append(rows, formatRow{f.Name, f.Doc, f.Read, f.Write})
	}
	yes := map[bool]string{true: "yes", false: "no"}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "NAME\tREAD\tWRITE\tWHAT IT IS", func(row func(...any)) {
			for _, r := range rows {
				row(r.Name, yes[r.Read], yes[r.Write], r.Doc)
			}
		})
	})
}
