package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
)

// layout is how the output at path keeps images of a source, with views of each.
func (f *output) layout(a *app, path string, info data.Info, views int) generate.Layout {
	l, _ := generate.SinkLayout(path, f.sink(a, info.Classes), views) // the format was checked before
	return l
}

// counter returns what counts the samples of IN by reading it to the end, for a source that does not know.
func counter(a *app, in *input, path string, s selecting) func() (int, error) {
	return func() (int, error) {
		if path == formats.Standard {
			return 0, usagef("--plan needs the number of images, which is not known before standard input is read; use a file")
		}
		return s.count(a, in, path)
	}
}

// planResult is the JSON form of a plan.
type planResult struct {
	Out string `json:"out"`
	*generate.Plan
	Epochs  int     `json:"epochs"`
	Seconds float64 `json:"seconds"` // of all epochs
}

// plan says what the run would write.
func (g *generation) plan() error {
	n := g.Source.Info().Len
	if n < 0 {
		var err error
		if n, err = g.count(); err != nil {
			return err
		}
	}
	job := g.Job
	job.Workers = g.running.Workers
	var plan *generate.Plan
	var err error
	if g.bench != nil {
		plan, err = g.bench.Estimate(g.app.ctx, job, n)
	} else {
		plan, err = generate.Estimate(g.app.ctx, job, n, g.layout, nil)
	}
	if err != nil {
		return err
	}
	epochs := max(g.epochs, 1)
	r := planResult{Out: g.name(), Plan: plan, Epochs: epochs, Seconds: plan.Time.Seconds() * float64(epochs)}
	if err := g.app.print(r, r.text); err != nil {
		return err
	}
	g.warnBucket()
	return nil
}

// warnBucket says of an output in a store what keeps it from being written: a plan asks the store for nothing else.
func (g *generation) warnBucket() {
	bucket, _, _ := strings.Cut(strings.TrimPrefix(g.Out.Path, storage.Scheme), "/")
	if !storage.Remote(g.Out.Path) {
		return
	}
	if _, err := storage.Stat(storage.Scheme + bucket); err != nil {
		g.app.say("warning: as it is, nothing can be written there: %v", err)
	}
}

func (r planResult) text(w io.Writer) {
	if len(r.Parts) > 1 {
		terminal.Table(w, "PART\tIMAGES\tFILES\tBYTES", func(row func(...any)) {
			for _, p := range r.Parts {
				row(p.Name, p.Images, p.Files, progress.Size(p.Bytes))
			}
		})
	}
	all := func(n int) int { return n * r.Epochs }
	fmt.Fprintf(w, "%s: %s, %s, %s", terminal.OneLine(r.Out), amounts(r.Samples, all(r.Images)),
		terminal.Count(all(r.Files), "file"), progress.Size(r.Bytes*int64(r.Epochs)))
	if r.Epochs > 1 {
		fmt.Fprintf(w, " in %d epochs", r.Epochs)
	}
	if r.Carried > 0 {
		fmt.Fprintf(w, "\nof these, %s beside the images", terminal.Count(all(r.Carried), "file"))
	}
	if r.Saved > 0 {
		fmt.Fprintf(w, "; hard links save %s", progress.Size(r.Saved*int64(r.Epochs)))
	}
	fmt.Fprintf(w, "\nabout %s to make on this machine; writing to a slow disk comes on top\n",
		progress.Duration(r.Time*time.Duration(r.Epochs)))
	fmt.Fprintf(w, "estimated from %s made in memory, without labels beside arrays and records; nothing was written\n",
		terminal.Count(r.Tried, "sample"))
}
