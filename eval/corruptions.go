package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
	"github.com/augmix-go/augmix/transform"
)

// CorruptionSuite says which -C or C-bar form to measure.
type CorruptionSuite struct {
	// Suffix of the data set's name in rows: results.SuffixC or results.SuffixCBar.
	Suffix string
	// Names are the corruptions, in order.
	Names []string

	// The form is made on the fly of the clean sets that Open returns, by Plan (whose Names are not used, and whose
	// Severities are all five where it has none) and Seed, ...
	Open func() (data.Source, error)
	Plan transform.Corruptions
	Seed uint64
	JPEG data.Encoding // images pass through this encoding, as those of folders do, where it is JPEG
	// GeneratedFrost says that the textures for frost, Plan's or those of the images in Dir, are generated; rows say so under
	// results.VersionFrost.
	GeneratedFrost bool
	// Parameters is a short hash of the parameters of Plan's own corruptions and tables, or of those that the images in Dir were
	// made with, where these are not published ones; empty: that of Plan.Tables.
	Parameters string
	// Styles says what Plan's corruption style_transfer takes styles of, and by which network: what was measured with others
	// is not taken for it.
	Styles string

	// ... or, where Dir is not empty, read from there, of Plan's severities, and prepared. Held are the severities that its arrays hold,
	// in their order; nil: 1 to 5, as published sets do. Classes are the names of the model's classes, by which the labels of
	// folders go; nil: the labels are as they are.
	Dir     string
	Held    []float64
	Prepare Prepare
	Classes []string
	// Rename gives the form's classes these names, as it does those of the clean set; nil: they have them.
	Rename *data.ClassMap
	// Clean is what the form in Dir is compared with; nil: with nothing.
	Clean *CleanSet
	disk  *diskForm                     // what came of it
	files map[string]map[float64]string // sums of the files of folders, by corruption and severity
}

// mark says in rows of the named corruptions, or of means over them, that frost is generated.
func (c *CorruptionSuite) mark(rows []results.Row, names ...string) {
	if !c.GeneratedFrost || !slices.Contains(names, "frost") {
		return
	}
	for i := range rows {
		if r := &rows[i]; r.Group == "" || r.Group == "weather" {
			r.Versions = results.AddVersions(r.Versions, map[string]string{results.VersionFrost: results.FrostGenerated})
		}
	}
}

// severitiesOfSets are the severities that a published set has, and those that are measured where none are named.
var severitiesOfSets = []float64{1, 2, 3, 4, 5}

// severities are those that are measured.
func (c *CorruptionSuite) severities() []float64 {
	if len(c.Plan.Severities) == 0 {
		return severitiesOfSets
	}
	return c.Plan.Severities
}

// ofBenchmarks are the corruptions that a benchmark may have.
func (c *CorruptionSuite) ofBenchmarks() []string {
	return slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return name == styletransfer.Name })
}

// seed is the one of rows; images from disk have none.
func (c *CorruptionSuite) seed() *uint64 {
	if c.Dir != "" {
		return nil
	}
	return &c.Seed
}

