package score

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Book holds the rows of one model and computes the means that no row carries: of one corruption over severities, of a
// benchmark, a group or a severity over corruptions, and CE, mCE, FR, mFR, T5D and mT5D, which divide by a baseline. A
// mean with a part missing is missing, and says which.
//
// Means of errors, flip probabilities and distances are those of metrics.Grid. Means of every other metric, such as
// calibration errors, are plain means over all cells. Where the cells of single severities are not there, means over
// corruptions are those of the rows that each corruption has.
type Book struct {
	// Profile returns what the means of a data set are over, nil for a set without a benchmark. A nil function is
	// [Benchmark], and the corruptions of its rows for a set of MedMNIST-C.
	Profile func(dataset string) *metrics.Profile
	// Baseline returns what CE, FR and T5D divide by, nil for nothing. A nil function is [AlexNet].
	Baseline func(q metrics.Quantity) *metrics.Baseline

	rows  map[results.Cell][]results.Row
	order []results.Cell      // of rows, each once
	names map[string][]string // corruptions of the rows of each data set, each once
	memo  map[results.Cell]Number
}

// Place returns where a book keeps a cell: sequences whose difficulty is not said have difficulty 1.
func Place(c results.Cell) results.Cell {
	if _, form := results.SplitForm(c.Dataset); form == "p" && c.Difficulty == 0 {
		c.Difficulty = 1
	}
	return c
}

// Add adds rows.
func (b *Book) Add(rows ...results.Row) {
	if b.rows == nil {
		b.rows, b.names = map[results.Cell][]results.Row{}, map[string][]string{}
	}
	for i := range rows {
		c := Place(results.ByCell(&rows[i]))
		if b.rows[c] == nil {
			b.order = append(b.order, c)
			if c.Corruption != "" && !slices.Contains(b.names[c.Dataset], c.Corruption) {
				b.names[c.Dataset] = append(b.names[c.Dataset], c.Corruption)
			}
		}
		b.rows[c] = append(b.rows[c], rows[i])
	}
	b.memo = nil
}

// Cells returns the cells that have rows, in the order in which they were added.
func (b *Book) Cells() []results.Cell { return slices.Clone(b.order) }

// Computed returns the cells whose numbers were asked for and computed, in no order.
func (b *Book) Computed() []results.Cell {
	var out []results.Cell
	for c, n := range b.memo {
		if n.State == Computed && n.Has() {
			out = append(out, c)
		}
	}
	return out
}

// Get returns the number of a cell: given, computed or missing.
func (b *Book) Get(c results.Cell) Number {
	c = Place(c)
	n, ok := b.memo[c]
	if !ok {
		if n = b.Given(c); n.State == Missing && n.Note == "" {
			n, _ = b.compute(c) // the number says what the error does
		}
		if b.memo == nil {
			b.memo = map[results.Cell]Number{}
		}
		b.memo[c] = n
	}
	return n
}

// Given returns the number of the rows of a cell: of one, or of one for each seed their mean; rows of one value are one. Without rows
// it is missing without a note, and with rows that cannot be averaged with one that says why.
func (b *Book) Given(c results.Cell) Number {
	rows := b.rows[Place(c)]
	if len(rows) == 0 {
		return missing("")
	}
	if why := unlike(rows); why != "" {
		return missing("%d rows %s", len(rows), why)
	}
	r := &rows[0]
	values := make([]float64, len(rows))
	var seeds []uint64
	for i := range rows {
		if rows[i].Seed != nil && !slices.Contains(seeds, *rows[i].Seed) {
			seeds = append(seeds, *rows[i].Seed)
		}
		if values[i] = rows[i].Value; r.Interval == nil && rows[i].Interval != nil {
			r = &rows[i]
		}
	}
	n := Number{State: Given, Value: r.Value, N: r.N, Seeds: seeds, Row: r}
	if iv := r.Interval; iv != nil {
		n.Lo, n.Hi, n.Level = iv.Lo, iv.Hi, iv.Level
	}
	if slices.Min(values) != slices.Max(values) {
		if len(seeds) < len(rows) {
			return missing("%d rows of %d seeds contradict each other", len(rows), len(seeds))
		}
		n.State, n.Value, n.Level, n.Row = Computed, mean(values), 0, nil
		n.Note = fmt.Sprintf("mean of %d rows of different seeds, from %s to %s", len(rows), plain(slices.Min(values)),
			plain(slices.Max(values)))
	}
	if math.IsNaN(n.Value) {
		return missing("recorded as undefined")
	}
	return n
}

// unlike says why rows of one cell are not of one number, measured with different seeds; "" where they are.
func unlike(rows []results.Row) string {
	first := &rows[0]
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Data != "" && first.Data != "" && r.Data != first.Data:
			return "of other samples under one name"
		case r.Origin != first.Origin:
			return "that are measured and published"
		case r.Versions[results.VersionBaseline] != first.Versions[results.VersionBaseline]:
			return "over different baselines"
		case r.Versions[results.VersionBins] != first.Versions[results.VersionBins]:
			return "of different bins"
		}
	}
	return ""
}

// compute makes a number of a cell that has no row from the rows of its parts. The error says what is missing in the
// words of package metrics; the number says it for readers.
func (b *Book) compute(c results.Cell) (Number, error) {
	if c.Metric == results.Top1Error {
		a := c
		a.Metric = results.Accuracy
		if n := b.Given(a); n.Has() {
			return Number{State: Computed, Value: 1 - n.Value, N: n.N, Seeds: n.Seeds, Note: "1 − accuracy"}, nil
		}
	}
	m, err := b.meanOf(c)
	if err != nil {
		return missing("no row of %s on %s", c.MetricName(c.Metric), results.DisplayName(c.Dataset)), err
	}
	return b.take(m)
}

