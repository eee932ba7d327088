package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/transform"
)

// pipeline is one run of package generate from the command line.
type pipeline struct {
	app     *app
	command string
	in      string
	place   generate.Output
	options any // the command's struct, for args.yaml
	recipe  *transform.Pipeline
	seed    uint64
	input   *input
	output  *output
	running *running
	soft    bool // labels are mixed too
}

// summary is what a run says of itself, in JSON form.
type summary struct {
	Out     string              `json:"out"`
	Samples int                 `json:"samples"` // read, the refused among them
	Items   int                 `json:"items"`   // images written
	Resumed int                 `json:"resumed"` // samples that earlier runs had done
	Already bool                `json:"already"` // it was complete before
	Refused []generate.Rejected `json:"refused"`
	Waiting []string            `json:"waiting,omitempty"` // parts that other processes have yet to do
}

func (p pipeline) run() (summary, error) {
	src, err := p.input.open(p.app, p.in)
	if err != nil {
		return summary{}, err
	}
	defer src.Close()
	if p.soft {
		indexed, ok := src.(data.Indexed)
		if !ok {
			return summary{}, fmt.Errorf("%w: --mix %s takes partners from anywhere in the data set, and %s (%s) "+
				"cannot be read at random; convert it first (augmix data convert)", data.ErrUnsupported, p.recipe.Mix, p.in, src.Info().Format)
		}
		p.recipe.Source = indexed
	}
	args, options, err := record(p.command, p.options)
	if err != nil {
		return summary{}, err
	}
	info := src.Info()
	p.app.detail("%s: format %s, %d classes, %d samples", p.in, info.Format, len(info.Classes), info.Len)

	out := p.place.Path
	if out == "" {
		out = formats.Standard
	}
	sink := p.output.sink(p.app, info.Classes)
	var bar *progress.Bar
	begun := time.Now()
	res, err := generate.Run(p.app.ctx, generate.Job{
		Source: src, Task: p.task(func(state []byte) (data.Sink, error) { return formats.Create(out, sink, state) }),
		Out: p.place, Records: map[string][]byte{generate.ArgsName: args}, Options: options, Build: build(),
		Seed: p.seed, Force: p.running.Force, OnError: p.running.policy(), Workers: p.running.Jobs,
		CheckpointAfter: p.running.Checkpoint,
		Report: func(at generate.Progress) {
			if bar == nil {
				if bar = p.app.bar(p.command, progress.Images, at.Total, at.Resumed); at.Resumed > 0 {
					p.app.detail("going on after %d samples of an earlier run", at.Resumed)
				}
			}
			bar.Set(at.Done, at.Rejected)
		},
	})
	if bar != nil {
		bar.Stop()
	}
	s := summary{
		Out: out, Samples: res.Done, Items: res.Items, Resumed: res.Resumed, Already: res.Already, Refused: res.Rejected,
	}
	if s.Refused == nil {
		s.Refused = []generate.Rejected{}
	}
	if err != nil {
		return s, p.explain(err, res)
	}
	p.tell(s, time.Since(begun))
	return s, nil
}

// task makes what the recipe says and puts it into the sink that open opens.
func (p pipeline) task(open func(state []byte) (data.Sink, error)) generate.Task {
	if p.soft {
		return generate.SoftImages{Transform: p.recipe.SoftTransform, Views: p.recipe.Suffixes(), Open: open}
	}
	return generate.Images{Transform: p.recipe.Transform, Views: p.recipe.Suffixes(), Open: open}
}

// explain adds to an error how to go on.
func (p pipeline) explain(err error, res generate.Result) error {
	if p.place.Path == "" {
		return err
	}
	var bad *data.SampleError
	switch {
	case errors.Is(err, errInterrupted):
		return fmt.Errorf("%w after %d samples; the same command goes on from there", err, res.Done)
	case errors.As(err, &bad) && p.running.OnError == "fail":
		return fmt.Errorf("%w\n(after %d samples; the same command with --on-error skip goes on without it)", err, res.Done)
	}
	return err
}

func (p pipeline) tell(s summary, took time.Duration) {
	a := p.app
	switch {
	case s.Already:
		a.say("%s is complete: %d samples, %d images; nothing to do (--force starts over)", s.Out, s.Samples, s.Items)
	case s.Out == formats.Standard:
	default:
		rate := float64(s.Samples-s.Resumed) / max(took.Seconds(), 1e-9)
		a.say("%s: %d samples, %d images in %s (%s samples/s)", s.Out, s.Samples, s.Items,
			progress.Duration(took), progress.Number(rate))
	}
	const most = 20
	for i, r := range s.Refused {
		if i == most && p.place.Path != "" {
			where := p.place.Record(generate.ManifestName)
			fmt.Fprintf(a.err, "augmix: ... and %d more, listed in %s\n", len(s.Refused)-most, where)
			break
		}
		fmt.Fprintf(a.err, "augmix: refused %s: %s\n", r.Name, r.Reason)
	}
}

// finish prints the results in JSON where that is asked for, and says whether anything was refused.
func finish(a *app, place generate.Output, results []summary) error {
	if a.JSON && place.Path != "" {
		var v any = results
		if len(results) == 1 {
			v = results[0]
		}
		if err := a.print(v, func(io.Writer) {}); err != nil {
			return err
		}
	}
	for _, s := range results {
		if len(s.Refused) > 0 {
			return errRefused
		}
	}
	return nil
}

// counter returns a function that counts samples from several goroutines and reports after each.
func counter(report func(done, bad int)) func(bad bool) {
	var mu sync.Mutex
	done, wrong := 0, 0
	return func(bad bool) {
		mu.Lock()
		defer mu.Unlock()
		if done++; bad {
			wrong++
		}
		report(done, wrong)
	}
}