// Corruptions measures a corrupted form of the data set: rows for each corruption and severity, the mean of each
// corruption over its severities, and the benchmark's means where all of its corruptions and severities are there. The error wraps
// transform.ErrOption for names that Plan cannot make.
func (e *Evaluator) Corruptions(ctx context.Context, c *CorruptionSuite) error {
	if c.Dir == "" {
		plan := c.Plan
		plan.Names = c.Names
		if err := plan.Check(); err != nil {
			return err
		}
	}
	if err := e.compareCorruptions(ctx, c); err != nil {
		return err
	}
	dataset := e.Dataset + c.Suffix
	book, p, err := e.book(dataset, metrics.CorruptionKind, c.ofBenchmarks(), e.baseOf(c).Data)
	if err != nil {
		return err
	}
	for _, name := range c.Names { // what the benchmark lacks is in no mean over corruptions
		if !slices.ContainsFunc(p.Corruptions, func(has metrics.Corruption) bool { return has.Name == name }) {
			p.Corruptions = append(p.Corruptions, metrics.Corruption{Name: name, Extra: true})
		}
	}
	for _, name := range c.Names {
		base, err := e.corruptionBase(c, name)
		if err != nil {
			return err
		}
		rows := e.knownCorruption(c, base)
		if rows != nil {
			e.reuse(name, rows)
			book.Add(rows...)
			if err := e.examples(ctx, c, base, false); err != nil {
				return err
			}
			continue
		}
		rows, err = e.corruption(ctx, c, base)
		if err == nil {
			err = e.examples(ctx, c, base, true)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		book.Add(rows...)
		means, err := book.Means(e.baseOf(c), name)
		if err != nil {
			return err
		}
		rows = append(rows, means...)
		c.mark(rows, name)
		if err := e.put(rows...); err != nil {
			return err
		}
	}
	rows, _, err := book.BenchmarkMeans(e.baseOf(c), score.Baseline{})
	if err != nil {
		return err
	}
	pooled, err := e.Records.diagrams(e.baseOf(c), e.pooled(c), c.severities())
	if err != nil {
		return err
	}
	rows = append(rows, pooled...)
	c.mark(rows, c.Names...)
	e.Rows = append(e.Rows, e.knownDiagrams(c)...)
	return e.put(rows...)
}

// pooled names the corruptions whose predictions together make reliability diagrams: those of the benchmark, where all of them are
// measured; none where the diagrams are not wanted or known.
func (e *Evaluator) pooled(c *CorruptionSuite) []string {
	if !e.Calibration || e.Records == nil || e.knownDiagrams(c) != nil {
		return nil
	}
	p, err := score.BenchmarkOf(e.Dataset+c.Suffix, metrics.CorruptionKind, c.ofBenchmarks())
	if err != nil || slices.ContainsFunc(p.Primary(), func(name string) bool { return !slices.Contains(c.Names, name) }) {
		return nil
	}
	return p.Primary()
}

// knownDiagrams returns the rows of the reliability diagrams of all corruptions together that an earlier run made, nil where a
// severity lacks its own or none are wanted.
func (e *Evaluator) knownDiagrams(c *CorruptionSuite) []results.Row {
	if !e.Calibration {
		return nil
	}
	return slices.DeleteFunc(e.known(e.baseOf(c), []string{results.BinConfidence}, c.severities()), func(r results.Row) bool {
		return r.Bin == 0 || !slices.Contains(c.severities(), r.Severity)
	})
}

// baseOf returns the row of the form without a measurement. Parameters of the user's own are part of its view, so that no number
// is taken for one with published ones, or with others.
func (e *Evaluator) baseOf(c *CorruptionSuite) results.Row {
	base := e.base(e.Dataset+c.Suffix, c.seed())
	c.disk.mark(&base)
	if sum := c.parameters(); sum != "" {
		base.SetParameters(sum)
	}
	return base
}

// parameters is a short hash of parameters that are not the published ones, "" where there are none.
func (c *CorruptionSuite) parameters() string {
	if c.Parameters != "" || c.Plan.Tables == nil {
		return c.Parameters
	}
	return c.Plan.Tables.Sum()
}

// corruptionBase returns the row of a corruption without the measurement.
func (e *Evaluator) corruptionBase(c *CorruptionSuite, name string) (results.Row, error) {
	base := e.baseOf(c)
	base.Corruption = name
	if c.Dir == "" {
		marked := []results.Row{base}
		c.mark(marked, name)
		base = marked[0]
		return base, e.ofImages(&base, e.read(c.text(name)))
	}
	if err := e.ofImages(&base, c.disk.text(c.text(name))); err != nil {
		return base, err
	}
	return base, e.ofForm(&base, c)
}

// knownCorruption returns the rows of a corruption that an earlier run made, nil where they are not complete.
func (e *Evaluator) knownCorruption(c *CorruptionSuite, base results.Row) []results.Row {
	rows := e.knownCells(base, c.severities())
	if rows == nil || !e.logitsThere(base, base.Corruption, c.severities()) || !e.Records.has(base, c.severities()) {
		return nil
	}
	if slices.Contains(e.pooled(c), base.Corruption) && !e.Records.agrees(base, c.severities(), rows) {
		return nil
	}
	return rows
}

// corruption measures one corruption at all severities.
func (e *Evaluator) corruption(ctx context.Context, c *CorruptionSuite, base results.Row) ([]results.Row, error) {
	k, err := e.tallied(base, c.severities())
	if k == nil && err == nil {
		k, err = e.measureCorruption(ctx, c, base)
	}
	if err != nil {
		return nil, err
	}
	defer k.save.abort()
	rows, err := k.rows(base)
	if err == nil {
		err = e.agree(rows)
	}
	if err != nil {
		return nil, err
	}
	c.signFiles(rows)
	return rows, errors.Join(k.save.commit(), e.Records.put(base, k.severities, k.said))
}

// form says what images of a corruption are.
func (c *CorruptionSuite) form(name string) Form {
	return Form{Suite: strings.ReplaceAll(c.Suffix, "-", ""), Corruption: name}
}

// measureCorruption sends a corruption at all severities to the model.
func (e *Evaluator) measureCorruption(ctx context.Context, c *CorruptionSuite, base results.Row) (*tally, error) {
	k, err := e.tally(base, c.severities())
	if err != nil {
		return nil, err
	}
	s := e.stream(k.add)
	s.shown(c.form(base.Corruption), k.severities)
	if c.Dir != "" {
		err = e.corruptionFromDisk(ctx, c, base.Corruption, s)
	} else {
		err = e.corruptionOnTheFly(ctx, c, base.Corruption, s)
	}
	if err != nil {
		k.save.abort()
		return nil, err
	}
	return k, nil
}

// planOf is the plan of one corruption.
func (c *CorruptionSuite) planOf(name string) *transform.Corruptions {
	plan := c.Plan
	plan.Names, plan.Severities = []string{name}, c.severities()
	return &plan
}

func (e *Evaluator) corruptionOnTheFly(ctx context.Context, c *CorruptionSuite, name string, s *stream) error {
	src, err := c.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	j := job{
		source: data.Limit(src, e.Limit), expander: c.planOf(name).Transform, jpeg: c.JPEG, seed: c.Seed, workers: e.Workers,
		report: e.reporter(name),
	}
	_, err = j.run(ctx, s)
	return err
}

// corruptionFromDisk reads a form that is there.
func (e *Evaluator) corruptionFromDisk(ctx context.Context, c *CorruptionSuite, name string, s *stream) error {
	for i, severity := range c.severities() {
		if err := e.severityFromDisk(ctx, c, name, i, s); err != nil {
			return fmt.Errorf("%s: %w", c.place(name, severity), err)
		}
	}
	return nil
}

// severityFromDisk sends one severity through the stream as the given variant.
func (e *Evaluator) severityFromDisk(ctx context.Context, c *CorruptionSuite, name string, variant int, s *stream) error {
	severity := c.severities()[variant]
	src, err := c.open(name, severity)
	if err != nil {
		return err
	}
	defer src.Close()
	s.stamp = func(t *part) error {
		t.variant = variant
		return nil
	}
	place := c.place(name, severity)
	j := job{
		source: c.disk.limit(place, src, e.Limit), expander: c.Prepare.expander, workers: e.Workers, report: e.reporter(place),
	}
	_, err = j.run(ctx, s)
	return err
}

// matched gives a source that was opened the labels of c.Classes.
func (c *CorruptionSuite) matched(src data.Source, err error) (data.Source, error) {
	if err != nil {
		return nil, err
	}
	out, err := src, error(nil)
	if c.Rename != nil {
		out, err = c.Rename.Apply(src)
	}
	if err == nil {
		out, err = data.MatchClasses(out, c.Classes)
	}
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return out, nil
}
