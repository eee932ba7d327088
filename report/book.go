package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
)

// State says what stands behind a [Number].
type State uint8

const (
	// Missing: there is no such number; Note says why.
	Missing State = iota
	// Given by a row.
	Given
	// Computed from rows, exactly as the metric is defined.
	Computed
)

// Number is one number of one model.
type Number struct {
	State         State
	Value         float64
	Lo, Hi, Level float64 // interval; Level is 0 if there is none
	N             int64   // samples, 0 if not known
	Seeds         []uint64
	Note          string // of a computed or a missing number, or of a published one
	Printed       string // of a published number: as it is printed
	exact         *results.Row
}

// Has reports whether there is a value.
func (n *Number) Has() bool { return n.State != Missing && !math.IsNaN(n.Value) }

func missing(format string, args ...any) Number {
	return Number{Value: math.NaN(), Note: fmt.Sprintf(format, args...)}
}

// Subject is one model of one run, or one row of a paper's table.
type Subject struct {
	Name   string
	Model  string
	Origin results.Origin
	Source string // paper and table, or the run's name
	Color  int
	run    *Run
	cells  map[results.Cell][]results.Located
	memo   map[results.Cell]Number
	notes  map[results.Cell]published.Entry
	shelf  *shelf // nil without records
}

func newSubject(name, model string, origin results.Origin, source string) *Subject {
	return &Subject{
		Name: name, Model: model, Origin: origin, Source: source, cells: map[results.Cell][]results.Located{},
		memo: map[results.Cell]Number{}, notes: map[results.Cell]published.Entry{},
	}
}

// place gives cells of sequences the difficulty that is meant when none is said, and clean rows under the name of a -C
// set their own data set.
func place(c results.Cell) results.Cell {
	base, form := results.SplitForm(c.Dataset)
	if form == "p" && c.Difficulty == 0 {
		c.Difficulty = 1
	}
	if form == "c" && c.View == results.ViewClean && c.Corruption == "" && c.Severity == 0 {
		c.Dataset, c.View = base, ""
	}
	return c
}

func (s *Subject) add(r results.Located) {
	c := place(results.ByCell(&r.Row))
	s.cells[c] = append(s.cells[c], r)
}

// Get returns the number of a cell: given, computed or missing.
func (s *Subject) Get(c results.Cell) Number {
	c = place(c)
	if n, ok := s.memo[c]; ok {
		return n
	}
	n := s.get(c)
	if s.shelf != nil && n.Has() && n.Level == 0 && (c.Corruption == "" || c.Severity == 0) {
		s.shelf.interval(s, c, &n)
	}
	s.memo[c] = n
	return n
}

func (s *Subject) get(c results.Cell) Number {
	if rows := s.cells[c]; len(rows) > 0 {
		return s.given(c, rows)
	}
	if s.Origin == results.Published {
		return missing("not among the published numbers here")
	}
	return s.compute(c)
}

// given is the number of a cell's rows: one, or one for each seed.
func (s *Subject) given(c results.Cell, rows []results.Located) Number {
	r := &rows[0].Row
	n := Number{State: Given, Value: r.Value, N: r.N, exact: r}
	if e, ok := s.notes[c]; ok {
		n.Printed, n.Note = e.Printed, e.Note
	}
	if iv := r.Interval; iv != nil {
		n.Lo, n.Hi, n.Level = iv.Lo, iv.Hi, iv.Level
	}
	sum := 0.0
	for i := range rows {
		if rows[i].Seed != nil {
			n.Seeds = append(n.Seeds, *rows[i].Seed)
		}
		sum += rows[i].Value
	}
	if len(rows) > 1 {
		n.State, n.Value, n.Level, n.exact = Computed, sum/float64(len(rows)), 0, nil
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range rows {
			lo, hi = min(lo, rows[i].Value), max(hi, rows[i].Value)
		}
		n.Note = fmt.Sprintf("mean of %d rows of different seeds, from %s to %s", len(rows), plain(lo), plain(hi))
	}
	if math.IsNaN(n.Value) {
		return missing("recorded as undefined")
	}
	return n
}

