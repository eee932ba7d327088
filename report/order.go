package report

import (
	"github.com/augmix-go/augmix/results"
)

// orders returns in which order the classes came in the measurements of a data set, by corruption, as far as rows say it.
func (s *Subject) orders(dataset string) map[string]string {
	found := map[string]string{}
	if s.run == nil {
		return found
	}
	for i := range s.run.Rows {
		r := &s.run.Rows[i]
		if o := r.Versions[results.VersionOrder]; o != "" && r.Dataset == dataset && r.Model == s.Model {
			found[r.Corruption] = o
		}
	}
	return found
}

// sameOrder reports whether the records of two subjects may be of the same images at the same places: whether the classes came
// in one order wherever rows of both say it.
func sameOrder(a, b *Subject, dataset string) bool {
	other := b.orders(dataset)
	for corruption, order := range a.orders(dataset) {
		if o := other[corruption]; o != "" && o != order {
			return false
		}
	}
	return true
}

// cleanOrder reports whether the clean images of a subject may lie at the places of their corrupted forms.
func (s *Subject) cleanOrder(dataset string) bool {
	clean := s.orders(results.Base(dataset))[""]
	for _, order := range s.orders(dataset) {
		if clean != "" && order != clean {
			return false
		}
	}
	return true
}
