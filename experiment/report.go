package experiment

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/report"
)

// Report compares runs in one file.
type Report struct {
	Runs       []string // folders with results.jsonl, or files of rows; models are compared with the first
	Out        string   `json:"-"` // file; its name says the format: .html, .md, .tex, .csv
	Title      string
	Replicates int    // of the bootstrap; 0: 1000
	Version    string `json:"-"` // of the program
}

// Run writes the report. The error wraps [ErrOption], is that of package report, or the cause of ctx.
func (r Report) Run(ctx context.Context) error {
	write := map[string]func(*report.Report, io.Writer) error{
		".html": (*report.Report).WriteHTML, ".md": (*report.Report).WriteMarkdown,
		".tex": func(r *report.Report, w io.Writer) error { return r.WriteLaTeX(w, report.LaTeX{}) }, ".csv": (*report.Report).WriteCSV,
	}[strings.ToLower(filepath.Ext(r.Out))]
	if write == nil {
		return badOption("out", r.Out, "a name that ends in .html, .md, .tex or .csv")
	}
	var runs []*report.Run
	for _, path := range r.Runs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		run, err := report.Load(path)
		if err != nil {
			return fmt.Errorf("%s is no run: %w", path, err)
		}
		runs = append(runs, run)
	}
	rep, err := report.Build(ctx, runs, report.Options{Title: r.Title, Replicates: r.Replicates, Version: r.Version})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := write(rep, &b); err != nil {
		return err
	}
	return data.WriteFileAtomic(r.Out, b.Bytes())
}
