package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/mixset/fvis"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/train"
)

// fvisFlags are those of that kind.
type fvisFlags struct {
	Weights string   `group:"Feature visualizations" placeholder:"FILE" help:"Network to visualize: checkpoint or weights (.safetensors, .npz, .pth), or the folder of a run." yaml:"weights,omitempty"`
	Model   string   `group:"Feature visualizations" placeholder:"SPEC" help:"Network of FILE, where the file does not say it (see augmix list models)." yaml:"model,omitempty"`
	Norm    string   `group:"Feature visualizations" placeholder:"NORM" help:"Normalization, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B." yaml:"norm,omitempty"`
	Layer   []string `group:"Feature visualizations" placeholder:"NAME" help:"Layers to choose from, by the names of their weights; a wrong one lists them all (early and middle ones)." yaml:"layer,omitempty"`
	Steps   *int     `group:"Feature visualizations" placeholder:"N" help:"Steps of the ascent (48)." yaml:"steps,omitempty"`
}

func (f *fvisFlags) given() bool {
	return f.Weights != "" || f.Model != "" || f.Norm != "" || len(f.Layer) > 0 || f.Steps != nil
}

// source loads the network and returns its images, and what they depend on beside the flags.
func (f *fvisFlags) source(ctx context.Context, n, side int, seed uint64, jobs int) (*fvis.Source, []generate.Option, error) {
	switch {
	case f.Weights == "":
		return nil, nil, usagef("mixset fvis needs --weights FILE, the network to visualize")
	case n < 1 || n > mixset.MaxCount:
		return nil, nil, usagef("%d images (allowed: 1 to %d)", n, mixset.MaxCount)
	}
	steps := 0 // the default
	if f.Steps != nil {
		if steps = *f.Steps; steps < 1 {
			return nil, nil, usagef("--steps %d (allowed: 1 to %d)", steps, fvis.MaxSteps)
		}
	}
	norm, err := experiment.ParseNorm(f.Norm)
	if err != nil {
		return nil, nil, err
	}
	if f.Weights, err = train.WeightsOf(f.Weights); err != nil {
		return nil, nil, usageError{err}
	}
	sum, _, err := digest.File(f.Weights)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the network: %w", err)
	}
	loaded, err := eval.LoadNetwork(f.Weights, eval.LoadOptions{Model: f.Model, Norm: norm})
	if errors.Is(err, eval.ErrModel) || errors.Is(err, models.ErrSpec) {
		return nil, nil, usageError{withFlag(err)}
	}
	if err != nil {
		return nil, nil, err
	}
	net, err := loaded.Net(nn.Options{})
	if err != nil {
		return nil, nil, err
	}
	_, _, values := loaded.Input()
	visualizer, err := fvis.New(net, fvis.Options{
		Layers: f.Layer, Side: side, Seed: seed, Steps: steps, Mean: values.Mean, Std: values.Std, Workers: jobs,
	})
	if errors.Is(err, fvis.ErrLayer) || errors.Is(err, fvis.ErrOption) || errors.Is(err, graph.ErrGraph) {
		return nil, nil, usageError{fmt.Errorf("%s: %w", f.Weights, err)}
	}
	if err != nil {
		return nil, nil, err
	}
	return fvis.NewSource(ctx, visualizer, n), []generate.Option{{Name: "weights-sha256", Value: sum.String()}}, nil
}
