package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/report"
)

// reportCmd makes a report of runs.
type reportCmd struct {
	Runs []string `arg:"" name:"RUN" help:"Directories of runs (with results.jsonl), or files of rows. Models are compared with the first." yaml:"in"`
	Out  string   `short:"o" required:"" placeholder:"OUT" help:"File to write, in place of an earlier one, or - for standard output; with png a directory." yaml:"-"`

	Format     string `enum:"auto,html,md,latex,csv,png" default:"auto" help:"html, md, latex, csv, png, or auto: by the name of OUT (${default})." yaml:"format"`
	Title      string `placeholder:"TEXT" help:"Title of the report." yaml:"title"`
	Replicates int    `default:"1000" placeholder:"N" help:"Bootstrap replicates of paired differences, 100 to 100000 (${default})." yaml:"replicates"`
}

// Help is the end of "augmix report --help".
func (reportCmd) Help() string {
	return `FORMATS
  html   one file: tables that sort and copy (CSV, Markdown, LaTeX), figures, examples. It needs no
         network and no other file, follows the system's light or dark colors, and prints
  md     every table, for GitHub and the like
  latex  every table, for \usepackage{booktabs}
  csv    every number, one a line: measured, computed from rows, and published; fractions
  png    every figure, a file each, 192 pixels an inch
  By name: .html .htm .md .tex .csv; png must be asked for.

A RUN
  A directory with results.jsonl, as augmix score --out, augmix eval and others write it, and
  perhaps args.yaml (shown), records.npz (each prediction: for intervals and paired
  differences), fourier.npy (drawn as a map) and examples/ (images that flipped). Or a file of rows
  alone.

WHAT IS SAID
  Rows of the papers' tables are marked "published", yours "measured". Means that no row carries are
  computed where all of their parts are there, and marked. What is missing is said, and never shown
  as zero. The same runs give the same bytes.
  Differences are against the first model: paired where both runs have records of the same samples,
  else from the rows' intervals as if the samples were different, and marked as such. With records
  of large data sets the bootstrap takes a minute or so; --replicates 200 is faster and rougher.

EXAMPLES
  augmix report runs/augmix -o report.html
  augmix report runs/standard runs/augmix runs/pixmix -o report.html
  augmix report results.jsonl -o tables.tex
  augmix report runs/augmix --format png -o figures`
}

// reportFormats tells the format by the end of a name.
var reportFormats = map[string]string{
	".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".tex": "latex", ".csv": "csv",
}

// reportResult is the JSON form of what was written.
type reportResult struct {
	Out     string   `json:"out"`
	Format  string   `json:"format"`
	Tables  int      `json:"tables"`
	Figures int      `json:"figures"`
	Files   []string `json:"files,omitempty"` // of png
}

// Run writes the report.
func (c *reportCmd) Run(a *app) error {
	format := c.Format
	if format == "auto" {
		if format = reportFormats[strings.ToLower(filepath.Ext(c.Out))]; format == "" {
			return usagef("-o %s: no format has this name (allowed: .html, .md, .tex, .csv, or --format)", c.Out)
		}
	}
	if format == "png" && c.Out == formats.Standard {
		return usagef("-o -: png writes a directory of images (allowed: the name of a directory)")
	}
	rep, err := c.build(a)
	if err != nil {
		return err
	}
	tables, figures := rep.Count()
	result := reportResult{Out: c.Out, Format: format, Tables: tables, Figures: figures}
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	if format == "png" {
		if result.Files, err = rep.WritePNG(c.Out); err != nil {
			return err
		}
	} else if err := c.write(a, rep, format); err != nil {
		return err
	}
	if c.Out == formats.Standard {
		return nil
	}
	a.say("%s: %d tables, %d figures", c.Out, tables, figures)
	if !a.JSON {
		return nil
	}
	return a.print(result, func(io.Writer) {})
}

func (c *reportCmd) build(a *app) (*report.Report, error) {
	var runs []*report.Run
	for _, path := range c.Runs {
		run, err := report.Load(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s is no run: %w", path, err)
		}
		if err != nil {
			return nil, err
		}
		a.detail("%s: %d rows", path, len(run.Rows))
		runs = append(runs, run)
	}
	rep, err := report.Build(a.ctx, runs, report.Options{Title: c.Title, Replicates: c.Replicates, Version: build().Version})
	switch {
	case errors.Is(err, report.ErrOption):
		return nil, usageError{err}
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	}
	return rep, err
}

// write writes a format that is one file.
func (c *reportCmd) write(a *app, rep *report.Report, format string) error {
	var b bytes.Buffer
	err := map[string]func(io.Writer) error{
		"html": rep.WriteHTML, "md": rep.WriteMarkdown, "latex": rep.WriteLaTeX, "csv": rep.WriteCSV,
	}[format](&b)
	if err != nil {
		return err
	}
	if c.Out == formats.Standard {
		_, err := a.out.Write(b.Bytes())
		return err
	}
	return data.WriteFileAtomic(c.Out, b.Bytes())
}
