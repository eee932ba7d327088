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

// orders returns in which order the classes came in the measurements of a data set, by part, as far as rows say it.
func (s *Subject) orders(dataset string) map[ordered]string {
	found := map[ordered]string{}
	if s.run == nil {
		return found
	}
	for i := range s.run.Rows {
		r := &s.run.Rows[i]
		if o := r.Versions[results.VersionOrder]; o != "" && r.Dataset == dataset && r.Model == s.Model {
			found[ordered{r.Corruption, r.Severity, r.View}] = o
		}
	}
	return found
}

// sameOrder reports whether the records of two subjects may be of the same images at the same places: whether the classes came
// in one order wherever rows of both say it.
func sameOrder(a, b *Subject, dataset string) bool {
	other := b.orders(dataset)
	for part, order := range a.orders(dataset) {
		if o := other[part]; o != "" && o != order {
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
	clean := s.orders(results.Base(dataset))[ordered{}]
	for _, order := range s.orders(dataset) {
		if clean != "" && order != clean {
			return false
		}
	}
	return true
}
