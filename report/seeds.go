package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// runs are the subjects whose mean a subject is: itself, or its members.
func (s *Subject) runs() []*Subject {
	if len(s.members) > 0 {
		return s.members
	}
	return []*Subject{s}
}

// measured are the measured rows of the subject's model, of each run that it is the mean of.
func (s *Subject) measured() iter.Seq[*results.Row] {
	return func(yield func(*results.Row) bool) {
		for _, m := range s.runs() {
			if m.run == nil {
				continue
			}
			for i := range m.run.Rows {
				if r := &m.run.Rows[i].Row; r.Model == m.Model && r.Origin == results.Measured && !yield(r) {
					return
				}
			}
		}
	}
}

// overMembers is the mean of the members' numbers of a cell. It is missing where a member has none, or where theirs are not of one
// measurement.
func (s *Subject) overMembers(c results.Cell) Number {
	numbers := make([]score.Number, len(s.members))
	for i, m := range s.members {
		n := m.get(c)
		numbers[i] = n.Number
		if first, other := unlike(s.members[0], m, c); n.Has() && numbers[0].Has() && first != other {
			return Number{Number: score.Number{Value: math.NaN(), Note: "no mean over seeds: " + first + ", and " + other}}
		}
	}
	return Number{Number: score.OverSeeds(numbers)}
}

// lacking counts the measurements of members that have no mean, without those of single classes and bins, and names the first.
func (s *Subject) lacking() (count int, first string) {
	seen := map[results.Cell]bool{}
	for _, m := range s.members {
		for _, c := range m.book.Cells() {
			if seen[c] || c.Class != "" || c.Bins > 0 {
				continue
			}
			seen[c] = true
			if n := s.overMembers(c); n.Has() {
				continue
			}
			if count++; count == 1 {
				one := metricCol("", c)
				first = one.long()
			}
		}
	}
	return count, first
}

// hasRecords reports whether all that the subject is the mean of has records.
func (s *Subject) hasRecords() bool {
	return !slices.ContainsFunc(s.runs(), func(m *Subject) bool { return m.recorded == nil })
}

// seeds are the training seeds of what the subject is the mean of.
func (s *Subject) seeds() []string {
	var out []string
	for _, m := range s.runs() {
		out = append(out, m.run.Seed)
	}
	return out
}

// training says what the model is, of a mean with all seeds.
func (s *Subject) training() string {
	if len(s.members) == 0 {
		return s.run.Training
	}
	return fmt.Sprintf("%s, mean of seeds %s", s.run.unseeded(), strings.Join(s.seeds(), ", "))
}

// unseeded is what a run's training is but for its seed.
func (r *Run) unseeded() string { return strings.TrimSuffix(r.Training, ", seed "+r.Seed) }

// alike reports whether two subjects are one model whose training differs in its seed alone, as far as their options are known, measured
// on the same data.
func (b *builder) alike(x, y *Subject) bool {
	return b.likely(x, y) && len(x.run.otherwise(y.run)) == 0
}

// otherwise returns the options, but for the seed, in which the trainings of two runs differ, sorted.
func (r *Run) otherwise(o *Run) []string {
	return slices.DeleteFunc(r.settings.against(o.settings), func(key string) bool { return key == "seed" })
}

// likely is alike by the names, networks and mixes.
func (b *builder) likely(x, y *Subject) bool {
	return x.Model == y.Model && x.run.Seed != "" && y.run.Seed != "" && x.run.Seed != y.run.Seed &&
		x.run.unseeded() == y.run.unseeded() && x.run.view() == y.run.view() &&
		slices.ContainsFunc(b.groups, func(g *dataGroup) bool {
			return slices.Contains(g.runs, x.run) && slices.Contains(g.runs, y.run)
		})
}

// average makes one subject of those that are alike: its numbers are the means of theirs.
func (b *builder) average() error {
	var out []*Subject
	taken := map[*Subject]bool{}
	merged := false
	var apart []string // what looks alike and is not
	for i, s := range b.subjects {
		if taken[s] {
			continue
		}
		mean := newSubject(s.Model, s.Model, s.Origin, s.Source)
		mean.run, mean.of, mean.draws, mean.members = s.run, s.of, s.draws, []*Subject{s}
		for _, o := range b.subjects[i+1:] {
			switch {
			case taken[o] || !b.likely(s, o):
			case !b.alike(s, o):
				apart = append(apart, fmt.Sprintf("%s: the trainings of seeds %s and %s are not averaged, as they differ in %s too.",
					s.Model, s.run.Seed, o.run.Seed, strings.Join(s.run.otherwise(o.run), ", ")))
			case !slices.Contains(mean.seeds(), o.run.Seed):
				mean.members = append(mean.members, o)
				taken[o] = true
			}
		}
		if len(mean.members) < 2 {
			out = append(out, s)
			continue
		}
		merged = true
		mean.Source = sourceOf(mean.members)
		if slices.ContainsFunc(out, func(o *Subject) bool { return o.Name == mean.Name }) {
			mean.Name += " (" + s.run.Name + ")"
		}
		if n, first := mean.lacking(); n > 0 {
			b.notes = append(b.notes, fmt.Sprintf("%s: no means over seeds of %s that not all of the seeds %s have alike, such as %s.", mean.Name,
				terminal.Count(n, "number"), strings.Join(mean.seeds(), ", "), first))
		}
		out = append(out, mean)
	}
	if !merged {
		because := ""
		if apart != nil {
			because = " (" + strings.TrimSuffix(apart[0], ".") + ")"
		}
		return fmt.Errorf("%w: no two runs are of one model whose training differs in its seed alone, so there is no mean over seeds%s",
			ErrOption, because)
	}
	b.notes = append(b.notes, apart...)
	for i, s := range out {
		s.Color = i
	}
	b.subjects = out
	return nil
}

