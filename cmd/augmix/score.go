package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// scoreCmd turns saved predictions into numbers.
type scoreCmd struct {
	Pred []string `arg:"" name:"PRED" help:"Predictions: a file, or a folder of a benchmark. Several are several models." yaml:"pred"`

	Labels   string   `group:"Input" placeholder:"FILE" help:"True classes, where they are not in PRED, beside it as NAME.labels.npy, or in a folder as labels.npy." yaml:"labels"`
	Layout   string   `group:"Input" enum:"auto,single,cifar-c,imagenet-c,p,ood" default:"auto" help:"What PRED is: single, cifar-c, imagenet-c, p, ood, or told by its look (${default})." yaml:"layout"`
	Kind     string   `group:"Input" enum:"auto,logits,probs" default:"auto" help:"What the numbers are, where names do not say it: logits, probs, or told by the numbers (${default})." yaml:"kind"`
	Ood      []string `group:"Input" sep:"none" placeholder:"FILE" help:"Predictions of anomalous images, to be told from PRED's. Repeat for more sets." yaml:"ood"`
	Frames   int      `group:"Input" placeholder:"N" help:"p: frames of a video, where arrays do not say it." yaml:"frames"`
	Model    []string `group:"Input" sep:"none" placeholder:"NAME" help:"Names of the models (names of the files)." yaml:"model"`
	Dataset  string   `group:"Input" placeholder:"NAME" help:"Benchmark, such as cifar10-c or imagenet-p, or a name of your own; by default told by names and classes." yaml:"dataset"`
	Baseline string   `group:"Metrics" default:"auto" placeholder:"WHAT" help:"What mCE and mFR divide by: alexnet, a results.jsonl of your own model, none, or auto: alexnet where it has a meaning (${default})." yaml:"baseline"`

	Bins             []string `group:"Metrics" placeholder:"BINS" help:"Calibration bins: adaptive:N, N rows in each (100); equal:N, N of equal width (15). Separate both by a comma." yaml:"bins"`
	ReferenceBinning bool     `group:"Metrics" help:"Leave out the last adaptive bin, as the published code does by mistake." yaml:"reference-binning"`
	Difficulty       int      `group:"Metrics" default:"1" placeholder:"N" help:"p: compare frames N apart (${default}); for noise it names the files' difficulty." yaml:"difficulty"`
	Zipf             bool     `group:"Metrics" help:"p: the Zipf distance too, which takes longer." yaml:"zipf"`

	Bootstrap int     `group:"Uncertainty" placeholder:"N" help:"Intervals from N bootstrap replicates." yaml:"bootstrap"`
	Level     float64 `group:"Uncertainty" default:"0.95" placeholder:"P" help:"Level of intervals (${default})." yaml:"level"`
	Seed      uint64  `group:"Uncertainty" default:"0" help:"Seed of the bootstrap (${default})." yaml:"seed"`
	Compare   string  `group:"Uncertainty" placeholder:"OTHER" help:"Predictions of another model on the same images: differences PRED - OTHER with paired intervals." yaml:"compare"`

	Out     string `group:"Output" placeholder:"FILE" help:"Write rows as JSON lines (results.jsonl), in place of an earlier file." yaml:"-"`
	Records string `group:"Output" placeholder:"FILE" help:"Write what each prediction said (records.npz), for paired comparisons in reports." yaml:"-"`
	Jobs    int    `group:"Running" short:"j" placeholder:"N" help:"Workers (all cores); no number depends on it." yaml:"-"`
}

// Help is the end of "augmix score --help".
func (scoreCmd) Help() string {
	return `LAYOUTS
  single      one file: rows of logits or probabilities, one an image
  cifar-c     a folder with a file for each corruption, gaussian_noise.npy ..., whose rows are the
              images at severity 1, then at 2, up to 5; labels.npy has the labels once or five
              times; clean.npy may hold the clean images
  imagenet-c  a folder with gaussian_noise/1.npy, or gaussian_noise/1/ANY.npy, or
              gaussian_noise_1.npy, up to 5, and labels.npy; clean.npy as above
  p           a folder with a file for each perturbation: an array [videos, frames, classes], or
              of predicted classes [videos, frames] (integers), or rows with --frames; no labels
  ood         a file PRED of ordinary images and --ood files of anomalous ones; labels not needed

FILES
  npy         floats [rows, classes] of 16, 32 or 64 bits
  npz         arrays logits or probs, and labels, id
  csv, tsv    columns logit_0, logit_1, ... or prob_0, ... or 0, 1, ...; label; id. Without a line
              of names every column is a class
  jsonl       {"logits": [1.5, -2], "label": 0, "id": "a"} a line, or just the array
  parquet     a list column logits or probs or a column a class; label; id
  --labels    npy, npz, csv, tsv, jsonl, parquet, or txt with a number a line
  Other usual names (labels, targets, y; softmax, probabilities; filename, ...) are known too. Where
  both predictions and labels have ids, they must agree row by row.
  Probabilities must sum to one within 1e-4. NaN, infinite numbers, labels out of range, missing
  severities, unequal lengths and files cut short are errors that name file and row.

METRICS
  Names as in results.jsonl. Fractions there; the table shows errors in percent. Calibration: RMS and
  mean absolute error with adaptive bins (augmix and pixmix papers), ECE and maximum with bins of
  equal width. fpr95 takes the threshold whose recall is nearest to 95 %, as the published code does.
  auroc, aupr and fpr95 are by maximum softmax probability; names that end in _max_logit, _energy
  and _xent_uniform by other scores. aupr depends on the share of anomalous images: published
  figures are for one to five.
  mCE and mFR need all corruptions of the benchmark, and a baseline measured on the same benchmark:
  AlexNet's are ImageNet-C's and ImageNet-P's at 224 pixels.
  --bootstrap draws images (videos), each with all its corruptions.

EXAMPLES
  augmix score logits.npz
  augmix score logits.npy --labels labels.npy --bootstrap 1000 --out results.jsonl
  augmix score CIFAR-10-C-logits --model augmix --out results.jsonl
  augmix score imagenet-c-logits --layout imagenet-c --baseline alexnet
  augmix score augmix.npz --compare standard.npz
  augmix score cifar10-test.npy --ood svhn.npy --ood textures.npy`
}