// union adds the seeds of b that a does not have.
func union(a, b []uint64) []uint64 {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// averaged are the metrics whose mean over corruptions and severities is a published way to make one number.
var averaged = []string{
	results.Top1Error, results.Top5Error, results.FlipProbability, results.Top5Distance, results.ZipfDistance,
	results.RMSCalibration, results.MADCalibration, results.MaxCalibration, results.ECE, results.NLL, results.Brier,
	results.BrierBinary,
}

// compute makes an aggregate from its parts.
func (s *Subject) compute(c results.Cell) Number {
	if c.Metric == results.Top1Error {
		a := c
		a.Metric = results.Accuracy
		if n := s.Get(a); n.Has() {
			return Number{State: Computed, Value: 1 - n.Value, N: n.N, Seeds: n.Seeds, Note: "1 − accuracy"}
		}
	}
	p := profileOf(c.Dataset)
	if p == nil {
		return missing("no row of %s on %s", c.Metric, displayName(c.Dataset))
	}
	switch c.Metric {
	case results.CE, results.RelativeCE, results.MeanCE, results.RelativeMeanCE, results.FlipRate, results.MeanFlipRate:
		return s.normalised(c, p)
	}
	if !slices.Contains(averaged, c.Metric) {
		return missing("no row of %s on %s", c.Metric, displayName(c.Dataset))
	}
	switch {
	case c.Corruption != "" && c.Severity == 0 && p.Kind == metrics.CorruptionKind && c.View == "":
		var parts []results.Cell
		for sev := 1; sev <= p.Severities; sev++ {
			d := c
			d.Severity = sev
			parts = append(parts, d)
		}
		return s.mean(parts, "severities")
	case c.Corruption == "":
		names := p.Primary()
		if c.View != "" {
			names = p.Members(metrics.Group(c.View))
		}
		if len(names) == 0 {
			break
		}
		var parts []results.Cell
		for _, name := range names {
			d := c
			d.View, d.Corruption = "", name
			parts = append(parts, d)
		}
		return s.mean(parts, map[metrics.Kind]string{
			metrics.CorruptionKind: "corruptions", metrics.PerturbationKind: "perturbations",
		}[p.Kind])
	}
	return missing("no row of %s on %s", c.Metric, displayName(c.Dataset))
}

// mean is the plain mean of cells, if all are there.
func (s *Subject) mean(parts []results.Cell, what string) Number {
	out := Number{State: Computed, Note: fmt.Sprintf("computed: mean of the rows of %d %s", len(parts), what)}
	have, counted := 0, 0
	for _, c := range parts {
		n := s.Get(c)
		if !n.Has() {
			continue
		}
		have++
		out.Value += n.Value
		out.N += n.N
		out.Seeds = union(out.Seeds, n.Seeds)
		if n.N > 0 {
			counted++
		}
	}
	if counted < have {
		out.N = 0 // not known
	}
	switch {
	case have == 0:
		return missing("no row of %s on %s", parts[0].Metric, displayName(parts[0].Dataset))
	case have < len(parts):
		return missing("only %d of %d %s", have, len(parts), what)
	}
	out.Value /= float64(have)
	return out
}

// normalised computes what is divided by AlexNet's figures, where those mean something.
func (s *Subject) normalised(c results.Cell, p *metrics.Profile) Number {
	if c.Severity != 0 || c.View != "" {
		return missing("no row of %s on %s", c.Metric, displayName(c.Dataset))
	}
	grid, base, part := metrics.NewGrid(p, metrics.ErrorRate), metrics.AlexNetErrors(), results.Top1Error
	if p.Kind == metrics.PerturbationKind {
		grid, base = metrics.NewSequenceGrid(p, metrics.FlipProbability, max(c.Difficulty, 1)), metrics.AlexNetFlips()
		part = results.FlipProbability
	}
	var n int64
	var seeds []uint64
	have, all := 0, 0
	for _, name := range p.Primary() {
		for sev := 1; sev <= p.Severities; sev++ {
			d := results.Cell{
				Dataset: c.Dataset, Corruption: name, Severity: sev, Difficulty: c.Difficulty, Metric: part,
			}
			if p.Kind == metrics.PerturbationKind {
				d.Severity = 0
			}
			all++
			if v := s.Get(d); v.Has() && grid.Set(name, sev, v.Value) == nil {
				have++
				n += v.N
				seeds = union(seeds, v.Seeds)
			}
		}
	}
	base2, _ := results.SplitForm(c.Dataset)
	if clean := s.Get(results.Cell{Dataset: base2, Metric: results.Top1Error}); clean.Has() {
		_ = grid.SetClean(clean.Value) // a bad one is missing below
	}
	agg := map[string]metrics.Aggregate{
		results.CE: metrics.CE(c.Corruption, base), results.RelativeCE: metrics.RelativeCE(c.Corruption, base),
		results.MeanCE: metrics.MeanCE(base), results.RelativeMeanCE: metrics.RelativeMeanCE(base),
		results.FlipRate: metrics.Rate(c.Corruption, base), results.MeanFlipRate: metrics.MeanRate(base),
	}[c.Metric]
	v, err := grid.Value(agg)
	switch {
	case err == nil:
		return Number{
			State: Computed,
			Value: v,
			N:     n,
			Seeds: seeds,
			Note:  "computed from the rows and AlexNet's published figures",
		}
	case have == 0:
		return missing("no row of %s on %s", c.Metric, displayName(c.Dataset))
	case have < all:
		return missing("only %d of %d cells", have, all)
	}
	return missing("%v", err)
}
