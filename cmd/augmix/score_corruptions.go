package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// namesOf returns the names of the parts of a folder and what kind of benchmark they make. Names of which none is
// published need --dataset: a folder of something else is not to be taken for corruptions.
func (s *scorer) namesOf(m *scored, set *predictions.Set) ([]string, metrics.Kind, error) {
	var names []string
	for _, p := range set.Parts {
		if p.Name != "" && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	kind := metrics.CorruptionKind
	if set.Layout == predictions.P {
		kind = metrics.PerturbationKind
	}
	published := func(p *metrics.Profile) bool { return p.Kind == kind && knownIn(p, names) }
	if s.Dataset == "" && !slices.ContainsFunc(metrics.Profiles(), published) {
		return nil, kind, usagef("%s: none of %s is a published name of this layout; if they are corruptions of your own, "+
			"say so with --dataset NAME", m.path, strings.Join(names, ", "))
	}
	return names, kind, nil
}

// benchmark finds the benchmark that parts belong to.
func (s *scorer) benchmark(m *scored, names []string, kind metrics.Kind) error {
	name := s.Dataset
	if name == "" {
		if name = guessBenchmark(names, m.classes, kind); name == "" {
			name = map[metrics.Kind]string{metrics.CorruptionKind: "own-c", metrics.PerturbationKind: "own-p"}[kind]
		}
		m.note("taken for %s, by its names and %d classes; --dataset says otherwise", name, m.classes)
	}
	m.dataset = name
	if p, err := metrics.LookupProfile(name); err == nil {
		if p.Kind != kind {
			return fmt.Errorf("%w: %s as layout %s", metrics.ErrMeaningless, name, m.layout)
		}
		m.profile = p
		return nil
	}
	m.profile = metrics.OwnProfile(name, kind)
	if !knownIn(m.profile, names) {
		var list []metrics.Corruption
		for _, n := range names {
			list = append(list, metrics.Corruption{Name: n})
		}
		m.profile = metrics.OwnProfile(name, kind, list...)
	}
	return nil
}

// guessBenchmark returns the published benchmark with one of the names and so many classes, or "".
func guessBenchmark(names []string, classes int, kind metrics.Kind) string {
	base := map[int]string{10: "cifar10", 100: "cifar100", 1000: "imagenet"}[classes]
	for _, suffix := range []string{results.SuffixC, results.SuffixP, results.SuffixCBar} {
		p, err := metrics.LookupProfile(base + suffix)
		if err == nil && p.Kind == kind && knownIn(p, names) {
			return p.Name
		}
	}
	return ""
}

// knownIn reports whether any of the names is one of the benchmark's. A misspelt one among them is refused later.
func knownIn(p *metrics.Profile, names []string) bool {
	return slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return slices.Contains(names, c.Name) })
}

// divisor returns the baseline of normalised means, nil for none. aggregate makes the mean that must be there: where
// nothing was asked for, a baseline without a meaning is noted and left out.
func (s *scorer) divisor(w *meanWriter, q metrics.Quantity, aggregate func(*metrics.Baseline) metrics.Aggregate) (
	*metrics.Baseline, error,
) {
	b := s.baselines[q]
	switch {
	case s.Baseline == "none":
		return nil, nil
	case b != nil:
	case q == metrics.Top5Distance:
		return nil, nil // for T5D nothing is published, and a baseline of flips is one too
	case s.baselines != nil:
		return nil, fmt.Errorf("%w: --baseline %s has no rows of %s", metrics.ErrMeaningless, s.Baseline, q)
	case q == metrics.ErrorRate:
		b = metrics.AlexNetErrors()
	default:
		b = metrics.AlexNetFlips()
	}
	_, err := w.grid.Value(aggregate(b))
	if s.Baseline == "auto" && (errors.Is(err, metrics.ErrMeaningless) || errors.Is(err, metrics.ErrMissing)) {
		w.m.note("%v", strings.TrimPrefix(err.Error(), "metrics: "))
		return nil, nil
	}
	return b, err
}

