package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/internal/feedmodel"
	"github.com/augmix-go/augmix/internal/feedwire"
	"github.com/augmix-go/augmix/transform"
)

// judging is the part of feed that measures the parent's model. Its flags are those of augmix eval.
type judging struct {
	Suite        []string `group:"Evaluation" placeholder:"NAME" help:"Instead of training batches: measure the parent's model on these, separated by commas: clean, c, cbar, p, calibration (see augmix eval)."`
	Name         string   `group:"Evaluation" placeholder:"NAME" help:"Name of the model in results (that of the folder of --out, else model)."`
	ClassesCount int      `group:"Evaluation" placeholder:"N" help:"Outputs of the model for each image, where IN does not name its classes (as many as IN has)."`
	Weights      string   `group:"Evaluation" placeholder:"TEXT" help:"What rows call the model's weights, such as a hash; a folder with results of others of the same --name is refused (outputs:N)."`
	Dataset      string   `group:"Evaluation" placeholder:"NAME" help:"Name of IN in results, such as cifar10 or imagenet (by IN and its classes)."`
	Out          string   `group:"Evaluation" short:"o" placeholder:"DIR" help:"Folder for results.jsonl and records.npz; what it has already is not measured again."`
	Logits       bool     `group:"Evaluation" help:"Save the model's outputs in DIR/logits, for augmix score."`
	PerClass     bool     `group:"Evaluation" help:"Suite clean: the error of each class and the most frequent confusions too."`
	Limit        int      `group:"Evaluation" placeholder:"N" help:"Use N samples only, evenly spread over IN; rows say so."`
	C            string   `group:"Evaluation" placeholder:"DIR" help:"Read the -C form from DIR (augmix corrupt, or the published files) instead of making it on the fly."`
	Cbar         string   `group:"Evaluation" placeholder:"DIR" help:"The same for the -C-bar form."`
	P            string   `group:"Evaluation" placeholder:"DIR" help:"The same for the -P form."`
	Subset       []string `group:"Evaluation" default:"common" placeholder:"NAME" help:"Suite c: corruptions by name or subset (${default}: the 15 of the benchmark)."`
	Perturbation []string `group:"Evaluation" default:"common" placeholder:"NAME" help:"Suite p: perturbations by name or subset: common, extra, all (${default})."`
	Image        string   `group:"Evaluation" enum:"auto,raw,jpeg" default:"auto" help:"Whether made images pass through JPEG: as augmix corrupt writes them for this IN (auto), raw, or jpeg."`
	Quality      int      `group:"Evaluation" default:"85" help:"JPEG quality, 1 to 100 (${default}, as ImageNet-C)."`
}

// checkSuite refuses flags of training with --suite and those of the evaluation without it.
func (c *feedCmd) checkSuite() error {
	if len(c.Suite) == 0 {
		if name := firstOf(map[string]bool{
			"name": c.Name != "", "out": c.Out != "", "classes-count": c.ClassesCount != 0, "limit": c.Limit != 0, "weights": c.Weights != "",
			"logits": c.Logits, "per-class": c.PerClass, "c": c.C != "", "cbar": c.Cbar != "", "p": c.P != "", "dataset": c.Dataset != "",
		}); name != "" {
			return usagef("--%s without --suite, which says what to measure", name)
		}
		return nil
	}
	if name := firstOf(map[string]bool{
		"mix": c.Mix != "none", "flip": c.Flip, "views": c.Views != 1, "corrupt": len(c.Corrupt) > 0, "perturb": len(c.Perturb) > 0,
		"epochs": c.Epochs != 0, "from": c.From != "0:0", "rank": c.Rank != 0, "world-size": c.WorldSize != 1, "tail": c.Tail != "drop",
		"on-error": c.OnError != "fail", "mixset": c.Mixset != "",
	}); name != "" {
		return usagef("--%s with --suite: an evaluation goes over all images once, as they are and in its own forms", name)
	}
	if c.ClassesCount < 0 {
		return usagef("--classes-count %d (allowed: 1 and up)", c.ClassesCount)
	}
	return nil
}

// firstOf returns the first of the names, by the alphabet, that is true, "" where none is.
func firstOf(given map[string]bool) string {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] {
			return name
		}
	}
	return ""
}

// mostOutputs is how many numbers an answer may have: the protocol's 1 GiB.
const mostOutputs = 1 << 28

