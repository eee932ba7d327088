package score

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Means returns the rows of the means of one corruption over its severities, of those metrics that its cells have. Base
// is a row of the benchmark without a measurement. There are none where severities are missing.
func (b *Book) Means(base results.Row, corruption string) ([]results.Row, error) {
	s := newMeans(b, base)
	err := s.corruption(corruption)
	return s.rows, err
}

// BenchmarkMeans returns the rows of the means over corruptions (of all, of severities, of groups; of errors and of the
// other metrics that cells have) or over perturbations, and those that divide by a baseline. Base is as for
// [Book.Means]. What is missing is left out, with a note that says why; what a required baseline cannot divide is an
// error. The error wraps metrics.ErrNotComputable for a data set that is no benchmark.
func (b *Book) BenchmarkMeans(base results.Row, baseline Baseline) (rows []results.Row, notes []string, err error) {
	s := newMeans(b, base)
	if s.profile == nil {
		return nil, nil, fmt.Errorf("%w: means of %q (allowed: a benchmark of corruptions or perturbations)", metrics.ErrNotComputable,
			base.Dataset)
	}
	err = s.benchmark(&baseline)
	return s.rows, s.notes, err
}

// means makes rows of what a book computes.
type means struct {
	book    *Book
	base    results.Row
	profile *metrics.Profile
	rows    []results.Row
	notes   []string
	// partial: what is missing has been said in one note, and every mean that lacks it is left out without another.
	partial bool
	// made is told of every row that was added; nil: nobody listens.
	made func(r *results.Row, m *meanOf) error
}

func newMeans(b *Book, base results.Row) *means {
	base.Difficulty = Place(results.ByCell(&base)).Difficulty
	own := *b // the book stays as it is: a baseline that was asked for is of these means alone
	own.memo = nil
	return &means{book: &own, base: base, profile: b.profile(base.Dataset)}
}

// add adds the row of a mean if the book can compute it, and reports whether it could. What is missing makes a note.
func (s *means) add(c results.Cell) (bool, error) {
	group, skip := c.Group, c.SkipLast
	c.Dataset, c.Difficulty, c.View = s.base.Dataset, s.base.Difficulty, s.base.View
	c.Group, c.SkipLast = group, skip
	m, err := s.book.meanOf(Place(c))
	if err != nil {
		return false, nil
	}
	n, err := s.book.take(m)
	switch {
	case errors.Is(err, metrics.ErrMissing) && s.partial:
		return false, nil
	case errors.Is(err, metrics.ErrMissing), errors.Is(err, metrics.ErrNotComputable):
		s.notes = addNote(s.notes, strings.TrimPrefix(err.Error(), "metrics: "))
		return false, nil
	case errors.Is(err, metrics.ErrUndefined):
		s.notes = addNote(s.notes, fmt.Sprintf("%s: %v", c.MetricName(c.Metric), err))
	case err != nil:
		return false, err
	}
	r := s.base
	r.Corruption, r.Severity, r.View, r.Metric, r.Value, r.N = c.Corruption, c.Severity, c.View, c.Metric, n.Value, n.N
	if m.baseline != nil {
		if own := whose(m.baseline); own != "" {
			setVersion(&r, results.VersionBaseline, own)
		}
	}
	if bins := s.book.bins(m); bins != "" {
		setVersion(&r, results.VersionBins, bins)
	}
	s.rows = append(s.rows, r)
	if s.made == nil {
		return true, nil
	}
	return true, s.made(&s.rows[len(s.rows)-1], m)
}