// Run scores.
func (c *scoreCmd) Run(a *app) error {
	s, err := c.scorer(a)
	if err != nil {
		return err
	}
	var models []*scored
	for i, path := range c.Pred {
		m, err := s.score(path, c.Model, i)
		if err != nil {
			return explain(err)
		}
		same := func(o *scored) bool { return o.model == m.model }
		if slices.ContainsFunc(models, same) {
			return usagef("two models are called %s; --model gives them names, one for each PRED", m.model)
		}
		models = append(models, m)
	}
	var differences []difference
	if c.Compare != "" {
		other, err := s.score(c.Compare, nil, 0)
		if err != nil {
			return explain(err)
		}
		for _, m := range models {
			d, err := s.compare(m, other)
			if err != nil {
				return explain(err)
			}
			differences = append(differences, d...)
		}
		models = append(models, other)
	}
	if err := c.write(models, differences); err != nil {
		return err
	}
	rows, err := jsonRows(models, differences)
	if err != nil {
		return err
	}
	if a.JSON {
		for _, m := range models {
			for _, n := range m.notes {
				a.say("%s: %s", m.model, n)
			}
		}
	}
	return a.print(rows, tables(models, differences))
}

// explain makes a question without a meaning a mistake of the command line.
func explain(err error) error {
	if errors.Is(err, metrics.ErrMeaningless) || errors.Is(err, metrics.ErrName) || errors.Is(err, metrics.ErrOption) {
		return usageError{err}
	}
	return err
}

// scorer is a checked command line.
type scorer struct {
	*scoreCmd
	app      *app
	kind     predictions.Kind
	layout   predictions.Layout
	labels   *predictions.Labels
	adaptive metrics.Adaptive
	width    int
	keep     bool // what each row said
	workers  int
	versions map[string]string
	now      time.Time
	// baselines are those from a file, by what they are of.
	baselines map[metrics.Quantity]*metrics.Baseline
}

func (c *scoreCmd) scorer(a *app) (*scorer, error) {
	s := &scorer{
		scoreCmd: c, app: a, layout: predictions.Layout(c.Layout), width: metrics.DefaultWidthBins,
		keep: c.Bootstrap > 0 || c.Compare != "" || c.Records != "", workers: c.Jobs,
		versions: map[string]string{"augmix": build().Version, "go": runtime.Version()}, now: time.Now(),
	}
	if s.workers == 0 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	if c.Layout == "ood" {
		if len(c.Ood) == 0 {
			return nil, usagef("--layout ood without --ood: predictions of anomalous images are needed")
		}
		s.layout = predictions.Single
	}
	switch {
	case c.Jobs < 0 || c.Jobs > 1<<12:
		return nil, usagef("--jobs %d (allowed: 1 to %d, 0 for all cores)", c.Jobs, 1<<12)
	case c.Bootstrap < 0 || c.Bootstrap == 1 || c.Bootstrap > 1e6:
		return nil, usagef("--bootstrap %d (allowed: 2 to 1000000, 0 for no intervals)", c.Bootstrap)
	case !(c.Level > 0 && c.Level < 1):
		return nil, usagef("--level %v (allowed: above 0 and below 1)", c.Level)
	case c.Frames < 0:
		return nil, usagef("--frames %d (allowed: 2 and up)", c.Frames)
	case len(c.Model) > 0 && len(c.Model) != len(c.Pred):
		return nil, usagef("--model: %d names for %d models", len(c.Model), len(c.Pred))
	case c.Compare != "" && c.Bootstrap == 0:
		c.Bootstrap = 1000
	}
	var err error
	if s.kind, err = predictions.ParseKind(c.Kind); err != nil {
		return nil, usageError{err}
	}
	if err := s.readBins(); err != nil {
		return nil, err
	}
	if c.Labels != "" {
		if s.labels, err = predictions.ReadLabels(c.Labels); err != nil {
			return nil, err
		}
	}
	return s, s.readBaseline()
}

