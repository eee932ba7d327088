package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// scoreCmd turns saved predictions into numbers.
type scoreCmd struct {
	Pred []string `arg:"" name:"PRED" help:"Predictions: a file, or a folder of a benchmark. Several are several models." yaml:"pred"`

	Labels   string   `group:"Input" placeholder:"FILE" help:"True classes, where they are not in PRED, beside it as NAME.labels.npy, or in a folder as labels.npy." yaml:"labels"`
	Layout   string   `group:"Input" enum:"auto,single,cifar-c,imagenet-c,p,ood" default:"auto" help:"What PRED is: single, cifar-c, imagenet-c, p, ood, or auto-detected (${default})." yaml:"layout"`
	Kind     string   `group:"Input" enum:"auto,logits,probs" default:"auto" help:"What the numbers are, where names do not say it: logits, probs, or auto-detected by the numbers (${default})." yaml:"kind"`
	Ood      []string `group:"Input" sep:"none" placeholder:"FILE" help:"The same model's predictions of out-of-distribution images, to be told from PRED's, for one PRED. Repeat for more sets." yaml:"ood"`
	Severity int      `group:"Input" placeholder:"N" help:"cifar-c: the severity, 1 to 5, where a corruption has as many rows as there are labels." yaml:"severity"`
	Frames   int      `group:"Input" placeholder:"N" help:"p: frames of a video, where arrays do not say it." yaml:"frames"`
	Model    []string `group:"Input" sep:"none" placeholder:"NAME" help:"Names of the models (names of the files)." yaml:"model"`
	Ensemble bool     `group:"Input" help:"Score the ensemble of all PRED too: the mean of their probabilities, as a model called ensemble." yaml:"ensemble"`
	Dataset  string   `group:"Input" placeholder:"NAME" help:"Benchmark, such as cifar10-c or imagenet-p, what it is made from, or a name of your own; by default auto-detected by names and classes." yaml:"dataset"`
	Baseline string   `group:"Metrics" default:"auto" placeholder:"WHAT" help:"What mCE and mFR divide by: alexnet, a results.jsonl of your own model, none, or auto: alexnet where it has a meaning (${default})." yaml:"baseline"`

	Bins             []string `group:"Metrics" placeholder:"BINS" help:"Calibration bins: adaptive:N, N rows in each (100); equal:N, N of equal width (15). Separate both by a comma." yaml:"bins"`
	ReferenceBinning bool     `group:"Metrics" help:"RMS and MAD calibration errors without the last adaptive bin too, as the published code computes them by mistake." yaml:"reference-binning"`
	PerClass         bool     `group:"Metrics" help:"The error of each class of clean images and the most frequent confusions too." yaml:"per-class"`
	Difficulty       int      `group:"Metrics" default:"1" placeholder:"N" help:"p: compare frames N apart (${default}); for noise it names the files' difficulty." yaml:"difficulty"`
	Zipf             bool     `group:"Metrics" help:"p: the Zipf distance too, which takes longer." yaml:"zipf"`

	Bootstrap int     `group:"Uncertainty" placeholder:"N" help:"Intervals from N bootstrap replicates." yaml:"bootstrap"`
	Level     float64 `group:"Uncertainty" default:"0.95" placeholder:"P" help:"Level of intervals (${default})." yaml:"level"`
	Seed      uint64  `group:"Uncertainty" default:"0" help:"Seed of the bootstrap (${default})." yaml:"seed"`
	Compare   string  `group:"Uncertainty" placeholder:"OTHER" help:"Predictions of another model on the same images: differences PRED - OTHER with paired intervals." yaml:"compare"`

	Out       string `group:"Output" short:"o" placeholder:"FILE" help:"Write rows as JSON lines (results.jsonl), in place of an earlier file." yaml:"-"`
	All       bool   `group:"Output" help:"Print all numbers, and corruptions by severity; the file and --json always have them." yaml:"-"`
	Confusion string `group:"Output" placeholder:"FILE" help:"Write the confusion matrix of clean images as CSV, for one PRED." yaml:"-"`
	Records   string `group:"Output" placeholder:"FILE" help:"Write each prediction (records.npz), for intervals and paired comparisons in reports." yaml:"-"`
	Workers   int    `group:"Running" short:"j" placeholder:"N" help:"Workers (all cores); no number depends on it." yaml:"-"`

	sequences bool // --difficulty is on the command line
}

