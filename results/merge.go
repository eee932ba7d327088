package results

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// maxConflicts is how many contradictions one error lists.
const maxConflicts = 20

// Merge returns the rows of several shards, in order, each measurement once. Rows of the same [Key] and outcome
// (value, interval, n) are one measurement, also if it was repeated later or by another version: the earlier of them
// is kept, where the first one stood, with the fingerprint of the data that any of them has. A mean over some sets gives
// way to one of the same key over these and more (Row.Over), which a run that resumes with more sets has. Other rows of
// the same key and different outcome, or of other data, contradict each other, in whatever order they come: the error
// wraps [ErrConflict] and a [*ConflictError] for each pair, up to twenty, and there is no result.
func Merge(shards ...[]Located) ([]Located, error) {
	var out []Located
	at := map[Key]int{}
	more := map[int][]*Located{} // the rows of a key after its first
	for _, rows := range shards {
		for i := range rows {
			row := &rows[i]
			key := row.Key()
			if j, ok := at[key]; ok {
				more[j] = append(more[j], row)
				continue
			}
			at[key] = len(out)
			out = append(out, *row)
		}
	}
	var c conflicts
	for _, j := range slices.Sorted(maps.Keys(more)) {
		first := out[j]
		out[j] = c.settle(append([]*Located{&first}, more[j]...))
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	return out, nil
}

// conflicts are the contradictions that were found.
type conflicts struct {
	list []error
	more int // that the list has no room for
}

func (c *conflicts) add(a, b *Located) {
	if len(c.list) == maxConflicts {
		c.more++
		return
	}
	c.list = append(c.list, &ConflictError{*a, *b})
}

func (c *conflicts) err() error {
	if c.more > 0 {
		return errors.Join(append(c.list, fmt.Errorf("%w: %d more pairs", ErrConflict, c.more))...)
	}
	return errors.Join(c.list...)
}

// settle returns the one row that the rows of a key come to. All of them are looked at first: which of two gives way, and whether they
// are of one data set, can depend on a third.
func (c *conflicts) settle(rows []*Located) Located {
	known, most := rows[0], rows[0] // the first whose data are known, and the first of the means over most sets
	for _, r := range rows {
		if known.Data == "" {
			known = r
		}
		if len(r.Over) > len(most.Over) {
			most = r
		}
	}
	kept := most
	for _, r := range rows {
		switch {
		case !r.SameData(&known.Row):
			c.add(known, r)
		case most.overMore(&r.Row):
		case !r.sameResult(&most.Row):
			c.add(most, r)
		case r.Time.Before(kept.Time):
			kept = r
		}
	}
	one := *kept
	one.Data = known.Data
	return one
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
