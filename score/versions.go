package score

import (
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// readVersions takes what is said beside the files of the predictions; of an ensemble what is said of all of its models together.
func (j *fileJob) readVersions() error {
	var all []map[string]string
	for _, p := range append([]predictions.Part{*j.part}, j.options.With...) {
		versions, err := predictions.ReadVersions(p.Path)
		if err != nil {
			return err
		}
		all = append(all, versions)
	}
	for _, c := range j.cells {
		c.versions = results.JoinVersions(all...)
	}
	return nil
}

// addVersions says in a row what is said of the predictions behind it. What the row has itself stays.
func (r *Result) addVersions(row *results.Row) {
	var all []map[string]string
	for _, c := range r.cells {
		if r.behind(row, c) {
			all = append(all, c.versions)
		}
	}
	for _, set := range r.sets {
		if set.name == row.OOD {
			all = append(all, set.cell.versions)
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
