package score

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// Result is what was scored of one model.
type Result struct {
	Model, Dataset string
	Rows           []results.Row
	Notes          []string // what is missing or undefined, and why
	// Benchmark of corrupted or perturbed images, nil for clean ones.
	Benchmark *metrics.Profile
	// Path, of an ensemble the paths of all, Layout, Kind and Classes describe the files of [Files].
	Path    string
	Layout  predictions.Layout
	Kind    predictions.Kind
	Classes int

	cells      []*Cell // clean images first
	sets       []oodSet
	statistics []namedStatistic
	options    Options
}

// View is what all rows have of a view: that of Options, or what is said beside the files.
func (r *Result) View() results.View { return r.options.View }

// Cells scores the cells of one model: clean images, the corruptions of a -C form or the perturbations of a -P form, or
// clean images and corruptions. All cells are of the same images in the same order, as in the published benchmarks. With
// corruptions Options.Dataset is the name of the form ("cifar10-c") or of its base, and clean images are of the base. A corruption that
// the benchmark does not have is an error that wraps metrics.ErrName; what is missing for a mean is a note. Intervals need cells
// that keep their predictions ([Cell].Keep), and the error wraps [ErrOption] without.
func Cells(cells []*Cell, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("%w: no cells", ErrOption)
	}
	if o.Difficulty == 0 && cells[0] != nil {
		o.Difficulty = cells[0].hard
	}
	r := &Result{Model: o.Model, Dataset: o.Dataset, cells: cells, options: o}
	if err := r.checkCells(); err != nil {
		return nil, err
	}
	if cells[0].class != nil {
		r.Classes = cells[0].class.Classes()
	}
	names, kind := r.names()
	if len(names) > 0 {
		r.Dataset = benchmarkName(r.Dataset, kind, names)
		var err error
		if r.Benchmark, err = BenchmarkOf(r.Dataset, kind, names); err != nil {
			return nil, err
		}
	}
	return r, r.take(nil)
}

// checkCells refuses cells that are not of one kind, and places that no image or video can have.
func (r *Result) checkCells() error {
	clean := 0
	for _, c := range r.cells {
		switch {
		case c == nil || c.stability == nil && c.class == nil:
			return errNoCell
		case (c.stability == nil) != (r.cells[0].stability == nil):
			return fmt.Errorf("%w: images and videos", ErrOption)
		case r.options.Bootstrap.Replicates > 0 && !c.keeps():
			return fmt.Errorf("%w: intervals of %s, of which predictions were not kept (allowed: with Cell.Keep)", ErrOption, c.what())
		case c.stability != nil && c.hard != r.options.difficulty():
			return fmt.Errorf("%w: sequences of difficulty %d with Options.Difficulty %d (allowed: the same)", ErrOption, c.hard, r.options.Difficulty)
		case c.stability != nil:
		case c.Corruption != "" && !(c.Severity > 0 && c.Severity <= predictions.Severities):
			return fmt.Errorf("%w: severity %v of %s (allowed: above 0 and up to %d)", ErrOption, c.Severity, c.Corruption, predictions.Severities)
		case c.Corruption == "" && c.Severity != 0:
			return fmt.Errorf("%w: severity %v of clean images (allowed: 0)", ErrOption, c.Severity)
		case c.Corruption == "":
			clean++
		}
	}
	if clean > 1 {
		return fmt.Errorf("%w: clean images %d times", metrics.ErrDuplicate, clean)
	}
	return nil
}

// ByClass returns the predictions on clean images by class, nil where Options.PerClass did not ask for them or there are no
// clean images.
func (r *Result) ByClass() *Classes {
	for _, c := range r.cells {
		if c.ByClass != nil && c.ByClass.Classes() > 0 {
			return c.ByClass
		}
	}
	return nil
}

