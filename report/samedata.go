package report

import (
	"fmt"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// sameData refuses runs whose numbers would stand in one column though they are of other samples: measured under one name
// on data of other fingerprints. Runs of other limits are left to the words about limits.
func sameData(runs []*Run) error {
	type column struct {
		cell  results.Cell
		limit int
	}
	type place struct {
		run *Run
		row *results.Located
	}
	first := map[column]place{}
	for _, run := range runs {
		for i := range run.Rows {
			row := &run.Rows[i]
			if row.Origin != results.Measured || row.Data == "" {
				continue
			}
			c := column{score.Place(results.ByCell(&row.Row)), run.Limit}
			was, ok := first[c]
			if !ok {
				first[c] = place{run, row}
				continue
			}
			if !was.row.SameData(&row.Row) {
				return fmt.Errorf("%w: %s: %s has it of %d samples with the fingerprint %s (%s), %s of %d with %s (%s); make a report of "+
					"each, or measure one of them under another name", ErrData, results.DisplayName(row.Dataset), was.run.Path,
					was.row.N, was.row.Data, was.row.Place(), run.Path, row.N, row.Data, row.Place())
			}
		}
	}
	return nil
}
