package report

import (
	"cmp"

	"github.com/augmix-go/augmix/results"
)

// ordered is a part of a data set whose images have an order.
type ordered struct {
	corruption string
	severity   float64
	view       results.View
}

// sequence is the order in which images came: digests of their classes and ids, "" where rows do not say it.
type sequence struct{ classes, ids string }

// differs reports whether two orders are not the same one, as far as they are known.
func (a sequence) differs(b sequence) bool {
	differ := func(x, y string) bool { return x != "" && y != "" && x != y }
	return differ(a.classes, b.classes) || differ(a.ids, b.ids)
}

// orders returns in which order the images came in the measurements of a data set, by part, as far as rows say it.
func (s *Subject) orders(dataset string) map[ordered]sequence {
	found := map[ordered]sequence{}
	if s.run == nil {
		return found
	}
	for i := range s.run.Rows {
		r := &s.run.Rows[i]
		o := sequence{r.Versions[results.VersionOrder], r.Versions[results.VersionIDs]}
		if o != (sequence{}) && r.Dataset == dataset && r.Model == s.Model {
			found[ordered{r.Corruption, r.Severity, r.View}] = o
		}
	}
	return found
}

// sameOrder reports whether the records of two subjects may be of the same images at the same places: whether the classes,
// and the ids, came in one order wherever rows of both say it.
func sameOrder(a, b *Subject, dataset string) bool {
	other := b.orders(dataset)
	for part, order := range a.orders(dataset) {
		if other[part].differs(order) {
			return false
		}
	}
	return true
}

// ordered reports whether the records of all that a subject is the mean of may be of the same images at the same places, as far as
// the interval of a number needs it.
func (s *Subject) ordered(c results.Cell) bool {
	runs := s.runs()
	for _, m := range runs {
		if !m.oneOrder(c) || m != runs[0] && !sameOrder(m, runs[0], c.Dataset) {
			return false
		}
	}
	return true
}

// oneOrder reports whether the images of all parts that a number may be a mean over may lie at the same places, with the clean ones where
// it has these.
func (s *Subject) oneOrder(c results.Cell) bool {
	view := results.View{Part: c.Part, Attack: c.Attack, Preprocess: c.Preprocess, TenCrop: c.TenCrop, Among: c.Among, Limit: c.Limit}
	var first sequence
	if c.Metric == results.RelativeMeanCE {
		first = s.orders(results.Base(c.Dataset))[ordered{view: view}]
	}
	for part, order := range s.orders(c.Dataset) {
		if part.view != view {
			continue
		}
		if first.differs(order) {
			return false
		}
		first = sequence{cmp.Or(first.classes, order.classes), cmp.Or(first.ids, order.ids)}
	}
	return true
}