// withoutClasses says why there are no errors of classes.
func (r *Result) withoutClasses() string {
	if slices.ContainsFunc(r.cells, func(c *Cell) bool { return c.Corruption == "" }) {
		return "the cell of clean images did not count by class (allowed: with ByClass set before its first prediction)"
	}
	return "they are of clean images, and there are none"
}

// names returns the corruptions or perturbations of the cells, and which of the two they are.
func (r *Result) names() (names []string, kind metrics.Kind) {
	for _, c := range r.cells {
		if c.stability != nil {
			kind = metrics.PerturbationKind
		}
		if c.Corruption != "" && !slices.Contains(names, c.Corruption) {
			names = append(names, c.Corruption)
		}
	}
	return names, kind
}

// datasetOf returns the name of the data set in a cell's rows: clean images are of what a form is made from.
func (r *Result) datasetOf(c *Cell) string {
	if c.Corruption == "" {
		return results.SampleSet(r.Dataset)
	}
	return r.Dataset
}

// take takes everything of the cells.
func (r *Result) take(sets []oodSet) error {
	o := &r.options
	t := &taking{notes: r.Notes}
	if o.Bootstrap.Replicates > 0 {
		t.bootstrap = &o.Bootstrap
	}
	if err := r.same(); err != nil {
		return err
	}
	if v := r.cells[0].origin.view; o.View == (results.View{Among: o.View.Among}) {
		v.Among = cmp.Or(v.Among, o.View.Among)
		o.View = v
	}
	base := o.base()
	base.Model = r.Model
	for _, c := range r.cells {
		if c.rows == 0 || c.stability == nil && c.class.N() == 0 {
			continue
		}
		at := base
		at.Dataset = r.datasetOf(c)
		if c.stability != nil {
			at.Difficulty = o.difficulty()
		}
		if err := r.takeCell(t, c, at); err != nil {
			return err
		}
	}
	base.Dataset = r.Dataset
	if r.Benchmark != nil {
		if err := r.takeMeans(t, base); err != nil {
			return err
		}
	}
	if len(sets) > 0 {
		base.Dataset = results.SampleSet(r.Dataset)
		if err := t.ood(base, r.cells[0], sets); err != nil {
			return err
		}
	}
	if o.PerClass && r.ByClass() == nil {
		t.note("no errors of classes: %s", r.withoutClasses())
	}
	for i := range t.rows {
		r.addOrigins(&t.rows[i])
	}
	for i := range t.statistics {
		r.addOrigins(&t.statistics[i].row)
	}
	r.Rows, r.Notes, r.statistics = t.rows, t.notes, t.statistics
	return nil
}

// takeCell takes the metrics of one cell; intervals of clean images and of sequences only, as those of single
// corruptions would take the most time and say the least.
func (r *Result) takeCell(t *taking, c *Cell, base results.Row) error {
	var kept *metrics.Records
	if t.bootstrap != nil && c.Corruption == "" {
		var err error
		if kept, err = c.samples.Records(); err != nil {
			return err
		}
	}
	m := &r.options.Metrics
	switch {
	case c.numbers:
		t.note("predicted classes alone: errors only; likelihood and calibration need logits or probabilities")
	case c.stability != nil && c.most > 0: // as only videos of class numbers have it
		t.note("predicted classes alone: flip probabilities only; distances need logits or probabilities")
	case c.stability == nil && !m.Uncalibrated:
		if why := m.NoBins(c.rows); why != "" {
			t.note("%s", why)
		}
	}
	return t.cell(c, base, m, kept)
}