// Help is the end of "augmix score --help".
func (scoreCmd) Help() string {
	return `LAYOUTS
  single      one file: rows of logits or probabilities, one an image
  cifar-c     a folder with a file for each corruption, gaussian_noise.npy ..., whose rows are the
              images at severity 1, then at 2, up to 5; labels.npy has the labels once or five
              times; clean.npy may hold the clean images. Or one .npz or .pt file with these arrays
  imagenet-c  a folder with gaussian_noise/1.npy, or gaussian_noise/1/ANY.npy, or
              gaussian_noise_1.npy, up to 5, and labels.npy; clean.npy as above
  p           a folder with a file for each perturbation: an array [videos, frames, classes], or
              of predicted classes [videos, frames] (integers), or rows with --frames; no labels.
              gaussian_noise_2.npy is read with --difficulty 2
  of eval     what augmix eval -o DIR --logits saves of a model, DIR/logits/NAME: clean images and
              corruptions as one benchmark, C-bar and -P beside it; or one of these by its path
  ood         a file PRED of the test set and --ood files of other images, whose labels are not
              looked at; PRED needs none

FILES
  npy         floats [rows, classes] of 16, 32 or 64 bits
  npz         arrays logits or probs, and labels, id
  pt, pth     what torch.save writes of a tensor, or of a dict as npz; nothing in it is executed
  Of class numbers, integers [rows] or a column or array pred, errors are computed alone.
  csv, tsv    columns logit_0, logit_1, ... or prob_0, ... or 0, 1, ...; label; id. Without a line
              of names every column is a class
  jsonl       {"logits": [1.5, -2], "label": 0, "id": "a"} a line, or just the array
  parquet     a list column logits or probs or a column a class; label; id
  --labels    npy, npz, pt, csv, tsv, jsonl, parquet, or txt with a number a line
  Other usual names (labels, targets, y; softmax, probabilities; filename, ...) are known too. Where
  both predictions and labels have ids, they must agree row by row.
  Probabilities must sum to one within 1e-4. NaN, infinite numbers, labels out of range, missing
  severities, unequal lengths and files cut short are errors that name file and row.

METRICS
  Names as in results.jsonl. Fractions there; the table shows errors in percent. Calibration: RMS and
  mean absolute error with adaptive bins (augmix and pixmix papers), ECE and maximum with bins of
  equal width. fpr95 takes the threshold whose recall is nearest to 95 %, as the published code does.
  auroc, aupr and fpr95 are by maximum softmax probability, and also by entropy and gen, and from
  logits by max_logit, energy and xent_uniform (field score). aupr depends on the share of
  out-of-distribution images: published figures are for one to five.
  mCE and mFR need all corruptions of the benchmark, and a baseline measured on the same benchmark:
  AlexNet's are ImageNet-C's and ImageNet-P's at 224 pixels.
  --bootstrap draws images (videos), each with all its corruptions.

EXAMPLES
  augmix score logits.npz
  augmix score logits.npy --labels labels.npy --bootstrap 1000 --out results.jsonl
  augmix score CIFAR-10-C-logits --model augmix --out results.jsonl
  augmix score cifar10-c.npz --all
  augmix score eval/logits/augmix
  augmix score imagenet-c-logits --layout imagenet-c --baseline alexnet
  augmix score logits.npz --per-class --confusion confusion.csv
  augmix score logits.npz --bins adaptive:50,equal:20
  augmix score augmix.npz --compare standard.npz
  augmix score seed1.npz seed2.npz seed3.npz --ensemble
  augmix score cifar10-test.npy --ood svhn.npy --ood textures.npy`
}