func (b *Book) profile(dataset string) *metrics.Profile {
	if b.Profile != nil {
		return b.Profile(dataset)
	}
	p := Benchmark(dataset)
	if p == nil || p.Kind != metrics.CorruptionKind || !metrics.OfMedMNISTC(b.names[dataset]...) {
		return p
	}
	if own, err := BenchmarkOf(dataset, p.Kind, b.names[dataset]); err == nil {
		return own
	}
	return p
}

func (b *Book) baseline(q metrics.Quantity) *metrics.Baseline {
	if b.Baseline != nil {
		return b.Baseline(q)
	}
	return AlexNet(q)
}

// take computes a mean of the parts that have rows.
func (b *Book) take(m *meanOf) (Number, error) {
	out := Number{State: Computed}
	grid := m.grid()
	var values []float64
	undefined, fewest, most := false, math.MaxInt, 0 // seeds behind a part
	for _, name := range m.names {
		for s := m.from; s <= m.to; s++ {
			if len(b.rows[m.at(name, s)]) == 0 {
				continue
			}
			n := b.Given(m.at(name, s))
			if n.Has() && grid != nil {
				if err := grid.Set(name, s, n.Value); err != nil {
					return missing("%v", err), err
				}
			}
			undefined = undefined || !n.Has()
			out.count(&n, len(values) == 0)
			values = append(values, n.Value)
			fewest, most = min(fewest, max(len(n.Seeds), 1)), max(most, len(n.Seeds), 1)
		}
	}
	all := len(m.names) * (m.to - m.from + 1)
	if len(values) < all && m.baseline == nil {
		if n, ok := b.overCorruptions(m); ok {
			return n, nil
		}
	}
	var err error
	switch {
	case most > 1 && fewest < most: // a mean would weigh some corruptions by other runs than the rest
		err = fmt.Errorf("%w: cells of %d and of %d seeds", metrics.ErrMissing, fewest, most)
		return missing("parts of it are of %d seeds, others of %d", fewest, most), err
	case undefined:
		out.Value, out.Note = math.NaN(), "a part of it is undefined"
		return out, nil
	case grid != nil:
		if m.relative {
			if err := b.setClean(m, grid); err != nil {
				return missing("%v", err), err
			}
		}
		out.Value, err = grid.Value(m.agg)
	case len(values) < all:
		err = fmt.Errorf("%w: %s needs all of its %d cells", metrics.ErrMissing, m.agg.Name, all)
	default:
		out.Value = mean(values)
	}
	if errors.Is(err, metrics.ErrUndefined) {
		out.Value, out.Note = math.NaN(), strings.TrimPrefix(err.Error(), "metrics: ")
		return out, err
	}
	if err != nil {
		return b.lacking(m, len(values), all, err), err
	}
	out.Note = m.note()
	return out, nil
}

// bins says which bins the rows behind a mean of calibration errors have, as results.VersionBins does; "" for the default ones.
func (b *Book) bins(m *meanOf) string {
	var found []string
	for _, name := range m.names {
		for s := range m.to + 1 { // 0: over severities
			for _, r := range b.rows[m.at(name, s)] {
				if bins := r.Versions[results.VersionBins]; bins != "" && !slices.Contains(found, bins) {
					found = append(found, bins)
				}
			}
		}
	}
	return strings.Join(found, " and ")
}

// clean is the cell of the clean error of a form.
func (b *Book) clean(dataset string, v results.View) results.Cell {
	return results.Cell{Dataset: results.Base(dataset), View: v, Metric: results.Top1Error}
}

// setClean gives a grid the clean error, if there is one.
func (b *Book) setClean(m *meanOf, grid *metrics.Grid) error {
	if n := b.Get(b.clean(m.cell.Dataset, m.cell.View)); n.Has() {
		return grid.SetClean(n.Value)
	}
	return nil
}

// overCorruptions is the mean of the rows that the corruptions have over their severities.
func (b *Book) overCorruptions(m *meanOf) (Number, bool) {
	if m.cell.Corruption != "" || m.cell.Severity != 0 || m.profile.Kind != metrics.CorruptionKind {
		return Number{}, false
	}
	out := Number{State: Computed}
	var values []float64
	for _, name := range m.names {
		n := b.Get(m.at(name, 0))
		if !n.Has() {
			return Number{}, false
		}
		out.count(&n, len(values) == 0)
		values = append(values, n.Value)
	}
	out.Value, out.Note = mean(values), m.note()
	return out, true
}

// lacking is the number of a mean that has not all of its parts.
func (b *Book) lacking(m *meanOf, have, all int, err error) Number {
	none := missing("no row of %s on %s", m.cell.MetricName(m.cell.Metric), results.DisplayName(m.cell.Dataset))
	single := m.cell.Corruption != "" || m.baseline != nil
	switch {
	case single && have == 0:
		return none
	case have == all || !errors.Is(err, metrics.ErrMissing):
		return missing("%s", strings.TrimPrefix(err.Error(), "metrics: "))
	case m.baseline != nil:
		return missing("only %d of %d cells", have, all)
	case single:
		return missing("only %d of %d %s", have, all, m.unit())
	}
	whole := 0
	for _, name := range m.names {
		n := b.Get(m.at(name, 0))
		if m.cell.Severity > 0 {
			n = b.Given(m.at(name, int(m.cell.Severity)))
		}
		if n.Has() {
			whole++
		}
	}
	if whole == 0 {
		return none
	}
	return missing("only %d of %d %s", whole, len(m.names), m.unit())
}
