package results

import (
	"fmt"
	"strings"
)

// Group is the rows that share a key.
type Group[K comparable] struct {
	Key  K
	Rows []Located
}

// GroupBy splits rows by a key, keeping the order of rows within a group and the order in which keys first occur.
func GroupBy[K comparable](rows []Located, key func(*Row) K) []Group[K] {
	var groups []Group[K]
	at := map[K]int{}
	for i := range rows {
		k := key(&rows[i].Row)
		j, ok := at[k]
		if !ok {
			j = len(groups)
			at[k] = j
			groups = append(groups, Group[K]{Key: k})
		}
		groups[j].Rows = append(groups[j].Rows, rows[i])
	}
	return groups
}

// ByModel is a key for [GroupBy].
func ByModel(r *Row) string { return r.Model }

// ByDataset is a key for [GroupBy].
func ByDataset(r *Row) string { return r.Dataset }

// ByCorruption is a key for [GroupBy].
func ByCorruption(r *Row) string { return r.Corruption }

// ByMetric is a key for [GroupBy].
func ByMetric(r *Row) string { return r.Metric }

// Cell is a row's place in a table of one model: everything of its [Key] but the model, the seed and the origin.
type Cell struct {
	Dataset, Corruption string
	Severity            float64
	Difficulty          int
	View
	Metric string
}

// ByCell is a key for [GroupBy] that puts the same measurement of several models, or seeds, together.
func ByCell(r *Row) Cell {
	return Cell{r.Dataset, r.Corruption, r.Severity, r.Difficulty, r.View, r.Metric}
}

// Select returns the rows for which every condition holds, in their order.
func Select(rows []Located, conditions ...func(*Row) bool) []Located {
	var out []Located
next:
	for i := range rows {
		for _, ok := range conditions {
			if !ok(&rows[i].Row) {
				continue next
			}
		}
		out = append(out, rows[i])
	}
	return out
}

// Is returns a condition for [Select]: the key of the row is the given one, as in Is(ByMetric, "error").
func Is[K comparable](key func(*Row) K, want K) func(*Row) bool {
	return func(r *Row) bool { return key(r) == want }
}

// One returns the only row for which every condition holds, or an error that wraps [ErrMissing] if there is none, or
// [ErrConflict] if there are several, naming the first two.
func One(rows []Located, conditions ...func(*Row) bool) (Located, error) {
	found := Select(rows, conditions...)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Located{}, fmt.Errorf("%w among %d rows", ErrMissing, len(rows))
	}
	return Located{}, fmt.Errorf("%w: %d rows where one is wanted, the first at %s and %s", ErrConflict, len(found),
		found[0].Place(), found[1].Place())
}

// Rows returns the rows without their places.
func Rows(located []Located) []Row {
	out := make([]Row, len(located))
	for i := range located {
		out[i] = located[i].Row
	}
	return out
}

// ConflictError is two rows of the same key with different outcomes.
type ConflictError struct{ A, B Located }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%v: %s: %s at %s, %s at %s", ErrConflict, e.A.Key(), e.A.outcome(), e.A.Place(), e.B.outcome(),
		e.B.Place())
}

func (e *ConflictError) Unwrap() error { return ErrConflict }

func (r *Row) outcome() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v (n %d", r.Value, r.N)
	if r.Interval != nil {
		fmt.Fprintf(&b, ", [%v, %v] at %v", r.Interval.Lo, r.Interval.Hi, r.Interval.Level)
	}
	if r.Data != "" {
		fmt.Fprintf(&b, ", data %s", r.Data)
	}
	b.WriteByte(')')
	return b.String()
}