// Run scores.
func (c *scoreCmd) Run(ctx *kong.Context, a *app) error {
	c.sequences = slices.Contains(typedNames(ctx), "difficulty")
	files, o, err := c.options()
	if err == nil {
		err = checkIdle(ctx, effect{[]string{"level", "seed"}, c.Bootstrap > 0, "--bootstrap or --compare"})
	}
	if err = cmp.Or(err, c.apart()); err != nil {
		return err
	}
	models, err := c.models(a, files, o)
	if err != nil {
		return err
	}
	var compared []results.Row
	if c.Compare != "" {
		if models, compared, err = c.compare(a, models, files, o); err != nil {
			return err
		}
	}
	if err := c.write(models, compared); err != nil {
		return err
	}
	for _, m := range models {
		switch {
		case a.Quiet:
			m.Notes = nil
		case a.JSON: // which has no place for them
			for _, n := range m.Notes {
				a.say("%s: %s", m.Model, n)
			}
		}
	}
	return a.print(evalJSON(allRows(models, compared)), func(w io.Writer) { report.WriteScores(w, models, compared, c.All) })
}

// apart refuses to write over what is read, where it would be read the next time, or two outputs to one file.
func (c *scoreCmd) apart() error {
	reads := slices.Concat(c.Pred, c.Ood, []string{c.Labels, c.Compare, c.Baseline})
	places := map[string]string{} // flags by file
	for _, out := range [][2]string{{"--out", c.Out}, {"--records", c.Records}, {"--confusion", c.Confusion}} {
		flag, file := out[0], out[1]
		if file == "" || file == formats.Standard {
			continue
		}
		if err := generate.CheckApart(file, reads...); err != nil {
			return err
		}
		at := file
		if !storage.Remote(file) {
			at = storage.Resolve(file)
		}
		if other := places[at]; other != "" {
			return usagef("%s %s is the file of %s too (allowed: a file each)", flag, file, other)
		}
		places[at] = flag
	}
	return nil
}