// corruptions scores a -C folder.
func (s *scorer) corruptions(m *scored, set *predictions.Set) error {
	names, kind, err := s.namesOf(m, set)
	if err != nil {
		return err
	}
	var folder *predictions.Labels
	if set.Labels != "" {
		if folder, err = predictions.ReadLabels(set.Labels); err != nil {
			return err
		}
	}
	count := 0
	for i := range set.Parts {
		p := &set.Parts[i]
		labels, err := s.labelsOf(p, folder)
		if err != nil {
			return err
		}
		n, cells, err := s.corruption(m, set.Layout, p, labels)
		if err != nil {
			return err
		}
		if count == 0 {
			count = n
		}
		if n != count {
			return fmt.Errorf("%w: %s has %d images, %s has %d: all files of a benchmark are of the same images",
				metrics.ErrLength, p.Path, n, set.Parts[0].Path, count)
		}
		m.cells = append(m.cells, cells...)
		for _, c := range cells {
			if c.truths != m.cells[0].truths {
				return fmt.Errorf("%w: the labels of %s at severity %d are not those of %s: all files of a benchmark are of the "+
					"same images in the same order", metrics.ErrLabel, p.Path, c.severity, set.Parts[0].Path)
			}
		}
	}
	if err := s.benchmark(m, names, kind); err != nil {
		return err
	}
	for _, c := range m.cells {
		if err := s.classification(m, c, c.corruption == ""); err != nil {
			return err
		}
	}
	return s.corruptionMeans(m, count)
}

// corruption reads one file and returns the number of its images.
func (s *scorer) corruption(
	m *scored, layout predictions.Layout, p *predictions.Part, labels *predictions.Labels,
) (int, []*scoredCell, error) {
	opt := predictions.Options{Kind: s.kind, Labels: labels}
	severities := []int{p.Severity}
	if layout == predictions.CIFARC && p.Name != "" {
		severities = []int{1, 2, 3, 4, 5}
		rows, err := predictions.Count(p.Path, opt)
		if err != nil {
			return 0, nil, err
		}
		if rows%len(severities) != 0 {
			return 0, nil, fmt.Errorf("%w: %s has %d rows, not a multiple of %d severities", metrics.ErrLength, p.Path, rows,
				len(severities))
		}
		opt.Block = rows / len(severities)
		if labels != nil && len(labels.Values) == opt.Block {
			opt.Repeat = len(severities)
		}
	} else if layout == predictions.CIFARC && labels != nil {
		// Clean images beside labels that are there five times.
		rows, err := predictions.Count(p.Path, opt)
		if err != nil {
			return 0, nil, err
		}
		if n := len(labels.Values); n == predictions.Severities*rows {
			opt.Labels = &predictions.Labels{Path: labels.Path, Values: labels.Values[:rows]}
			if labels.IDs != nil {
				opt.Labels.IDs = labels.IDs[:rows]
			}
		}
	}
	var cells []*scoredCell
	for _, severity := range severities {
		cells = append(cells, &scoredCell{corruption: p.Name, severity: severity})
	}
	t, err := s.read(&scoreJob{path: p.Path, options: opt, cells: cells})
	if err != nil {
		return 0, nil, err
	}
	if m.classes == 0 {
		m.told = t
	}
	if t.classes != m.classes || t.kind != m.kind {
		return 0, nil, fmt.Errorf("%w: %s has %s of %d classes, the files before %s of %d", metrics.ErrLength, p.Path, t.kind,
			t.classes, m.kind, m.classes)
	}
	return cells[0].rows, cells, nil
}

// corruptionMeans takes the published means: of each corruption, of groups, of severities, of all; CE and mCE.
func (s *scorer) corruptionMeans(m *scored, count int) error {
	errs := metrics.NewGrid(m.profile, metrics.ErrorRate)
	images := metrics.NewImageGrid(m.profile, metrics.ErrorRate, 0, count)
	var present []string
	for _, c := range m.cells {
		v, err := c.class.Error()
		if err != nil {
			return err
		}
		var wrong []float64
		if s.Bootstrap > 0 {
			wrong = c.samples.Wrong()
		}
		if err := setCell(errs, images, c, v, wrong); err != nil {
			return err
		}
		if c.corruption != "" && !slices.Contains(present, c.corruption) {
			present = append(present, c.corruption)
		}
	}
	w := &meanWriter{s: s, m: m, grid: errs, images: images, count: count}
	for _, c := range m.profile.Corruptions {
		if slices.Contains(present, c.Name) {
			if err := w.row(results.Row{Metric: results.Top1Error, Corruption: c.Name}, metrics.UCE(c.Name), 5); err != nil {
				return err
			}
		}
	}
	primary := len(m.profile.Primary())
	if err := w.row(results.Row{Metric: results.Top1Error}, metrics.MeanAll(), 5*primary); err != nil {
		return err
	}
	for severity := 1; severity <= m.profile.Severities && w.complete; severity++ {
		at := results.Row{Metric: results.Top1Error, Severity: severity}
		if err := w.row(at, metrics.SeverityMean(severity), primary); err != nil {
			return err
		}
	}
	for _, g := range metrics.Groups() {
		if n := len(m.profile.Members(g)); n > 0 {
			at := results.Row{Metric: results.Top1Error, View: string(g)}
			if err := w.row(at, metrics.GroupMean(g), 5*n); err != nil {
				return err
			}
		}
	}
	if err := s.otherMeans(m, present, count); err != nil {
		return err
	}
	return s.corruptionErrors(w, present, primary)
}