// all adds several rows.
func (s *means) all(cells ...results.Cell) error {
	for _, c := range cells {
		if _, err := s.add(c); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the corruptions that the book has cells of, in the benchmark's order, and the metrics besides the error
// that these have, in the order of the rows.
func (s *means) parts() (present []string, others []results.Cell) {
	have := map[string]bool{}
	for _, c := range s.book.order {
		other := results.Cell{Metric: c.Metric, View: results.View{SkipLast: c.SkipLast}}
		c.SkipLast = s.base.SkipLast
		still := s.profile.Kind == metrics.CorruptionKind
		if c.Dataset != s.base.Dataset || c.Corruption == "" || c.View != s.base.View || still != (c.Severity > 0) ||
			c.Difficulty != s.base.Difficulty {
			continue
		}
		have[c.Corruption] = true
		if other.Metric != results.Top1Error && !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	for _, c := range s.profile.Corruptions {
		if have[c.Name] {
			present = append(present, c.Name)
		}
	}
	return present, others
}

// corruption adds the means of one corruption over severities.
func (s *means) corruption(name string) error {
	ok, err := s.add(results.Cell{Corruption: name, Metric: results.Top1Error})
	if err != nil || !ok {
		return err
	}
	_, others := s.parts()
	for _, c := range others {
		c.Corruption = name
		if err := s.all(c); err != nil {
			return err
		}
	}
	return nil
}

// noteMissing says in one line which corruptions of the mean are missing, or which severities all of them lack.
func (s *means) noteMissing(present []string) {
	kind := map[metrics.Kind]string{metrics.CorruptionKind: "corruptions", metrics.PerturbationKind: "perturbations"}[s.profile.Kind]
	all := s.profile.Primary()
	absent := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(present, name) })
	if len(present) == 0 {
		return // a mean that is missing says so itself
	}
	if len(absent) > 0 {
		s.partial = true
		s.notes = addNote(s.notes, fmt.Sprintf("%d of %d %s are missing: %s", len(absent), len(all), kind, strings.Join(absent, ", ")))
	}
	if s.profile.Kind == metrics.PerturbationKind {
		return
	}
	var lacking []string
	for severity := 1; severity <= s.profile.Severities; severity++ {
		has := func(name string) bool {
			n := s.book.Given(Place(results.Cell{
				Dataset: s.base.Dataset, Corruption: name, Severity: float64(severity), Difficulty: s.base.Difficulty, View: s.base.View,
				Metric: results.Top1Error,
			}))
			return n.Has()
		}
		if !slices.ContainsFunc(present, has) {
			lacking = append(lacking, fmt.Sprint(severity))
		}
	}
	if n := len(lacking); n > 0 && n < s.profile.Severities {
		s.partial = true
		s.notes = addNote(s.notes, fmt.Sprintf("%d of %d severities are missing: %s", n, s.profile.Severities, strings.Join(lacking, ", ")))
	}
}

// benchmark adds the means over corruptions or perturbations.
func (s *means) benchmark(b *Baseline) error {
	present, _ := s.parts()
	s.noteMissing(present)
	if s.profile.Kind == metrics.PerturbationKind {
		return s.perturbations(b)
	}
	present, others := s.parts()
	whole, err := s.add(results.Cell{Metric: results.Top1Error})
	if err != nil {
		return err
	}
	for severity := 1; severity <= s.profile.Severities && (whole || s.partial); severity++ {
		if err := s.all(results.Cell{Metric: results.Top1Error, Severity: float64(severity)}); err != nil {
			return err
		}
	}
	for _, g := range metrics.Groups() {
		if len(s.profile.Members(g)) > 0 {
			err := s.all(results.Cell{Metric: results.Top1Error, View: results.View{Group: string(g)}})
			if err != nil {
				return err
			}
		}
	}
	if whole {
		if err := s.all(others...); err != nil {
			return err
		}
	}
	return s.corruptionErrors(b, present)
}

// corruptionErrors adds CE, mCE and their relative forms.
func (s *means) corruptionErrors(b *Baseline, present []string) error {
	div, err := s.divisor(b, results.Top1Error, results.MeanCE)
	if err != nil || div == nil {
		return err
	}
	clean := s.book.Get(s.book.clean(s.base.Dataset, s.base.View))
	relative := clean.Has() && div.HasClean
	if !relative {
		s.notes = addNote(s.notes, "relative mCE needs the error on clean images and the baseline's")
	}
	for _, name := range present {
		if div.Values[name] == nil {
			continue
		}
		if err := s.all(results.Cell{Corruption: name, Metric: results.CE}); err != nil {
			return err
		}
		if relative {
			if err := s.all(results.Cell{Corruption: name, Metric: results.RelativeCE}); err != nil {
				return err
			}
		}
	}
	if err := s.all(results.Cell{Metric: results.MeanCE}); err != nil || !relative {
		return err
	}
	return s.all(results.Cell{Metric: results.RelativeMeanCE})
}

// perturbations adds the means over perturbations, and what is divided by a baseline.
func (s *means) perturbations(b *Baseline) error {
	present, metricsOf := s.parts()
	var normalized bool // whether a baseline divides the flips
	for _, q := range []struct{ name, rate, mean string }{
		{results.FlipProbability, results.FlipRate, results.MeanFlipRate},
		{results.Top5Distance, results.Top5Rate, results.MeanTop5Rate},
		{results.ZipfDistance, "", ""},
	} {
		if !slices.Contains(metricsOf, results.Cell{Metric: q.name}) {
			continue
		}
		if err := s.all(results.Cell{Metric: q.name}); err != nil {
			return err
		}
		if q.rate == "" {
			continue
		}
		div, err := s.divisor(b, q.name, q.mean)
		if err != nil {
			return err
		}
		if div == nil && q.name == results.Top5Distance && normalized {
			s.notes = addNote(s.notes, "no mT5D: AlexNet's top-5 distances are not published (a results.jsonl of your own reference model can be the baseline)")
		}
		normalized = div != nil
		for _, name := range present {
			if div == nil || div.Values[name] == nil {
				continue
			}
			if err := s.all(results.Cell{Corruption: name, Metric: q.rate}); err != nil {
				return err
			}
		}
		if div != nil {
			if err := s.all(results.Cell{Metric: q.mean}); err != nil {
				return err
			}
		}
	}
	return nil
}

// divisor returns the baseline of a metric and gives it to the means' own book, nil for none. Where nothing was asked for, a
// baseline without a meaning is noted and left out.
func (s *means) divisor(b *Baseline, part, mean string) (*metrics.Baseline, error) {
	div, err := b.of(quantities[part])
	if err != nil || div == nil {
		return nil, err
	}
	s.book.Baseline, s.book.memo = func(metrics.Quantity) *metrics.Baseline { return div }, nil
	c := results.ByCell(&s.base)
	c.Metric = mean
	_, err = s.book.compute(Place(c))
	switch {
	case err == nil, errors.Is(err, metrics.ErrUndefined):
	case b.required():
		return nil, err
	case errors.Is(err, metrics.ErrNotComputable):
		if !s.partial { // else no mean is there that could be normalized
			s.notes = addNote(s.notes, whyNot(results.Metric(mean).Label, err))
		}
		return nil, nil
	case !errors.Is(err, metrics.ErrMissing):
		return nil, err
	}
	return div, nil
}

// whyNot says in words that a mean is not divided by a baseline.
func whyNot(mean string, err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 { // before it, which two do not go together
		text = text[i+2:]
	}
	return mean + " is not normalized: " + text
}
