package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
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
	Logits       bool     `group:"Evaluation" help:"Save the model's outputs, for augmix score DIR/logits/NAME."`
	Examples     int      `group:"Evaluation" default:"0" placeholder:"N" help:"Suites c and cbar: keep N images of each corruption that it makes the model get wrong, in DIR/examples (${default})."`
	ClassNames   string   `group:"Evaluation" placeholder:"FILE" help:"Names of the model's outputs, a line each: labels go by name, and IN may have some of the classes only. Without, output K is class K of IN."`
	Among        string   `group:"Evaluation" enum:"data,model" default:"data" help:"Classes that predictions are among where IN has only some of the model's: data (those of IN) or model (all)."`
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
			"examples": c.Examples != 0, "class-names": c.ClassNames != "", "among": c.Among != "data",
			"subset": !slices.Equal(c.Subset, []string{"common"}), "perturbation": !slices.Equal(c.Perturbation, []string{"common"}),
			"image": c.Image != "auto", "quality": c.Quality != 85,
		}); name != "" {
			return usagef("--%s without --suite, which says what to measure", name)
		}
		return nil
	}
	if name := firstOf(map[string]bool{
		"mix": c.Mix != "none", "flip": c.Flip, "views": c.Views != 1, "corrupt": len(c.Corrupt) > 0, "perturb": len(c.Perturb) > 0,
		"epochs": c.Epochs != 0, "from": c.From != "0:0", "rank": c.Rank != 0, "world-size": c.WorldSize != 1, "tail": c.Tail != "drop",
		"on-error": c.OnError != "fail", "mixset": c.Mixset != "", "no-shuffle": !c.Shuffle, "cache-mb": c.CacheMb != 4096,
		"mixset-cache": c.MixsetCache != "", "network": c.Network != "", "alpha": c.Alpha != "drop",
	}); name != "" {
		return usagef("--%s with --suite: an evaluation goes over all images once, as they are and in its own forms", name)
	}
	switch {
	case c.ClassesCount < 0:
		return usagef("--classes-count %d (allowed: 1 and up)", c.ClassesCount)
	case c.Quality == 0: // else taken for the default
		return usagef("--quality 0 (allowed: 1 to 100; without, 85)")
	case c.ClassesCount > 0 && c.ClassNames != "":
		return usagef("--classes-count with --class-names, which says how many there are")
	case c.Examples > 0 && c.Out == "":
		return usagef("--examples without --out, where they are kept")
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

// mostNames is how many bytes a file of class names may have.
const mostNames = 16 << 20

// mostOutputs is how many numbers an answer may have: the protocol's 1 GiB.
const mostOutputs = 1 << 28

// judge measures the parent's model.
func (c *feedCmd) judge(a *app, s *feedwire.Session, o *feed.Options) error {
	e, err := c.evaluation(a, o)
	if err != nil {
		return err
	}
	e.Remote = func(t experiment.TestSet) (eval.Remote, error) { return c.greet(s, o, &t) }
	stop := func() {}
	if c.Progress {
		stop = a.watchEval(e)
	}
	rows, err := e.Run(a.ctx)
	stop()
	if errors.Is(err, errInterrupted) && c.Out != "" {
		err = fmt.Errorf("%w; the same command resumes with what has no answer", errInterrupted)
	}
	if err != nil {
		return withFlag(err)
	}
	notes, err := feedwire.RowNotes(c.Out, evalJSON(rows))
	if err != nil {
		return err
	}
	return s.Finish(notes...)
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
		Examples: c.Examples, Among: c.Among,
		FrostDir: c.FrostDir, StyleFiles: experiment.StyleFiles{Styles: c.Styles, StyleWeights: c.StyleWeights}, Image: c.Image, Quality: c.Quality, Size: c.Size, Crop: o.Crop.N, Filter: c.Filter,
		Versions: versions(), Log: a.detail, Say: a.say,
	}
	e.RemoteArgs = map[string]any{
		"batch": c.Batch, "dtype": c.Dtype, "output-layout": c.OutputLayout, "mean": c.Mean, "std": c.Std, "classes-count": c.ClassesCount,
		"class-names": c.ClassNames, "weights": c.Weights,
	}
	e.Input = c.stage()
	e.Gray = c.Gray
	return e, nil
}

// classNames reads the names of the model's outputs; nil: none were given.
func (c *feedCmd) classNames() ([]string, error) {
	if c.ClassNames == "" {
		return nil, nil
	}
	text, err := data.ReadFile(nil, c.ClassNames, mostNames)
	if err != nil {
		return nil, usagef("--class-names: %w", err)
	}
	names := data.DecodeLines(text)
	for len(names) > 0 && strings.TrimSpace(names[len(names)-1]) == "" { // lines at the end that an editor has left
		names = names[:len(names)-1]
	}
	if len(names) == 0 {
		return nil, usagef("--class-names: %s is empty", c.ClassNames)
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }); i >= 0 {
		return nil, usagef("--class-names: %s: line %d is empty (allowed: a name a line)", c.ClassNames, i+1)
	}
	return names, nil
}

// greet says hello to a parent that has a model.
func (c *feedCmd) greet(s *feedwire.Session, o *feed.Options, t *experiment.TestSet) (eval.Remote, error) {
	names, err := c.classNames()
	if err != nil {
		return nil, err
	}
	classes := cmp.Or(c.ClassesCount, len(names), len(t.Classes))
	if classes == 0 {
		return nil, usagef("%s does not name its classes; say how many the model has (--classes-count, or --class-names)", c.In)
	}
	labeled := t.Classes // what labels are numbers of
	if names != nil && (len(t.Classes) >= len(names) || len(t.Classes) == 0 || c.Among == "model") {
		labeled = names
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
		Version: build().Version, Fields: fieldsOf(p.Layout()), Samples: t.Samples, Batches: -1, Classes: labeled, WorldSize: 1,
		Batch: o.Batch, Views: 1, Tail: feed.Short.String(), Epochs: 1, Seed: c.Seed, Layout: o.Layout.String(), Mean: o.Norm.Mean[:],
		Std: o.Norm.Std[:], Fingerprint: t.Fingerprint,
	}
	m := &feedmodel.Model{
		Session: s, Packer: p, Outputs: classes, Names: names, H: t.H, W: t.W, Norm: *o.Norm,
		Bytes: o.DType == feed.Uint8, Batch: o.Batch, Slots: w.Slots,
	}
	return m, m.Greet(w)
}