func setCell(errs *metrics.Grid, images *metrics.ImageGrid, c *scoredCell, v float64, wrong []float64) error {
	if c.corruption == "" {
		if err := errs.SetClean(v); err != nil || wrong == nil {
			return err
		}
		return images.SetClean(wrong)
	}
	if err := errs.Set(c.corruption, c.severity, v); err != nil || wrong == nil {
		return err
	}
	return images.Set(c.corruption, c.severity, wrong)
}

// corruptionErrors takes CE, mCE and their relative forms.
func (s *scorer) corruptionErrors(w *meanWriter, present []string, primary int) error {
	b, err := s.divisor(w, metrics.ErrorRate, metrics.MeanCE)
	if err != nil || b == nil {
		return err
	}
	clean := w.m.cells[0].corruption == "" && b.HasClean
	if !clean {
		w.m.note("relative mCE needs the error on clean images (clean.npy in the folder) and the baseline's")
	}
	for _, c := range w.m.profile.Corruptions {
		if !slices.Contains(present, c.Name) || b.Values[c.Name] == nil {
			continue
		}
		err := w.row(results.Row{Metric: results.CE, Corruption: c.Name}, metrics.CE(c.Name, b), 5)
		if err == nil && clean {
			err = w.row(results.Row{Metric: results.RelativeCE, Corruption: c.Name}, metrics.RelativeCE(c.Name, b), 5)
		}
		if err != nil {
			return err
		}
	}
	if err := w.row(results.Row{Metric: results.MeanCE}, metrics.MeanCE(b), 5*primary); err != nil || !clean {
		return err
	}
	return w.row(results.Row{Metric: results.RelativeMeanCE}, metrics.RelativeMeanCE(b), 5*primary)
}

// otherMeans takes the plain means of the other metrics over severities, and over the benchmark.
func (s *scorer) otherMeans(m *scored, present []string, count int) error {
	values := map[string]map[string][]float64{} // by metric and corruption
	var order []string
	for i := range m.rows {
		r := &m.rows[i]
		if r.Severity == 0 || r.Corruption == "" || r.Metric == results.Top1Error {
			continue
		}
		if values[r.Metric] == nil {
			values[r.Metric] = map[string][]float64{}
			order = append(order, r.Metric)
		}
		values[r.Metric][r.Corruption] = append(values[r.Metric][r.Corruption], r.Value)
	}
	primary := m.profile.Primary()
	for _, metric := range order {
		var all []float64
		complete := true
		for _, name := range present {
			v := values[metric][name]
			base := s.base(m, nil)
			base.Corruption, base.N = name, int64(count*len(v))
			if err := m.add(base, metric, meanOf(v), nil); err != nil {
				return err
			}
		}
		for _, name := range primary {
			v := values[metric][name]
			complete = complete && len(v) == predictions.Severities
			all = append(all, v...)
		}
		if complete {
			base := s.base(m, nil)
			base.N = int64(count * len(all))
			if err := m.add(base, metric, meanOf(all), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// meanOf is NaN where any value is.
func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// meanWriter makes rows of aggregates.
type meanWriter struct {
	s        *scorer
	m        *scored
	grid     *metrics.Grid
	images   *metrics.ImageGrid
	count    int
	complete bool // the last row was made
}

// row takes an aggregate of so many cells. One that lacks cells makes a note instead of a row.
func (w *meanWriter) row(at results.Row, a metrics.Aggregate, cells int) error {
	v, err := w.grid.Value(a)
	w.complete = err == nil
	if errors.Is(err, metrics.ErrMissing) {
		w.m.note("%s", strings.TrimPrefix(err.Error(), "metrics: "))
		return nil
	}
	base := w.s.base(w.m, nil)
	base.Corruption, base.Severity, base.View, base.Difficulty = at.Corruption, at.Severity, at.View, at.Difficulty
	base.N = int64(w.count * cells)
	if err := w.m.add(base, at.Metric, v, err); err != nil || w.s.Bootstrap == 0 {
		return err
	}
	stat, err := w.images.Statistic(a)
	return w.s.interval(w.m, stat, err)
}
