package results

import (
	"errors"
	"fmt"
)

// maxConflicts is how many contradictions one error lists.
const maxConflicts = 20

// Merge returns the rows of several shards, in order, each measurement once. Rows of the same [Key] and outcome
// (value, interval, n) are one measurement, also if it was repeated later or by another version: the earlier of them
// is kept, where the first one stood. A mean over some sets gives way to one of the same key over these and more (Row.Over), which a
// run that resumes with more sets has. Other rows of the same key and different outcome, or of other data, contradict each other: the error
// wraps [ErrConflict] and a [*ConflictError] for each pair, up to twenty, and there is no result.
func Merge(shards ...[]Located) ([]Located, error) {
	var out []Located
	at := map[Key]int{}
	var conflicts []error
	more := 0
	for _, rows := range shards {
		for i := range rows {
			row := &rows[i]
			j, ok := at[row.Key()]
			switch {
			case !ok:
				at[row.Key()] = len(out)
				out = append(out, *row)
			case out[j].SameData(&row.Row) && row.overMore(&out[j].Row):
				out[j] = *row
			case out[j].SameData(&row.Row) && out[j].overMore(&row.Row):
			case !out[j].sameResult(&row.Row) || !out[j].SameData(&row.Row):
				if len(conflicts) == maxConflicts {
					more++
					continue
				}
				conflicts = append(conflicts, &ConflictError{out[j], *row})
			case row.Time.Before(out[j].Time):
				out[j] = *row
			}
		}
	}
	if more > 0 {
		conflicts = append(conflicts, fmt.Errorf("%w: %d more pairs", ErrConflict, more))
	}
	if conflicts != nil {
		return nil, errors.Join(conflicts...)
	}
	return out, nil
}

// MergeFiles reads result files and merges their rows.
func MergeFiles(paths ...string) ([]Located, error) {
	shards := make([][]Located, len(paths))
	for i, path := range paths {
		rows, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		shards[i] = rows
	}
	return Merge(shards...)
}
