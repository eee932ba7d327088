package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Evaluator measures one model. Fields are set before the first suite and not changed.
type Evaluator struct {
	Predictor Predictor
	Model     string // name of the model in rows
	Dataset   string // name of the clean data set in rows, such as "cifar10"; -c, -c-bar and -p are appended
	Workers   int    // goroutines that decode and corrupt; 0: all cores
	// Preprocess is what every image goes through after its corruption, nil for nothing. Foreign says that this is not
	// what the model was trained with.
	Preprocess preprocess.Method
	Foreign    bool
	// TenCrop averages the softmax over ten crops of each image, its corners and middle and their mirrors, each as the
	// model takes it and preprocessed by itself. Images must be larger than the model's. Adversarial, Anomalies and
	// Sensitivity then return an error that wraps ErrOption.
	TenCrop bool
	Limit   int // samples of every set, for a quick look; 0: all

	Calibration bool              // calibration metrics too
	LogitsDir   string            // where logits are saved; empty: nowhere
	Results     *results.Appender // where rows go as soon as they are there; nil: nowhere but into Rows
	Versions    map[string]string // of rows
	// Known are rows of an earlier run. What they hold completely is not measured again.
	Known   []results.Row
	Records *Recorder // keeps what each prediction on clean and corrupted images said; nil keeps nothing
	Gallery *Gallery  // keeps images that a corruption makes the model get wrong, as Records tells; nil keeps none
	// Report is told how far the measurement called what is; nil: nobody listens.
	Report func(what string, done, total int)

	// Rows are all rows so far, those taken from Known among them.
	Rows []results.Row
}

// base returns a row of a data set with everything but the measurement.
func (e *Evaluator) base(dataset string, seed *uint64) results.Row {
	return results.Row{
		Model: e.Model, Dataset: dataset, View: e.view(), Seed: seed, Versions: e.Versions, Time: time.Now(),
		Origin: results.Measured,
	}
}

// view says in rows that only some of the samples were looked at, that they were preprocessed in a way that is not the
// model's own, or that predictions are averages over crops, so that such rows are never taken for the benchmark's.
func (e *Evaluator) view() string {
	var parts []string
	if e.Foreign && e.Preprocess != nil {
		parts = append(parts, e.Preprocess.String())
	} else if e.Foreign {
		parts = append(parts, "not preprocessed")
	}
	if e.TenCrop {
		parts = append(parts, viewTen)
	}
	return results.LimitView(strings.Join(parts, ", "), e.Limit)
}

// put records rows. What an earlier run has written already is not written again.
func (e *Evaluator) put(rows ...results.Row) error {
	e.Rows = append(e.Rows, rows...)
	if e.Results == nil {
		return nil
	}
	fresh := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
		return slices.ContainsFunc(e.Known, func(k results.Row) bool {
			return k.Key() == r.Key() && k.N == r.N && (k.Value == r.Value || math.IsNaN(k.Value) &&
				math.IsNaN(r.Value))
		})
	})
	return errors.Join(e.Results.Append(fresh...), e.Results.Sync())
}

// known returns the rows of an earlier run that have the same model, data set, corruption, difficulty, view and seed as
// base, if they are complete: with each of the given metrics at each of the severities. Otherwise it returns nil.
func (e *Evaluator) known(base results.Row, wanted []string, severities []int) []results.Row {
	type measured struct {
		metric   string
		severity int
	}
	key := base.Key()
	have := map[measured]bool{}
	var found []results.Row
	for _, r := range e.Known {
		k := r.Key()
		k.Metric, k.Severity = key.Metric, key.Severity
		if k == key {
			have[measured{r.Metric, r.Severity}] = true
			found = append(found, r)
		}
	}
	for _, metric := range wanted {
		for _, s := range severities {
			if !have[measured{metric, s}] {
				return nil
			}
		}
	}
	return found
}

// wanted are the metrics that a measurement of still images has at least.
func (e *Evaluator) wanted() []string {
	if e.Calibration {
		return []string{results.Top1Error, results.ECE}
	}
	return []string{results.Top1Error}
}

// scalar is a metric of a set of labelled images.
type scalar struct {
	name string
	of   func(c *metrics.Classification) (float64, error)
}