// sourceOf names the runs of a mean, the first and how many there are besides.
func sourceOf(members []*Subject) string {
	return fmt.Sprintf("%s and %d more", members[0].Source, len(members)-1)
}

// seeds shows the runs behind the means of a data set.
func (b *builder) seeds(base, name string) {
	var runs []*Subject
	means := 0
	for _, s := range b.subjects {
		if len(s.members) > 0 {
			runs = append(runs, s.members...)
			means++
		}
	}
	if means == 0 {
		return
	}
	t := b.grid(base+" seeds", "Safety measures by training seed"+name, b.safety(base), runs)
	if len(t.Rows) == 0 {
		return
	}
	t.Caption = "The runs whose means stand in the other tables. " + statistics(t.Rows)
	t.Fold = len(t.Rows) > 12
	sec := b.section(2, "Training seeds"+name, fmt.Sprintf("%s of models that were trained with several seeds, all else alike. Everywhere "+
		"else in this report the numbers of such models are means over seeds, and intervals are over samples, for these seeds. Where the means over all seeds "+
		"may lie, the tables of differences say: over seeds is Student's interval of the mean difference between runs of equal seeds. "+
		"A number that a seed lacks has no mean, and differences are over the seeds that both models have. "+
		"Confusions, curves of calibration, Fourier maps and examples are of the first seed.", terminal.Count(means, "mean")))
	sec.Blocks = append(sec.Blocks, Block{Table: t})
}

// someSeeds are the runs of a subject with some of the seeds that it is the mean of.
type someSeeds struct {
	of    *Subject
	seeds string
}

// matched are the first model and another one over the seeds that both have, so that a difference is between runs of equal seeds. seeds
// are those, "" where neither has others or none are common: the two are then as they are.
func (b *builder) matched(model int) (ref, other *Subject, seeds string) {
	ref, other = b.subjects[0], b.subjects[model]
	var common []string
	for _, seed := range ref.seeds() {
		if seed != "" && slices.Contains(other.seeds(), seed) {
			common = append(common, seed)
		}
	}
	if len(common) == 0 || len(common) == len(ref.runs()) && len(common) == len(other.runs()) {
		return ref, other, ""
	}
	return b.withSeeds(ref, common), b.withSeeds(other, common), strings.Join(common, ", ")
}

// withSeeds is a subject as the mean of its runs with some of its seeds, always the same one.
func (b *builder) withSeeds(s *Subject, seeds []string) *Subject {
	if len(seeds) == len(s.runs()) {
		return s
	}
	key := someSeeds{s, strings.Join(seeds, ", ")}
	if b.some[key] == nil {
		var members []*Subject
		for _, m := range s.members {
			if slices.Contains(seeds, m.run.Seed) {
				members = append(members, m)
			}
		}
		some := members[0]
		if len(members) > 1 {
			some = newSubject(s.Name, s.Model, s.Origin, sourceOf(members))
			some.run, some.of, some.draws, some.members, some.Color = members[0].run, s.of, s.draws, members, s.Color
		}
		b.some[key] = some
	}
	return b.some[key]
}

// overSeeds is how the difference of two means varies with the seed: Student's interval in words, and the differences one by
// one. Both are empty where the two have not at least two seeds in common.
func overSeeds(other, ref *Subject, c *col) (interval, each string) {
	var values []float64
	var words []string
	scale := 1.0
	if c.Percent {
		scale = 100
	}
	for _, m := range other.members {
		i := slices.IndexFunc(ref.members, func(r *Subject) bool { return r.run.Seed == m.run.Seed })
		if i < 0 {
			continue
		}
		x, y := ref.members[i].get(c.cell), m.get(c.cell)
		if !x.Has() || !y.Has() {
			continue
		}
		d := Number{Number: score.Difference(&y.Number, &x.Number)}
		values = append(values, scale*d.Value)
		words = append(words, signed(scale*d.Value, c.places()))
	}
	iv, err := metrics.OverSeeds(values, score.RecordLevel)
	if err != nil {
		return "", ""
	}
	return fmt.Sprintf("[%s, %s]", signed(iv.Lo, c.places()), signed(iv.Hi, c.places())), strings.Join(words, ", ")
}

// places is how many digits after the point differences of a column have.
func (c *col) places() int {
	if c.Percent {
		return 2
	}
	return 3
}

// signed is a number with its sign.
func signed(v float64, digits int) string {
	return (&Cell{Number: given(v), Sign: true, Digits: digits}).value(&Column{})
}
