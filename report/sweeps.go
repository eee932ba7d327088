package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// sweepLine is models whose trainings differ in one number, by that number.
type sweepLine struct {
	rest   settings
	models []*Subject
}

// sweeps draws the error under corruption over each number of the trainings in which models differ that are equal otherwise (AugMix,
// figure 8), or over Options.Sweep.
func (b *builder) sweeps(s *Section, base string) {
	k := slices.IndexFunc(robustness(base), func(c col) bool { return b.has(c.cell) })
	if k < 0 {
		return
	}
	of := robustness(base)[k]
	what := label(of.cell) + " on " + results.DisplayName(of.cell.Dataset)
	panels := &chart.Panels{Title: what + " over options of the training", Heads: true}
	for _, key := range b.sweepKeys() {
		if p := b.sweep(key, what, of.cell); p != nil {
			panels.Charts = append(panels.Charts, p)
		}
	}
	if len(panels.Charts) == 0 {
		return
	}
	panels.Desc = "Each line is of trainings that differ in this number alone; options of mixes are as in \"augmix list mixes\". After figure 8 of the AugMix paper."
	b.swept = true
	if b.opt.Sweep != "" {
		panels.Desc = "Each line is of trainings of one network with one mix; other options may differ. After figure 8 of the AugMix paper."
	}
	panels.Desc += scalesOf(b.subjects, of.cell)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(of.cell.Dataset, "sweep"), Caption: panels.Desc, Chart: panels}})
}

// sweepKeys are the options that are numbers wherever a training has them, in the order of the alphabet.
func (b *builder) sweepKeys() []string {
	if b.opt.Sweep != "" {
		return []string{b.opt.Sweep}
	}
	keys := map[string]bool{}
	for _, q := range b.subjects {
		for key, value := range q.run.settings {
			_, err := strconv.ParseFloat(value, 64)
			if number, seen := keys[key]; !seen || number {
				keys[key] = err == nil && key != "seed"
			}
		}
	}
	maps.DeleteFunc(keys, func(_ string, number bool) bool { return !number })
	return slices.Sorted(maps.Keys(keys))
}

// unswept is the error of a sweep that was asked for and has no line.
func (b *builder) unswept() error {
	if b.opt.Sweep == "" || b.swept {
		return nil
	}
	key := b.opt.Sweep
	b.opt.Sweep = ""
	differ := slices.DeleteFunc(b.sweepKeys(), func(key string) bool {
		first := b.subjects[0].run.settings[key]
		return !slices.ContainsFunc(b.subjects, func(q *Subject) bool { return q.run.settings[key] != first })
	})
	return fmt.Errorf("%w: sweep %q: no trainings of one network and mix with two values of it (numbers in which the runs differ: %s)",
		ErrOption, key, cmp.Or(strings.Join(differ, ", "), "none"))
}

// value is what a model's training has for an option.
func (s *Subject) value(key string) float64 {
	v, _ := strconv.ParseFloat(s.run.settings[key], 64)
	return v
}

// sweepLines are the lines over an option, each of at least three different values, or of two of Options.Sweep.
func (b *builder) sweepLines(key string, cell results.Cell) []*sweepLine {
	var lines []*sweepLine
	for _, q := range b.subjects {
		if n := q.Get(cell); q.run.settings[key] == "" || !n.Has() {
			continue
		}
		rest := maps.Clone(q.run.settings)
		delete(rest, key)
		if b.opt.Sweep != "" {
			rest = settings{"model": rest["model"], "mix": rest["mix"]}
		}
		i := slices.IndexFunc(lines, func(l *sweepLine) bool { return maps.Equal(l.rest, rest) })
		if i < 0 {
			i = len(lines)
			lines = append(lines, &sweepLine{rest: rest})
		}
		lines[i].models = append(lines[i].models, q)
	}
	return slices.DeleteFunc(lines, func(l *sweepLine) bool {
		slices.SortStableFunc(l.models, func(a, b *Subject) int { return cmp.Compare(a.value(key), b.value(key)) })
		same := func(a, b *Subject) bool { return a.value(key) == b.value(key) }
		different := len(slices.CompactFunc(slices.Clone(l.models), same))
		if b.opt.Sweep != "" {
			return different < 2
		}
		return different < 3 || different < len(l.models) // two models of the same options: which is meant is not known
	})
}

// sweep is the chart over one option, nil without lines. Values stand at equal distances, as they are often powers.
func (b *builder) sweep(key, what string, cell results.Cell) *chart.Plot {
	lines := b.sweepLines(key, cell)
	if len(lines) == 0 {
		return nil
	}
	lines = lines[:min(len(lines), chart.Colors)]
	p := &chart.Plot{
		Title: about(key), Width: halfWidth, Height: 280, X: chart.Axis{Label: key}, Y: chart.Axis{Label: label(cell), Percent: true},
	}
	var values []float64
	for _, l := range lines {
		for _, q := range l.models {
			values = append(values, q.value(key))
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for _, v := range values {
		p.X.Categories = append(p.X.Categories, strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "-", "−", 1))
	}
	for i, l := range lines {
		one := series(l.models[0], i, 0, nil)
		one.Name = l.name(lines, what)
		for _, q := range l.models {
			point := series(q, i, 1, func(int) results.Cell { return cell })
			one.X = append(one.X, float64(slices.Index(values, q.value(key))))
			one.Y, one.Lo, one.Hi = append(one.Y, point.Y...), append(one.Lo, point.Lo...), append(one.Hi, point.Hi...)
			one.Notes, one.Of = append(one.Notes, q.Name), append(one.Of, point.Of...)
		}
		p.Series = append(p.Series, one)
	}
	p.Desc = fmt.Sprintf("%s over %s.", what, about(key))
	return p
}

// name is what of a line differs from the others, or what is drawn where there is one line.
func (l *sweepLine) name(lines []*sweepLine, what string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(l.rest)) {
		if slices.ContainsFunc(lines, func(o *sweepLine) bool { return o.rest[key] != l.rest[key] }) {
			parts = append(parts, key+" "+cmp.Or(l.rest[key], "none"))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), what)
}
