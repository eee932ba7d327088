package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// origin is what is said beside the files of predictions.
type origin struct {
	versions map[string]string // the rest
	view     results.View      // that the predictions are of
	data     string            // the fingerprint of the labeled samples
}

// readOrigin reads what is said beside a file of predictions.
func readOrigin(path string) (o origin, err error) {
	if o.versions, err = predictions.ReadVersions(path); err != nil {
		return o, err
	}
	o.data = o.versions[results.VersionSamples]
	delete(o.versions, results.VersionSamples)
	said := strings.Fields(o.versions[results.VersionView])
	if len(said) == 0 || strings.HasPrefix(said[0], "seed=") { // "limit=100 seed=4" of an evaluation with another seed
		return o, nil
	}
	view, err := results.DecodeView(said[0])
	if err != nil {
		return o, nil // words of one's own
	}
	o.view = view
	if o.versions[results.VersionView] = strings.Join(said[1:], " "); len(said) == 1 {
		delete(o.versions, results.VersionView)
	}
	return o, nil
}

// readOrigins takes what is said beside the files of the predictions; of an ensemble what is said of all of its models together.
func (j *fileJob) readOrigins() error {
	first, err := readOrigin(j.part.Path)
	if err != nil {
		return err
	}
	all := []map[string]string{first.versions}
	for _, p := range j.options.With {
		one, err := readOrigin(p.Path)
		if err != nil {
			return err
		}
		if one.view != first.view {
			return otherViews(p.Path, one.view, j.part.Path, first.view)
		}
		if one.data != first.data {
			first.data = ""
		}
		all = append(all, one.versions)
	}
	first.versions = results.JoinVersions(all...)
	for _, c := range j.cells {
		c.origin = first
	}
	return nil
}

// otherViews is the error of predictions of two views, which no number is over.
func otherViews(what string, of results.View, other string, otherOf results.View) error {
	name := func(v results.View) string { return cmp.Or(v.Text(), "all images as they are") }
	return fmt.Errorf("%w: %s (%s) beside %s (%s) (allowed: of one view)", ErrOption, what, name(of), other, name(otherOf))
}

// addOrigins says in a row what is said of the predictions behind it. What the row has itself stays.
func (r *Result) addOrigins(row *results.Row) {
	var all []map[string]string
	for _, c := range r.cells {
		if !r.behind(row, c) {
			continue
		}
		if all == nil {
			row.Data = c.origin.data
		} else if row.Data != c.origin.data {
			row.Data = ""
		}
		all = append(all, c.origin.versions)
	}
	for _, set := range r.sets {
		if set.name == row.OOD {
			all = append(all, set.cell.origin.versions)
		}
	}
	row.Versions = results.AddVersions(results.JoinVersions(all...), row.Versions)
}

// behind reports whether a cell is what a row is of, or one of those that it is a mean over.
func (r *Result) behind(row *results.Row, c *Cell) bool {
	return row.Dataset == r.datasetOf(c) && (row.Corruption == "" || row.Corruption == c.Corruption) &&
		(row.Severity == 0 || row.Severity == c.Severity) && (row.Group == "" || r.inGroup(c.Corruption, row.Group))
}

// inGroup reports whether a corruption of the benchmark is in a group: noise, blur, weather or digital.
func (r *Result) inGroup(corruption, group string) bool {
	return r.Benchmark != nil && slices.ContainsFunc(r.Benchmark.Corruptions, func(c metrics.Corruption) bool {
		return c.Name == corruption && string(c.Group) == group
	})
}
