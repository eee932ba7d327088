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

// sweepLine is models by one number of their trainings. All have the settings rest.
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
	b.sweeping = true
	of := robustness(base)[k]
	what := label(of.cell) + " on " + results.DisplayName(of.cell.Dataset)
	panels := &chart.Panels{Title: what + " over options of the training", Heads: true}
	panels.Desc = "Each line is of trainings that differ in this number alone; options of mixes are as in \"augmix list mixes\"."
	for _, key := range b.sweepKeys() {
		lines := b.sweepLines(key, of.cell)
		if len(lines) == 0 {
			continue
		}
		if b.opt.Sweep != "" {
			panels.Desc = b.askedFor(key, of.cell, lines)
		}
		panels.Charts = append(panels.Charts, sweep(lines[:min(len(lines), chart.Colors)], key, what, of.cell))
		if more := len(lines) - chart.Colors; more > 0 {
			panels.Desc += fmt.Sprintf(" Over %s the first %d of %d lines are drawn.", key, chart.Colors, len(lines))
		}
	}
	if len(panels.Charts) == 0 {
		return
	}
	b.swept = true
	panels.Desc += " After figure 8 of the AugMix paper." + scalesOf(b.subjects, of.cell)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(of.cell.Dataset, "sweep"), Caption: panels.Desc, Chart: panels}})
}

// askedFor says of lines over Options.Sweep what the trainings of one have in common and what not, and which models are in none.
func (b *builder) askedFor(key string, cell results.Cell, lines []*sweepLine) string {
	var common, also, out []string
	for k := range lines[0].rest {
		if k != "model" && k != "mix" {
			common = append(common, k)
		}
	}
	drawn := map[*Subject]bool{}
	for _, l := range lines {
		also = append(also, differing(l.models, key)...)
		for _, q := range l.models {
			drawn[q] = true
		}
	}
	for _, q := range b.sweepable(key, cell) {
		if !drawn[q] {
			out = append(out, q.Name)
		}
	}
	said := "Each line is of trainings of one network with one mix"
	if slices.Sort(common); len(common) > 0 {
		said += " and one value of " + strings.Join(common, ", ")
	}
	if slices.Sort(also); len(also) > 0 {
		said += "; along a line trainings differ in " + strings.Join(slices.Compact(also), ", ") + " too"
	}
	if len(out) > 0 {
		said += ". In no line, as no other training with another value is of that kind: " + strings.Join(out, ", ")
	}
	return said + "."
}

// sweepKeys are the options that are numbers wherever a training has them, in the order of the alphabet.
func (b *builder) sweepKeys() []string {
	if b.opt.Sweep != "" {
		return []string{b.opt.Sweep}
	}
	keys := map[string]bool{}
	for _, q := range b.subjects {
		for key, value := range q.settings() {
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
	if !b.sweeping {
		return fmt.Errorf("%w: sweep %q: no run has an error on clean or corrupted images, which \"augmix eval -o DIR\" measures", ErrOption, key)
	}
	b.opt.Sweep = ""
	differ := slices.DeleteFunc(b.sweepKeys(), func(key string) bool {
		first := b.subjects[0].settings()[key]
		return !slices.ContainsFunc(b.subjects, func(q *Subject) bool { return q.settings()[key] != first })
	})
	return fmt.Errorf("%w: sweep %q: no trainings of one network and mix with two values of it (numbers in which the runs differ: %s)",
		ErrOption, key, cmp.Or(strings.Join(differ, ", "), "none"))
}

// settings are those of a model's training; of a mean over seeds those that the seeds have in common.
func (s *Subject) settings() settings {
	if len(s.members) == 0 {
		return s.run.settings
	}
	common := maps.Clone(s.run.settings)
	delete(common, "seed")
	return common
}

// value is what a model's training has for an option.
func (s *Subject) value(key string) float64 {
	v, _ := strconv.ParseFloat(s.settings()[key], 64)
	return v
}

// sweepable are the models that have a number and whose training has an option, by that option.
func (b *builder) sweepable(key string, cell results.Cell) []*Subject {
	var out []*Subject
	for _, q := range b.subjects {
		if n := q.Get(cell); q.settings()[key] != "" && n.Has() {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(a, b *Subject) int { return cmp.Compare(a.value(key), b.value(key)) })
	return out
}

// sweepLines are the lines over an option: of trainings that are equal otherwise, with at least three different values, or those of
// Options.Sweep.
func (b *builder) sweepLines(key string, cell results.Cell) []*sweepLine {
	models := b.sweepable(key, cell)
	if b.opt.Sweep != "" {
		return askedLines(models, key)
	}
	lines := linesBy(models, func(s settings) { delete(s, key) })
	return slices.DeleteFunc(lines, func(l *sweepLine) bool {
		n := l.values(key)
		return n < 3 || n < len(l.models) // two models of the same options: which is meant is not known
	})
}

// askedLines are lines of one network and one mix each with at least two values of an option. Where two trainings have one value,
// lines are told apart by what else these differ in, or they would go up and down.
func askedLines(models []*Subject, key string) []*sweepLine {
	keep := map[string]bool{"model": true, "mix": true}
	of := func(s settings) { maps.DeleteFunc(s, func(k, _ string) bool { return !keep[k] }) }
	for _, l := range linesBy(models, of) {
		for i, q := range l.models {
			same := slices.DeleteFunc(slices.Clone(l.models[i:]), func(o *Subject) bool { return o.value(key) != q.value(key) })
			for _, k := range differing(same, key) {
				keep[k] = true
			}
		}
	}
	return slices.DeleteFunc(linesBy(models, of), func(l *sweepLine) bool { return l.values(key) < 2 })
}

// differing are the options but for one in which trainings differ.
func differing(models []*Subject, but string) []string {
	keys := map[string]bool{}
	for _, q := range models[1:] {
		for _, k := range models[0].settings().against(q.settings()) {
			keys[k] = k != but
		}
	}
	maps.DeleteFunc(keys, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(keys))
}

// linesBy groups models by what without leaves of their settings.
func linesBy(models []*Subject, without func(s settings)) []*sweepLine {
	var lines []*sweepLine
	for _, q := range models {
		rest := maps.Clone(q.settings())
		without(rest)
		i := slices.IndexFunc(lines, func(l *sweepLine) bool { return maps.Equal(l.rest, rest) })
		if i < 0 {
			i = len(lines)
			lines = append(lines, &sweepLine{rest: rest})
		}
		lines[i].models = append(lines[i].models, q)
	}
	return lines
}

// values counts the different values of an option.
func (l *sweepLine) values(key string) int {
	same := func(a, b *Subject) bool { return a.value(key) == b.value(key) }
	return len(slices.CompactFunc(slices.Clone(l.models), same))
}

// sweep is the chart of lines over one option. Values stand at equal distances, as they are often powers.
func sweep(lines []*sweepLine, key, what string, cell results.Cell) *chart.Plot {
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
