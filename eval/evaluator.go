package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Model is what is measured: a classifier and what its images go through.
type Model struct {
	Predictor Predictor
	Name      string // in rows
	// Preprocess is what every image goes through after its corruption, nil for nothing. Override says that this is not
	// what the model was trained with.
	Preprocess Preprocess
	Override   bool
	// TenCrop averages the softmax over ten crops of each image, its corners and middle and their horizontal flips, each
	// as the model takes it and preprocessed by itself. Images must be larger than the model's. Adversarial, OOD and
	// Fourier then return an error that wraps ErrOption.
	TenCrop bool
}

// Evaluator measures one model: each suite is a method, which streams images through the model and has package score
// make rows of what comes out. Fields are set before the first suite and not changed.
type Evaluator struct {
	Model
	Store
	Dataset string // name of the clean data set in rows, such as "cifar10"; -c, -c-bar and -p are appended
	Data    string // fingerprint of its samples in rows, as data.Signature.Samples; "" if it is not known
	Part    string // of the data set that is looked at, in rows, where that is not all of it: "style"
	// Among is how many classes predictions are among, in rows, where that is not what the data set asks for; 0 where it is. See
	// the function Among.
	Among   int
	Limit   int // samples of every set, for a quick look; 0: all
	Workers int // goroutines that decode and corrupt, and that compute metrics; 0: all cores

	Calibration bool              // calibration metrics too
	Published   bool              // of these also those of the papers' code, see [score.Metrics]
	PerClass    bool              // Clean measures the error of each class too, and what it is confused with
	Classes     []string          // names of the classes by number, for PerClass; nil: they are called by their numbers
	Versions    map[string]string // of rows
	// Report is told how far the measurement called what is; nil: nobody listens.
	Report func(what string, done, total int)
	// Say is told what people should know of the numbers; nil: nobody listens.
	Say func(format string, args ...any)
	// Reused is told which measurements an earlier run has made; nil: nobody listens.
	Reused func(what string)

	together map[measurement]*tally // what [Evaluator.Together] measured
}

// base returns a row of a data set with everything but the measurement.
func (e *Evaluator) base(dataset string, seed *uint64) results.Row {
	return results.Row{
		Model: e.Name, Dataset: dataset, View: e.view(), Seed: seed, Data: e.Data, Versions: e.Versions,
		Time: time.Now(), Origin: results.Measured,
	}
}

// view says in rows that only some of the samples were looked at, that they were preprocessed in a way that is not the
// model's own, or that predictions are averages over crops, so that such rows are never taken for the benchmark's.
func (e *Evaluator) view() results.View {
	v := results.View{TenCrop: e.TenCrop, Among: e.Among, Limit: e.Limit, Part: e.Part}
	switch {
	case e.Override && e.Preprocess != nil:
		v.Preprocess = e.Preprocess.String()
	case e.Override:
		v.Preprocess = results.PreprocessNone
	}
	return v
}

// metrics are those of labeled images.
func (e *Evaluator) metrics() score.Metrics {
	return score.Metrics{Uncalibrated: !e.Calibration, Published: e.Published, Workers: e.Workers}
}

// NoBins says why sets that were measured lack RMS and MAD calibration errors, as score.Metrics.NoBins does; "" where all have them or
// none was to have any.
func (e *Evaluator) NoBins() string {
	m := e.metrics()
	for i := range e.Rows {
		if r := &e.Rows[i]; e.Calibration && r.Metric == results.ECE && r.Bins == 0 && r.N > 0 {
			if why := m.NoBins(int(r.N)); why != "" {
				return why
			}
		}
	}
	return ""
}

// wanted are the metrics that a measurement of still images has at least.
func (e *Evaluator) wanted() []string {
	if e.Calibration {
		return []string{results.Top1Error, results.ECE}
	}
	return []string{results.Top1Error}
}

// knownCells are the known rows of still images at the severities; nil where a calibration error lacks that of the papers' code, which
// is of two bins at least.
func (e *Evaluator) knownCells(base results.Row, severities []float64) []results.Row {
	old := e.known(base, e.wanted(), severities)
	m := e.metrics()
	count := func(skip bool) (n int) {
		for _, r := range old {
			if r.Metric == results.RMSCalibration && r.SkipLast == skip && m.NoBins(int(r.N)) == "" {
				n++
			}
		}
		return n
	}
	if e.Published && count(true) != count(false) {
		return nil
	}
	return old
}