// takeMeans takes the means of the benchmark.
func (r *Result) takeMeans(t *taking, base results.Row) error {
	book := &Book{Profile: func(string) *metrics.Profile { return r.Benchmark }}
	book.Add(t.rows...)
	if r.Benchmark.Kind == metrics.PerturbationKind {
		base.Difficulty = r.options.difficulty()
	}
	s := newMeans(book, base)
	var images imageGrids
	if other := r.otherIDs(); t.bootstrap != nil && other != nil {
		t.note("no intervals of means: ids of %s are not those of %s, or in another order", other.what(), r.cells[0].what())
	} else if t.bootstrap != nil {
		images = imageGrids{r: r, grids: map[metrics.Quantity]*metrics.ImageGrid{}}
		s.made = func(row *results.Row, m *meanOf) error {
			if m.quantity == metrics.Other {
				return nil
			}
			one := &taking{rows: []results.Row{*row}, notes: t.notes, statistics: t.statistics, bootstrap: t.bootstrap}
			stat, err := images.statistic(m)
			if err := one.interval(stat, err); err != nil {
				return err
			}
			*row, t.notes, t.statistics = one.rows[0], one.notes, one.statistics
			return nil
		}
	}
	present, _ := s.parts()
	s.noteMissing(present)
	if r.Benchmark.Kind == metrics.CorruptionKind {
		for _, name := range present {
			if err := s.corruption(name); err != nil {
				return err
			}
		}
	}
	if err := s.benchmark(&r.options.Baseline); err != nil {
		return err
	}
	t.rows = append(t.rows, s.rows...)
	for _, n := range s.notes {
		t.notes = addNote(t.notes, n)
	}
	return nil
}

// imageGrids are the numbers of every image of every cell, for intervals of means.
type imageGrids struct {
	r     *Result
	grids map[metrics.Quantity]*metrics.ImageGrid
}

// statistic returns a mean as a statistic of the images.
func (g *imageGrids) statistic(m *meanOf) (metrics.Statistic, error) {
	grid := g.grids[m.quantity]
	if grid == nil {
		var err error
		if grid, err = g.grid(m); err != nil {
			return nil, err
		}
		g.grids[m.quantity] = grid
	}
	return grid.Statistic(m.agg)
}