// judge measures the parent's model.
func (c *feedCmd) judge(a *app, s *feedwire.Session, o *feed.Options) error {
	e, err := c.evaluation(a, o)
	if err != nil {
		return err
	}
	e.Remote = func(t experiment.TestSet) (eval.Remote, error) { return c.greet(s, o, &t) }
	rows, err := e.Run(a.ctx)
	if errors.Is(err, errInterrupted) && c.Out != "" {
		err = fmt.Errorf("%w; the same command resumes after the last complete measurement", err)
	}
	if err != nil {
		return withFlag(err)
	}
	return s.Finish(feedwire.Note{Kind: feedwire.KindRows, Body: verdict{c.Out, evalJSON(rows)}})
}

// verdict is the body of the message with the results.
type verdict struct {
	Out  string           `json:"out"`
	Rows []json.Marshaler `json:"rows"`
}

// evaluation are the flags as package experiment takes them.
func (c *feedCmd) evaluation(a *app, o *feed.Options) (*experiment.Eval, error) {
	if o.Crop.Kind != transform.NoCrop && o.Crop.Kind != transform.CenterCrop {
		return nil, usagef("--crop %s with --suite (allowed: N, the middle)", c.Crop)
	}
	levels, err := transform.ParseDifficulties(c.Difficulty)
	if err != nil {
		return nil, err
	}
	if len(levels) != 1 {
		return nil, usagef("--difficulty %s with --suite (allowed: one of 1 to 3)", c.Difficulty)
	}
	name := c.Name
	if name == "" && c.Out != "" {
		name = filepath.Base(filepath.Clean(c.Out))
	}
	e := &experiment.Eval{
		In: c.In, Suites: c.Suite, Name: cmp.Or(name, "model"), Weights: c.Weights, Dataset: c.Dataset, Dir: c.Out, Logits: c.Logits,
		PerClass: c.PerClass, Limit: c.Limit, Seed: c.Seed, Workers: c.Workers, C: c.C, Cbar: c.Cbar, P: c.P, Subset: c.Subset,
		Perturbation: c.Perturbation, Severity: c.Severity, Difficulty: levels[0], Profile: c.Profile, BarProfile: c.BarProfile,
		FrostDir: c.FrostDir, StyleFiles: experiment.StyleFiles{Styles: c.Styles, StyleWeights: c.StyleWeights}, Image: c.Image, Quality: c.Quality, Size: c.Size, Crop: o.Crop.N, Filter: c.Filter,
		Versions: versions(), Log: a.detail, Say: a.say,
	}
	e.Input = experiment.Input{
		InputFormat: c.InputFormat, Split: c.Split, Coarse: c.Coarse, Only: c.Only, Without: c.Without, Classes: c.Classes,
		Labels: c.Labels, Layout: c.Layout, ShardKeys: c.ShardKeys,
	}
	return e, nil
}

// greet says hello to a parent that has a model.
func (c *feedCmd) greet(s *feedwire.Session, o *feed.Options, t *experiment.TestSet) (eval.Remote, error) {
	classes := cmp.Or(c.ClassesCount, len(t.Classes))
	if classes == 0 {
		return nil, usagef("%s does not name its classes; say how many the model has (--classes-count)", c.In)
	}
	if classes > mostOutputs/o.Batch {
		return nil, usagef("--batch %d of %d outputs each (allowed: %d numbers an answer)", o.Batch, classes, mostOutputs)
	}
	p, err := feed.NewPacker(t.W, t.H, *o)
	if err != nil {
		return nil, err
	}
	w := &feedwire.Work{Slots: c.slots(p.Layout()), Contents: p.Layout().Bytes, Checksum: c.Checksum}
	if err := c.openRing(w); err != nil {
		return nil, err
	}
	w.Hello = &feedwire.Hello{
		Version: build().Version, Fields: fieldsOf(p.Layout()), Samples: t.Samples, Batches: -1, Classes: t.Classes, WorldSize: 1,
		Batch: o.Batch, Views: 1, Tail: feed.Short.String(), Epochs: 1, Seed: c.Seed, Layout: o.Layout.String(), Mean: o.Norm.Mean[:],
		Std: o.Norm.Std[:], Fingerprint: t.Fingerprint,
	}
	m := &feedmodel.Model{
		Session: s, Packer: p, Outputs: classes, H: t.H, W: t.W, Norm: *o.Norm, Batch: o.Batch, Slots: w.Slots,
	}
	return m, m.Greet(w)
}
