package report

import (
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
	differ := func(x, y string) bool { return x != "" && y != "" && x != y }
	other := b.orders(dataset)
	for part, order := range a.orders(dataset) {
		if o := other[part]; differ(o.classes, order.classes) || differ(o.ids, order.ids) {
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
		if c.Metric == results.RelativeMeanCE && !m.cleanOrder(c.Dataset) || m != runs[0] && !sameOrder(m, runs[0], c.Dataset) {
			return false
		}
	}
	return true
}

// cleanOrder reports whether the clean images of a subject may lie at the places of their corrupted forms.
func (s *Subject) cleanOrder(dataset string) bool {
	clean := s.orders(results.Base(dataset))[ordered{}].classes
	for _, order := range s.orders(dataset) {
		if clean != "" && order.classes != clean {
			return false
		}
	}
	return true
}
