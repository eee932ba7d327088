package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/score"
)

// runs are the subjects whose mean a subject is: itself, or its members.
func (s *Subject) runs() []*Subject {
	if len(s.members) > 0 {
		return s.members
	}
	return []*Subject{s}
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

// alike reports whether two subjects are one model whose training differs in its seed alone, measured on the same data.
func (b *builder) alike(x, y *Subject) bool {
	return x.Model == y.Model && x.run.Seed != "" && y.run.Seed != "" && x.run.Seed != y.run.Seed &&
		x.run.unseeded() == y.run.unseeded() && x.run.Limit == y.run.Limit &&
		slices.ContainsFunc(b.groups, func(g *dataGroup) bool {
			return slices.Contains(g.runs, x.run) && slices.Contains(g.runs, y.run)
		})
}

// average makes one subject of those that are alike: its numbers are the means of theirs.
func (b *builder) average() error {
	var out []*Subject
	taken := map[*Subject]bool{}
	merged := false
	for i, s := range b.subjects {
		if taken[s] {
			continue
		}
		mean := newSubject(s.Model, s.Model, s.Origin, s.Source)
		mean.run, mean.of, mean.draws, mean.members = s.run, s.of, s.draws, []*Subject{s}
		for _, o := range b.subjects[i+1:] {
			if !taken[o] && b.alike(s, o) && !slices.Contains(mean.seeds(), o.run.Seed) {
				mean.members = append(mean.members, o)
				taken[o] = true
			}
		}
		if len(mean.members) < 2 {
			out = append(out, s)
			continue
		}
		merged = true
		for _, m := range mean.members {
			mean.book.Add(m.rows...)
		}
		if slices.ContainsFunc(out, func(o *Subject) bool { return o.Name == mean.Name }) {
			mean.Name += " (" + s.run.Name + ")"
		}
		out = append(out, mean)
	}
	if !merged {
		return fmt.Errorf("%w: no two runs are of one model whose training differs in its seed alone, so there is no mean over seeds",
			ErrOption)
	}
	for i, s := range out {
		s.Color = i
	}
	b.subjects = out
	return nil
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
	sec := b.section(2, "Training seeds"+name, fmt.Sprintf("%d of the models were trained with several seeds, all else alike. Everywhere "+
		"else in this report their numbers are means over seeds, and intervals are over samples, for these seeds. How far another seed would "+
		"be from them, the tables of differences say: over seeds is Student's interval of the differences between runs of equal seeds. "+
		"Tables by class, curves of calibration and examples are of the first seed.", means))
	sec.Blocks = append(sec.Blocks, Block{Table: t})
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