// readBins reads --bins.
func (s *scorer) readBins() error {
	s.adaptive.SkipLast = s.ReferenceBinning
	for _, text := range s.Bins {
		how, number, _ := strings.Cut(text, ":")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || how == "equal" && n > 10000 || how != "equal" && how != "adaptive" {
			return usagef("--bins %s (allowed: adaptive:N, N rows in a bin; equal:N, 1 to 10000 bins)", text)
		}
		if how == "equal" {
			s.width = n
		} else {
			s.adaptive.Size = n
		}
	}
	return nil
}

// readBaseline reads the figures of the user's own baseline.
func (s *scorer) readBaseline() error {
	switch s.Baseline {
	case "auto", "alexnet", "none":
		return nil
	}
	rows, err := results.ReadFile(s.Baseline)
	if err != nil {
		return err
	}
	s.baselines = map[metrics.Quantity]*metrics.Baseline{}
	model, clean := "", math.NaN()
	for i := range rows {
		r := &rows[i]
		if model != "" && model != r.Model {
			return fmt.Errorf("%s: rows of %s and of %s (allowed: one model as a baseline)", r.Place(), model, r.Model)
		}
		model = r.Model
		if r.View != "" || math.IsNaN(r.Value) {
			continue
		}
		if r.Corruption == "" {
			if _, form := results.SplitForm(r.Dataset); form == "" && r.Metric == results.Top1Error && r.Severity == 0 {
				clean = r.Value
			}
			continue
		}
		if err := s.addBaseline(r); err != nil {
			return err
		}
	}
	if len(s.baselines) == 0 {
		return fmt.Errorf("%s: no rows of corruptions or perturbations for a baseline", s.Baseline)
	}
	if b := s.baselines[metrics.ErrorRate]; b != nil && !math.IsNaN(clean) {
		b.Clean, b.HasClean = clean, true
	}
	return nil
}

// addBaseline takes a row that baselines are made of, and passes over others.
func (s *scorer) addBaseline(r *results.Located) error {
	q := metrics.Quantity(r.Metric) // the names are the same
	at, count := 0, 1
	switch {
	case q == metrics.ErrorRate && r.Severity > 0:
		at, count = r.Severity-1, predictions.Severities
	case q == metrics.FlipProbability, q == metrics.Top5Distance:
	default:
		return nil
	}
	b := s.baselines[q]
	if b == nil {
		b = &metrics.Baseline{
			Model: r.Model, Profile: r.Dataset, Quantity: q, Difficulty: r.Difficulty, Values: map[string][]float64{},
		}
		s.baselines[q] = b
	}
	if b.Profile != r.Dataset || b.Difficulty != r.Difficulty {
		return fmt.Errorf("%s: %s of %s at difficulty %d, the rows before are of %s at %d (allowed: one benchmark)", r.Place(), q,
			r.Dataset, r.Difficulty, b.Profile, b.Difficulty)
	}
	if b.Values[r.Corruption] == nil {
		b.Values[r.Corruption] = slices.Repeat([]float64{math.NaN()}, count) // refused when used
	}
	b.Values[r.Corruption][at] = r.Value
	return nil
}

// modelName names a model after its file.
func modelName(path string) string {
	name := filepath.Base(filepath.Clean(path))
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return name
}

// write writes the files that were asked for.
func (c *scoreCmd) write(models []*scored, differences []difference) error {
	if c.Out != "" {
		rows := allRows(models, differences)
		for i := range rows {
			rows[i].Time = rows[i].Time.Truncate(time.Second)
		}
		if err := results.WriteFile(c.Out, rows); err != nil {
			return err
		}
	}
	if c.Records == "" {
		return nil
	}
	w, err := records.Create(c.Records)
	if err != nil {
		return err
	}
	for _, m := range models {
		for _, cell := range m.cells {
			if cell.samples.N() == 0 {
				continue
			}
			at := records.Cell{
				Model: m.model, Dataset: m.datasetOf(cell), Corruption: cell.corruption, Severity: cell.severity,
			}
			if err := w.Add(at, &cell.samples); err != nil {
				w.Abort()
				return fmt.Errorf("%s: %w", c.Records, err)
			}
		}
	}
	return w.Close()
}

func allRows(models []*scored, differences []difference) []results.Row {
	var rows []results.Row
	for _, m := range models {
		rows = append(rows, m.rows...)
	}
	for _, d := range differences {
		rows = append(rows, d.row)
	}
	return rows
}

// jsonRows are the rows in the form of results.jsonl, as an array.
func jsonRows(models []*scored, differences []difference) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, r := range allRows(models, differences) {
		line, err := r.AppendLine(nil)
		if err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}
