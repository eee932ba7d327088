package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
)

// writer returns what writes a format that is one file.
func (c *reportCmd) writer(rep *report.Report, format string) func(io.Writer) error {
	switch format {
	case "md":
		return rep.WriteMarkdown
	case "latex":
		return func(w io.Writer) error {
			return rep.WriteLaTeX(w, report.LaTeX{
				Intervals: report.Intervals(c.Intervals), Published: report.Published(c.Published), Digits: c.Digits,
			})
		}
	case "csv":
		if len(c.Table) > 0 {
			return func(w io.Writer) error { return rep.WriteTableCSV(w, c.Table[0]) }
		}
		return rep.WriteCSV
	}
	return rep.WriteHTML
}

// list prints the names of the tables or figures.
func (c *reportCmd) list(a *app) error {
	rep, err := c.build(a)
	if err != nil {
		return err
	}
	list := rep.Tables()
	if slices.Contains(c.Figure, "help") {
		list = rep.Figures()
	}
	return a.print(list, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, n := range list {
			fmt.Fprintf(t, "%s\t%s\n", n.Name, terminal.OneLine(n.Title))
		}
		_ = t.Flush() // errors are the app's
	})
}

func (c *reportCmd) build(a *app) (*report.Report, error) {
	var runs []*report.Run
	for i, path := range c.Runs {
		if slices.Contains(c.Runs[:i], path) {
			continue // one that comes first, and again among all: standard/eval */eval
		}
		run, err := report.Load(path)
		if below := results.RunsBelow(path); errors.Is(err, os.ErrNotExist) && len(below) > 0 {
			return nil, usagef("%s is no run, and holds some (allowed: %s)", path, strings.Join(below, " "))
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s is no run: %w", path, err)
		}
		if ext := filepath.Ext(path); err != nil && ext != ".jsonl" && slices.Contains(predictions.Extensions(), ext) {
			return nil, usagef("%s has no rows of results (if these are predictions, make rows of them: augmix score %[1]s -o %s.jsonl)", path,
				strings.TrimSuffix(path, ext))
		}
		if err != nil {
			return nil, err
		}
		a.detail("%s: %d rows", path, len(run.Rows))
		runs = append(runs, run)
	}
	rep, err := report.Build(a.ctx, runs, report.Options{
		Title: c.Title, Replicates: c.Replicates, Version: build().Version, AverageSeeds: c.AverageSeeds, Sweep: c.Sweep,
	})
	switch {
	case errors.Is(err, report.ErrOption):
		return nil, usageError{err}
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	}
	return rep, err
}

// write writes a file, or to standard output.
func (c *reportCmd) write(a *app, to func(io.Writer) error) error {
	var b bytes.Buffer
	if err := to(&b); err != nil {
		return err
	}
	if c.Out == formats.Standard {
		_, err := a.out.Write(b.Bytes())
		return err
	}
	return data.WriteFileAtomic(c.Out, b.Bytes())
}