func (g *imageGrids) grid(m *meanOf) (*metrics.ImageGrid, error) {
	difficulty := 0
	if m.profile.Kind == metrics.PerturbationKind {
		difficulty = g.r.options.difficulty()
	}
	grid := metrics.NewImageGrid(m.profile, m.quantity, difficulty, g.r.cells[0].rows)
	for _, c := range g.r.cells {
		var err error
		switch {
		case c.stability == nil && c.Corruption == "":
			err = grid.SetClean(c.samples.Wrong())
		case c.stability == nil:
			if s := int(c.Severity); float64(s) == c.Severity { // no mean of the benchmark is over those between
				err = grid.Set(c.Corruption, s, c.samples.Wrong())
			}
		default:
			for i := range sequenceMetrics {
				if q := &sequenceMetrics[i]; q.name == m.part {
					err = grid.Set(c.Corruption, 1, q.values(c))
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return grid, nil
}

// same refuses cells that are not of the same images, as far as that can be seen, and names that the benchmark does not
// have.
func (r *Result) same() error {
	type place struct {
		corruption string
		severity   float64
	}
	first, seen := r.cells[0], map[place]bool{}
	for _, c := range r.cells {
		if at := (place{c.Corruption, c.Severity}); c.Corruption != "" {
			if seen[at] {
				return fmt.Errorf("%w: %s", metrics.ErrDuplicate, c.what())
			}
			seen[at] = true
			if err := metrics.NewGrid(r.Benchmark, metrics.Other).Set(c.Corruption, 1, 0); err != nil {
				return err
			}
		}
		switch {
		case c.rows != first.rows:
			return fmt.Errorf("%w: %d %s of %s, %d of %s: all parts of a benchmark are of the same ones",
				metrics.ErrLength, c.rows, c.each(), c.what(), first.rows, first.what())
		case c.origin.view != first.origin.view:
			return otherViews(c.what(), c.origin.view, first.what(), first.origin.view)
		case c.stability == nil && c.truths != first.truths:
			return fmt.Errorf("%w: the labels of %s are not those of %s: all parts of a benchmark are of the same images in "+
				"the same order", metrics.ErrLabel, c.what(), first.what())
		}
	}
	return nil
}

// otherIDs returns a cell whose images have other ids than those of the first, or the same ones in another order; nil where all are alike
// or have none. Its numbers are as good, but drawing an image means other ones in both.
func (r *Result) otherIDs() *Cell {
	first := &r.cells[0].order
	for _, c := range r.cells {
		if o := &c.order; first.named == first.n && o.named == o.n && o.ids != first.ids {
			return c
		}
	}
	return nil
}

// each is what a cell counts.
func (c *Cell) each() string {
	if c.stability != nil {
		return "videos"
	}
	return "images"
}

// what names a cell.
func (c *Cell) what() string {
	switch {
	case c.Corruption == "":
		return "clean images"
	case c.Severity > 0:
		return fmt.Sprintf("%s, severity %v", c.Corruption, c.Severity)
	}
	return c.Corruption
}

// WriteRecords writes the outcome of each prediction of the models, which Options.Keep has kept, to a file of the name, such as
// records.npz beside a results.jsonl: reports draw intervals and compare by pairs with it. Sequences have their flip probabilities
// and top-5 distances, test sets and out-of-distribution sets of [Files] their scores; other cells without labeled predictions have
// nothing. The error wraps [ErrOption] for predicted classes alone, which are not enough, and for a model of which nothing was kept or
// that is nil; then there is no file, or the one before.
func WriteRecords(name string, models ...*Result) error {
	if slices.Contains(models, nil) {
		return errNoResult
	}
	w, err := records.Create(name)
	if err != nil {
		return err
	}
	for _, m := range models {
		n, err := m.addTo(w)
		if err == nil && n == 0 {
			err = fmt.Errorf("%w: records of %s, of which no prediction was kept (allowed: with Options.Keep)", ErrOption, m.Model)
		}
		if err != nil {
			w.Abort()
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return w.Close()
}

// addTo adds the outcomes to a file of records and returns how many cells and series these are.
func (r *Result) addTo(w *records.Writer) (n int, err error) {
	for _, c := range r.cells {
		if c.numbers {
			return n, fmt.Errorf("%w: records of predicted classes alone (allowed: logits or probabilities)", ErrOption)
		}
		if c.samples.N() > 0 {
			if err := w.Add(r.at(c), &c.samples); err != nil {
				return n, err
			}
			n++
		}
	}
	for _, s := range r.series() {
		if err := w.AddSeries(s.Series, s.values); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// at names a cell in records.
func (r *Result) at(c *Cell) records.Cell {
	return records.Cell{
		Model: r.Model, Dataset: r.datasetOf(c), Corruption: c.Corruption, Severity: c.Severity, View: r.options.View,
	}
}

// recordedSeries is a series with its values.
type recordedSeries struct {
	records.Series
	values []float64
}

// series returns what records have of sequences and of out-of-distribution sets, named as package eval does.
func (r *Result) series() (list []recordedSeries) {
	add := func(at records.Cell, name string, values []float64) {
		if len(values) > 0 {
			list = append(list, recordedSeries{records.Series{Cell: at, Name: name}, values})
		}
	}
	for _, c := range r.cells {
		at := records.Sequences(r.at(c), r.options.difficulty())
		flips, top5 := c.Videos()
		add(at, results.FlipProbability, flips)
		add(at, results.Top5Distance, top5)
	}
	if len(r.sets) == 0 {
		return list
	}
	at := r.at(r.cells[0])
	base := results.Row{View: at.View}
	for i, score := range metrics.OODScores() {
		at.View = oodRow(base, "", score).View
		add(at, records.OODScore, r.cells[0].scores[i])
		for _, set := range r.sets {
			at.View = oodRow(base, set.name, score).View
			add(at, records.OODScore, set.cell.scores[i])
		}
	}
	return list
}