// book returns an empty book of a form of the data set, whose clean error is in it if it was measured on the same samples as the form,
// given their fingerprint.
func (e *Evaluator) book(dataset string, kind metrics.Kind, names []string, samples string) (*score.Book, *metrics.Profile, error) {
	p, err := score.BenchmarkOf(dataset, kind, names)
	if err != nil {
		return nil, nil, err
	}
	b := &score.Book{Profile: func(string) *metrics.Profile { return p }}
	i := slices.IndexFunc(e.Rows, func(r results.Row) bool {
		return r.Dataset == e.Dataset && r.Corruption == "" && r.View == e.view() && r.Metric == results.Top1Error && r.Data == samples
	})
	if i >= 0 {
		b.Add(e.Rows[i])
	}
	return b, p, nil
}

// cleanBase returns the row of the clean set without the measurement.
func (e *Evaluator) cleanBase(p Prepare) (results.Row, error) {
	base := e.base(e.Dataset, nil)
	if results.IsForm(e.Dataset) { // rows of which are means
		return base, fmt.Errorf("%w: clean images of the data set %s, the name of a form (allowed: what it is made from, such as %s)", ErrOption,
			e.Dataset, results.Base(e.Dataset))
	}
	return base, e.ofImages(&base, e.read(p.text()))
}

// knownClean returns the rows of the clean set that an earlier run made, nil where they are not complete.
func (e *Evaluator) knownClean(base results.Row) []results.Row {
	rows := e.knownCells(base, []float64{0})
	if rows == nil || !e.logitsThere(base, "", nil) || !e.Records.has(base, []float64{0}) {
		return nil
	}
	if !e.PerClass {
		return rows
	}
	classes := e.knownClasses(base)
	if classes == nil {
		return nil
	}
	return append(rows, classes...)
}

// Clean measures a labeled data set as it is. The source stays open.
func (e *Evaluator) Clean(ctx context.Context, src data.Source, p Prepare) error {
	base, err := e.cleanBase(p)
	if err != nil {
		return err
	}
	if old := e.knownClean(base); old != nil {
		e.reuse("clean", old)
		return nil
	}
	k, err := e.tallied(base, nil)
	if k == nil && err == nil {
		k, err = e.measureClean(ctx, base, src, p)
	}
	if err != nil {
		return err
	}
	defer k.save.abort()
	rows, err := k.rows(base)
	if err == nil {
		err = e.agree(rows)
	}
	if err != nil {
		return err
	}
	if err := k.save.commit(); err != nil {
		return err
	}
	if err := e.saveConfusion(base, k.cells[0].ByClass); err != nil {
		return err
	}
	if err := e.Records.put(base, k.severities, k.said); err != nil {
		return err
	}
	return e.put(rows...)
}

// measureClean sends the clean set to the model.
func (e *Evaluator) measureClean(ctx context.Context, base results.Row, src data.Source, p Prepare) (*tally, error) {
	k, err := e.tally(base, nil)
	if err != nil {
		return nil, err
	}
	s := e.stream(k.add)
	s.shown(Form{Suite: suiteClean}, nil)
	j := job{
		source: data.Limit(src, e.Limit), expander: p.expander, workers: e.Workers, report: e.reporter("clean"),
	}
	if _, err := j.run(ctx, s); err != nil {
		k.save.abort()
		return nil, err
	}
	return k, nil
}

// reuse takes the rows of a measurement that an earlier run has made.
func (e *Evaluator) reuse(what string, rows []results.Row) {
	e.Rows = append(e.Rows, rows...)
	if e.Reused != nil {
		e.Reused(what)
	}
}

func (e *Evaluator) reporter(what string) func(done, total int) {
	if e.Report == nil {
		return nil
	}
	return func(done, total int) { e.Report(what, done, total) }
}

// addRow scores one row of logits, and keeps the outcome where records are wanted.
func (e *Evaluator) addRow(c *score.Cell, s *records.Samples, t *part, logits []float32) error {
	o, err := outcome(t, logits)
	if err != nil {
		return err
	}
	return e.addOutcome(c, s, &o, logits)
}

func (e *Evaluator) addOutcome(c *score.Cell, s *records.Samples, o *metrics.Outcome, logits []float32) error {
	if err := score.AddRow(c, o, logits); err != nil || e.Records == nil || s == nil {
		return err
	}
	return s.Add(o)
}

// outcome scores one row of logits.
func outcome(t *part, logits []float32) (o metrics.Outcome, err error) {
	if t.label == data.NoLabel {
		return o, data.Unlabeled(t.key)
	}
	if t.label >= len(logits) {
		return o, fmt.Errorf("%w: %s has label %d, the model has %d classes", data.ErrLabel, t.key, t.label, len(logits))
	}
	if o, err = metrics.Score(t.row, logits, t.label); err != nil {
		return o, fmt.Errorf("%s: %w", t.key, err)
	}
	return o, nil
}