// models scores each PRED, and their ensemble where it is asked for.
func (c *scoreCmd) models(a *app, files score.Files, o score.Options) (models []*score.Result, err error) {
	add := func(files score.Files, o score.Options, known []*score.Result) error {
		m, err := files.Score(a.ctx, o)
		if err != nil {
			return c.explain(err)
		}
		if slices.ContainsFunc(known, func(r *score.Result) bool { return r.Model == m.Model }) {
			return usagef("two models are called %s; --model gives them names, one for each PRED", m.Model)
		}
		nameFlag(m)
		models = append(models, m)
		return nil
	}
	for i, path := range c.Pred {
		files.Path = path
		if o.Model = ""; len(c.Model) > 0 {
			o.Model = c.Model[i]
		}
		saved := score.FindSaved(path)
		if saved == nil {
			if below := savedBelow(path); len(below) > 0 {
				return nil, usagef("%s holds what eval --logits saved, a folder for each model (allowed: %s)", path, strings.Join(below, ", "))
			}
			if err := add(files, o, models); err != nil {
				return nil, err
			}
			if layout := models[len(models)-1].Layout; c.sequences && layout != predictions.P { // 1, which package score takes with any
				return nil, c.explain(&score.LayoutError{Option: "difficulty", Layout: layout, Allowed: []predictions.Layout{predictions.P}})
			}
		}
		if err := c.checkSaved(path, saved); err != nil {
			return nil, err
		}
		known := models
		for i := range saved {
			f, o := formOf(&saved[i], saved, path, files, o)
			if err := add(f, o, known); err != nil {
				return nil, err
			}
		}
	}
	if c.Ensemble {
		files.Path, files.Ensemble, o.Model = c.Pred[0], c.Pred[1:], "ensemble"
		if err := add(files, o, models); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// compare scores OTHER, which it adds to the models, and compares each of them with it.
func (c *scoreCmd) compare(
	a *app, models []*score.Result, files score.Files, o score.Options,
) (_ []*score.Result, compared []results.Row, err error) {
	files.Path, o.Model = c.Compare, ""
	other, err := files.Score(a.ctx, o)
	if err != nil {
		return nil, nil, c.explain(err)
	}
	nameFlag(other)
	for _, m := range models {
		rows, err := score.Compare(m, other)
		if errors.Is(err, score.ErrOption) {
			return nil, nil, usagef("--compare: %v; --model names PRED", err)
		}
		if err != nil {
			return nil, nil, c.explain(err)
		}
		compared = append(compared, rows...)
	}
	return append(models, other), compared, nil
}

// nameFlag says in the note of a guessed data set which flag names it.
func nameFlag(m *score.Result) {
	for i, n := range m.Notes {
		if strings.HasSuffix(n, score.NameDataset) {
			m.Notes[i] = n + datasetFlag
		}
	}
}

// datasetFlag ends what asks for the name of a data set.
const datasetFlag = " with --dataset NAME"

func joinLayouts(list []predictions.Layout) string {
	var names []string
	for _, l := range list {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// explain names the flag that an error calls for, and makes a question without a meaning a mistake of the command line.
func (c *scoreCmd) explain(err error) error {
	var unused *score.LayoutError
	switch {
	case errors.As(err, &unused):
		return usagef("--%s with layout %s (allowed: with %s)", unused.Option, unused.Layout, joinLayouts(unused.Allowed))
	case errors.Is(err, score.ErrNoLabels):
		return fmt.Errorf("%w; --labels gives them", err)
	case errors.Is(err, score.ErrNoFrames):
		return fmt.Errorf("%w; --frames says it", err)
	case errors.Is(err, score.ErrNoSeverity):
		return fmt.Errorf("%w; --severity says which", err)
	case errors.Is(err, score.ErrNoDataset):
		return usageError{fmt.Errorf("%w"+datasetFlag, err)}
	case errors.Is(err, score.ErrForm):
		return usageError{fmt.Errorf("--dataset: %w", err)}
	case errors.Is(err, score.ErrOption) && len(c.Ood) > 0:
		return usageError{fmt.Errorf("--ood: %w", err)}
	case errors.Is(err, metrics.ErrNotComputable) && c.Baseline != "auto" && c.Baseline != "none":
		return usageError{fmt.Errorf("--baseline %s: %w", c.Baseline, err)}
	case errors.Is(err, metrics.ErrNotComputable), errors.Is(err, metrics.ErrName), errors.Is(err, metrics.ErrOption),
		errors.Is(err, score.ErrOption):
		return usageError{err}
	}
	return err
}

// write writes the files that were asked for. What a matrix or records cannot hold is found before any of them is replaced, so rows
// come last.
func (c *scoreCmd) write(models []*score.Result, compared []results.Row) error {
	confusion, err := c.confusion(models[0])
	if err != nil {
		return err
	}
	if c.Records != "" {
		err := score.WriteRecords(c.Records, models...)
		if errors.Is(err, score.ErrOption) {
			return usagef("--records %v", err)
		}
		if err != nil {
			return err
		}
	}
	if c.Confusion != "" {
		if err := data.WriteFileAtomic(c.Confusion, confusion); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	rows := allRows(models, compared)
	for i := range rows {
		rows[i].Time = rows[i].Time.Truncate(time.Second)
	}
	return results.WriteFile(c.Out, rows)
}

// confusion returns the file that --confusion asks for.
func (c *scoreCmd) confusion(m *score.Result) ([]byte, error) {
	if c.Confusion == "" {
		return nil, nil
	}
	classes := m.ByClass()
	if classes == nil {
		return nil, usagef("--confusion %s: %s has no clean images", c.Confusion, m.Path)
	}
	var b bytes.Buffer
	err := classes.WriteCSV(&b)
	return b.Bytes(), err
}

func allRows(models []*score.Result, compared []results.Row) []results.Row {
	var rows []results.Row
	for _, m := range models {
		rows = append(rows, m.Rows...)
	}
	return append(rows, compared...)
}
