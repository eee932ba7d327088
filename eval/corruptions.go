package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// Corrupted says which -C or C-bar form to measure.
type Corrupted struct {
	// Suffix of the data set's name in rows: results.SuffixC or results.SuffixCBar.
	Suffix string
	// Names are the corruptions, in order.
	Names []string

	// The form is made on the way of the clean sets that Open returns, by Plan (whose Names are not used) and Seed, ...
	Open func() (data.Source, error)
	Plan transform.Corruptions
	Seed uint64
	JPEG data.Encoding // images pass through this encoding, as those of folders do, where it is JPEG

	// ... or, where Dir is not empty, read from there, and prepared.
	Dir     string
	Prepare Prepare
}

// severitiesOfSets is how many severities a set on disk has.
var severitiesOfSets = []int{1, 2, 3, 4, 5}

// severities are those that are measured.
func (c *Corrupted) severities() []int {
	if c.Dir != "" {
		return severitiesOfSets
	}
	return c.Plan.Severities
}

// seed is the one of rows; images from disk have none.
func (c *Corrupted) seed() *uint64 {
	if c.Dir != "" {
		return nil
	}
	return &c.Seed
}

// Corruptions measures a corrupted form of the data set: rows for each corruption and severity, the mean of each
// corruption over its severities, and the benchmark's means where all of its corruptions and severities are there.
func (e *Evaluator) Corruptions(ctx context.Context, c *Corrupted) error {
	dataset := e.Dataset + c.Suffix
	t := &table{profile: e.profile(dataset, metrics.CorruptionKind, c.Names), values: map[string]map[string][]float64{}}
	t.errors = metrics.NewGrid(t.profile, metrics.ErrorRate)
	for _, name := range c.Names {
		base := e.base(dataset, c.seed())
		base.Corruption = name
		rows := e.known(base, e.wanted(), c.severities())
		if rows != nil && e.logitsThere(dataset, name) && e.Records.has(base, c.severities()) {
			e.Rows = append(e.Rows, rows...)
			if err := errors.Join(t.add(rows), e.examples(ctx, c, base, false)); err != nil {
				return err
			}
			continue
		}
		rows, err := e.corruption(ctx, c, base)
		if err == nil {
			err = e.examples(ctx, c, base, true)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := t.add(rows); err != nil {
			return err
		}
		means, err := t.corruption(base)
		if err != nil {
			return err
		}
		if err := e.put(append(rows, means...)...); err != nil {
			return err
		}
	}
	if clean, ok := e.cleanError(); ok {
		if err := t.errors.SetClean(clean); err != nil {
			return err
		}
	}
	rows, err := t.benchmark(e.base(dataset, c.seed()))
	if err != nil {
		return err
	}
	if e.Calibration && len(t.profile.Primary()) > 0 && t.whole() {
		pooled, err := e.Records.diagrams(e.base(dataset, c.seed()), t.profile.Primary(), c.severities())
		if err != nil {
			return err
		}
		rows = append(rows, pooled...)
	}
	return e.put(rows...)
}

// cleanError returns the error on clean images, if it was measured.
func (e *Evaluator) cleanError() (float64, bool) {
	for _, r := range e.Rows {
		if r.Dataset == e.Dataset && r.Corruption == "" && r.View == e.view() && r.Metric == results.Top1Error {
			return r.Value, true
		}
	}
	return 0, false
}

// corruption measures one corruption at all severities.
func (e *Evaluator) corruption(ctx context.Context, c *Corrupted, base results.Row) ([]results.Row, error) {
	severities := c.severities()
	accumulated := make([]metrics.Classification, len(severities))
	said := make([]records.Samples, len(severities))
	save, err := e.saver(base.Dataset, base.Corruption, len(severities))
	if err != nil {
		return nil, err
	}
	defer save.abort()
	s := e.stream(func(t *part, logits []float32) error {
		err := e.addRecord(&accumulated[t.variant], &said[t.variant], t, logits)
		return errors.Join(err, save.row(t.variant, t.label, logits))
	})
	if c.Dir != "" {
		err = e.corruptionFromDisk(ctx, c, base.Corruption, s)
	} else {
		err = e.corruptionOnTheWay(ctx, c, base.Corruption, s)
	}
	if err == nil {
		err = errors.Join(save.commit(), e.Records.put(base, severities, said))
	}
	if err != nil {
		return nil, err
	}
	var rows []results.Row
	for i := range accumulated {
		at := base
		at.Severity = severities[i]
		some, err := e.classification(at, &accumulated[i])
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func (e *Evaluator) corruptionOnTheWay(ctx context.Context, c *Corrupted, name string, s *stream) error {
	src, err := c.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	plan := c.Plan
	plan.Names = []string{name}
	j := job{
		source: data.Limit(src, e.Limit), expander: plan.Transform, jpeg: c.JPEG, seed: c.Seed, workers: e.Workers,
		report: e.reporter(name),
	}
	_, err = j.run(ctx, s)
	return err
}

// corruptionFromDisk reads all severities of a form that is there.
func (e *Evaluator) corruptionFromDisk(ctx context.Context, c *Corrupted, name string, s *stream) error {
	for i, severity := range severitiesOfSets {
		if err := e.severityFromDisk(ctx, c, name, i, s); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(c.Dir, name, strconv.Itoa(severity)), err)
		}
	}
	return nil
}

// severityFromDisk sends one severity through the stream as the given variant.
func (e *Evaluator) severityFromDisk(ctx context.Context, c *Corrupted, name string, variant int, s *stream) error {
	src, err := c.open(name, severitiesOfSets[variant])
	if err != nil {
		return err
	}
	defer src.Close()
	deliver := s.deliver
	s.deliver = func(t *part, logits []float32) error {
		t.variant = variant
		return deliver(t, logits)
	}
	defer func() { s.deliver = deliver }()
	j := job{
		source: data.Limit(src, e.Limit), expander: c.Prepare.expander, workers: e.Workers,
		report: e.reporter(filepath.Join(c.Dir, name, strconv.Itoa(severitiesOfSets[variant]))),
	}
	_, err = j.run(ctx, s)
	return err
}

// open opens a corruption of a form on disk at one severity: a part of the array Dir/NAME.npy, which holds all images
// of severity 1, then of 2, and so on, or the data set Dir/NAME/SEVERITY.
func (c *Corrupted) open(name string, severity int) (data.Source, error) {
	path := filepath.Join(c.Dir, name+".npy")
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if st, err := os.Stat(filepath.Join(c.Dir, name)); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("%w: %s holds neither %s.npy nor a folder %[3]s: %w", data.ErrFormat, c.Dir, name,
				fs.ErrNotExist)
		}
		return formats.Open(filepath.Join(c.Dir, name, strconv.Itoa(severity)), formats.Options{})
	case err != nil:
		return nil, err
	}
	src, err := formats.Open(path, formats.Options{})
	if err != nil {
		return nil, err
	}
	all, ok := src.(data.Indexed)
	k := len(severitiesOfSets)
	if !ok || all.Len() == 0 || all.Len()%k != 0 {
		return nil, errors.Join(fmt.Errorf("%w: %s has %d images, which is not a multiple of %d severities",
			data.ErrFormat, path, src.Info().Len, k), src.Close())
	}
	each := all.Len() / k
	return data.Slice(all, (severity-1)*each, severity*each), nil
}

// aggregate makes a row of an aggregate, none where cells are missing or where it has no meaning for the benchmark.
func aggregate(g *metrics.Grid, base results.Row, n int64, metric string, a metrics.Aggregate) ([]results.Row, error) {
	v, err := g.Value(a)
	switch {
	case errors.Is(err, metrics.ErrMissing), errors.Is(err, metrics.ErrMeaningless):
		return nil, nil
	case err != nil:
		return nil, err
	}
	base.Metric, base.Value, base.N = metric, v, n
	return []results.Row{base}, nil
}

// profile returns the benchmark of a data set's name, or one of the user's own.
func (e *Evaluator) profile(dataset string, kind metrics.Kind, names []string) *metrics.Profile {
	if p, err := metrics.LookupProfile(dataset); err == nil {
		return p
	}
	if _, form := results.SplitForm(dataset); form != "c-bar" {
		return metrics.OwnProfile(dataset, kind)
	}
	var list []metrics.Corruption
	for _, name := range names {
		list = append(list, metrics.Corruption{Name: name})
	}
	return metrics.OwnProfile(dataset, kind, list...)
}

func known(p *metrics.Profile, name string) bool {
	return slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return c.Name == name })
}
