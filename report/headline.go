package report

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// Headline says what a report finds of a model, in words.
type Headline struct {
	Model string
	What  string   // network, mix, epochs and seed, as far as the run's options are known
	Finds []string // a sentence for each data set
	Color int
}

// headlines are those of a group's models: the first is what the others are compared with.
func (b *builder) headlines(which string) error {
	which = strings.Trim(which, " ()")
	for i, s := range b.subjects {
		h := Headline{Model: s.Name, What: s.training(), Color: s.Color}
		if h.What != "" && which != "" {
			h.What += ", "
		}
		h.What += which
		for _, base := range b.bases() {
			finds, err := b.finds(i, base)
			if err != nil {
				return err
			}
			h.Finds = append(h.Finds, finds...)
		}
		if h.What != "" || len(h.Finds) > 0 {
			b.rep.Headlines = append(b.rep.Headlines, h)
		}
	}
	return nil
}

// robustness are the numbers that a headline is about, the most telling first.
func robustness(base string) []col {
	c := dataset(base, results.SuffixC)
	list := []col{
		metricCol("Error", results.Cell{Dataset: c, Metric: results.Top1Error}),
		metricCol("Error", results.Cell{Dataset: dataset(base, results.SuffixCBar), Metric: results.Top1Error}),
		metricCol("Error", results.Cell{Dataset: base, Metric: results.Top1Error}),
	}
	if base == "imagenet" {
		list = append([]col{metricCol("mCE", results.Cell{Dataset: c, Metric: results.MeanCE})}, list...)
	}
	return list
}

// finds are the sentences about a model: on the data set, and on each of its parts.
func (b *builder) finds(model int, base string) ([]string, error) {
	cells := [][]col{robustness(base)}
	for _, c := range b.partCells(base) {
		if c.Part != "" {
			cells = append(cells, []col{metricCol("Error", c)})
		}
	}
	var finds []string
	for _, cols := range cells {
		find, err := b.find(model, base, cols)
		if err != nil {
			return nil, err
		}
		if find != "" {
			finds = append(finds, find)
		}
	}
	return finds, nil
}

// find is a sentence about the first of the columns that a model has: for the first model beside its clean error, for others
// against that of the first.
func (b *builder) find(model int, base string, cols []col) (string, error) {
	ref, other, seeds := b.matched(model)
	for _, c := range cols {
		say := func(n *Number) string { return (&Cell{Number: *n}).value(&c.Column) }
		text := fmt.Sprintf("%s on %s ", c.Head, results.DisplayName(c.cell.Dataset))
		if c.cell.Part != "" {
			text = fmt.Sprintf("%s on %s, %s: ", c.Head, results.DisplayName(c.cell.Dataset), c.cell.Part)
		}
		x, y := ref.Get(c.cell), other.Get(c.cell)
		if model == 0 || !x.Has() || !y.Has() {
			if find := b.alone(model, base, &c); find != "" {
				return text + find, nil
			}
			continue
		}
		if first, second := unlike(ref, other, c.cell); first != second {
			continue
		}
		d, _, err := b.difference(model, &c)
		if err != nil {
			return "", err
		}
		diff := Cell{Number: d, Sign: true}
		text += fmt.Sprintf("%s → %s (%s", say(&x), say(&y), diff.value(&c.Column))
		if iv := diff.interval(&c.Column); iv != "" {
			text += " " + iv
		}
		text += fmt.Sprintf(") against %s", b.subjects[0].Name)
		if seeds != "" {
			text += ", seeds " + seeds
		}
		if d.Level > 0 && d.Lo <= 0 && d.Hi >= 0 {
			text += ": no clear difference"
		}
		return text + ".", nil
	}
	return "", nil
}

// alone ends the sentence about a model's number of a column, beside its clean error; "" where it has none.
func (b *builder) alone(model int, base string, c *col) string {
	s := b.subjects[model]
	n := Cell{Number: s.Get(c.cell)}
	if !n.Has() {
		return ""
	}
	text := n.value(&c.Column) + " %"
	if iv := n.interval(&c.Column); iv != "" {
		text += " " + iv
	}
	if own := s.dividedBy(c.cell); own != "" {
		text += ", divided by the figures of " + own
	}
	if over := s.meanOver(c.cell); over != "" {
		text += ", the mean over " + over
	}
	clean := Cell{Number: s.Get(results.Cell{Dataset: base, Metric: results.Top1Error})}
	if clean.Has() && c.cell.Dataset != base {
		text += ", clean " + clean.value(&c.Column) + " %"
	}
	return text + "."
}

// topLevel returns the options of the first level of YAML that this program wrote, the lines of lists joined.
func topLevel(yaml string) map[string]string {
	out := map[string]string{}
	last := ""
	for line := range strings.SplitSeq(yaml, "\n") {
		name, value, ok := strings.Cut(line+" ", ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " "), strings.HasPrefix(line, "-"):
			out[last] += line
		case ok:
			out[name], last = strings.Trim(strings.TrimSpace(value), `"'`), name
		}
	}
	return out
}

// plural is a count with its unit.
func plural(n, unit string) string {
	if n != "1" {
		unit += "s"
	}
	return n + " " + unit
}