// scalars are the metrics of a cell: the same, under the same names, as "augmix score" takes from saved logits.
func (e *Evaluator) scalars(classes int, rows uint64) []scalar {
	type class = metrics.Classification
	list := []scalar{{results.Top1Error, (*class).Error}}
	if classes > 5 {
		list = append(list, scalar{results.Top5Error, func(c *class) (float64, error) { return c.TopKError(5) }})
	}
	list = append(list, scalar{results.NLL, (*class).NLL}, scalar{results.Brier, (*class).Brier})
	if !e.Calibration {
		return list
	}
	var a metrics.Adaptive
	if rows >= metrics.DefaultBinSize { // fewer fill no bin
		list = append(list,
			scalar{results.RMSCalibration, func(c *class) (float64, error) {
				return c.Calibration().Error(metrics.RMS,
					a)
			}},
			scalar{results.MADCalibration, func(c *class) (float64, error) {
				return c.Calibration().Error(metrics.MAD,
					a)
			}},
			scalar{results.BrierRefinement, func(c *class) (float64, error) {
				p, err := c.Calibration().BrierParts(a)
				return p.Refinement, err
			}})
	}
	return append(list,
		scalar{results.ECE, func(c *class) (float64, error) { return c.EqualWidth().ECE() }},
		scalar{results.MaxCalibration, func(c *class) (float64, error) { return c.EqualWidth().MCE() }},
		scalar{results.BrierBinary, func(c *class) (float64, error) { return c.Calibration().BrierBinary() }},
		scalar{results.AURRA, func(c *class) (float64, error) { return c.Calibration().AURRA() }},
		scalar{results.SoftF1, func(c *class) (float64, error) { return c.Calibration().SoftF1() }})
}

// classification makes the rows of one cell: base with every metric of the accumulated rows. What is undefined on them
// is NaN.
func (e *Evaluator) classification(base results.Row, c *metrics.Classification) ([]results.Row, error) {
	base.N = int64(c.N())
	var rows []results.Row
	for _, x := range e.scalars(c.Classes(), c.N()) {
		v, err := x.of(c)
		if errors.Is(err, metrics.ErrUndefined) {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		base.Metric, base.Value = x.name, v
		rows = append(rows, base)
	}
	return rows, nil
}

// diagram returns the rows of a reliability diagram.
func diagram(base results.Row, width *metrics.EqualWidth) []results.Row {
	var bins []results.ReliabilityBin
	for _, b := range width.Bins() {
		bins = append(bins, results.ReliabilityBin{N: int64(b.N), Confidence: b.Confidence, Accuracy: b.Accuracy})
	}
	return results.ReliabilityRows(base, bins)
}

// Clean measures a labelled data set as it is. The source stays open.
func (e *Evaluator) Clean(ctx context.Context, src data.Source, p Prepare) error {
	base := e.base(e.Dataset, nil)
	if old := e.known(base, e.wanted(), []int{0}); old != nil && e.logitsThere(e.Dataset, "") &&
		e.Records.has(base, []int{0}) {
		e.Rows = append(e.Rows, old...)
		return nil
	}
	var c metrics.Classification
	var said [1]records.Samples
	save, err := e.saver(e.Dataset, "", 1)
	if err != nil {
		return err
	}
	defer save.abort()
	s := e.stream(func(t *part, logits []float32) error {
		return errors.Join(e.addRecord(&c, &said[0], t, logits), save.row(0, t.label, logits))
	})
	j := job{
		source: data.Limit(src, e.Limit), expander: p.expander, workers: e.Workers, report: e.reporter("clean"),
	}
	if _, err := j.run(ctx, s); err != nil {
		return err
	}
	if err := save.commit(); err != nil {
		return err
	}
	rows, err := e.classification(base, &c)
	if err != nil {
		return err
	}
	if err := e.Records.put(base, []int{0}, said[:]); err != nil {
		return err
	}
	if e.Calibration {
		rows = append(rows, diagram(base, c.EqualWidth())...)
	}
	return e.put(rows...)
}

func (e *Evaluator) reporter(what string) func(done, total int) {
	if e.Report == nil {
		return nil
	}
	return func(done, total int) { e.Report(what, done, total) }
}

// addRow scores one row of logits.
func addRow(c *metrics.Classification, t *part, logits []float32) error {
	_, err := scoreRow(c, t, logits)
	return err
}

// scoreRow scores one row of logits and returns the outcome that it added to c.
func scoreRow(c *metrics.Classification, t *part, logits []float32) (o metrics.Outcome, err error) {
	if t.label == data.NoLabel {
		return o, fmt.Errorf("%w: %s has no label", data.ErrLabel, t.key)
	}
	if t.label >= len(logits) {
		return o, fmt.Errorf("%w: %s has label %d, the model has %d classes", data.ErrLabel, t.key, t.label, len(logits))
	}
	if o, err = metrics.Score(t.row, logits, t.label); err != nil {
		return o, fmt.Errorf("%s: %w", t.key, err)
	}
	return o, c.Add(&o)
}

// logitsThere reports whether the logits of a measurement need not be made: none are wanted, or they are there.
func (e *Evaluator) logitsThere(dataset, corruption string) bool {
	if e.LogitsDir == "" {
		return true
	}
	_, err := os.Stat(e.logitsPath(dataset, corruption))
	return err == nil
}

func (e *Evaluator) logitsPath(dataset, corruption string) string {
	if corruption == "" {
		return filepath.Join(e.LogitsDir, dataset+".npy")
	}
	return filepath.Join(e.LogitsDir, dataset, corruption+".npy")
}
