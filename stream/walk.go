package stream

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Errors is a table of the errors that a reference network makes under pairs of corruptions, by which a walk keeps its
// difficulty.
type Errors struct{ of map[[2]string][]measured }

// measured is the error at a pair of severities.
type measured struct{ first, second, error float64 }

// errorColumns are the columns of a file of [ReadErrors].
var errorColumns = []string{"corruption1", "severity1", "corruption2", "severity2", "error"}

// ReadErrors reads a table from CSV with the columns corruption1, severity1, corruption2, severity2 and error: the error, 0 to 1,
// under corruption1 at severity1 and then corruption2 at severity2, each 0, or 0.001 to 5 with up to three decimals. The error
// wraps [ErrOrder] and names the row.
func ReadErrors(r io.Reader) (*Errors, error) {
	rows, err := readCSV(r, errorColumns)
	if err != nil {
		return nil, err
	}
	e := &Errors{of: map[[2]string][]measured{}}
	for i, row := range rows {
		var v [3]float64
		for k, c := range []int{1, 3, 4} {
			v[k], err = strconv.ParseFloat(row[c], 64)
			most, decimals := []float64{5, 5, 1}[k], ""
			if k < 2 && err == nil {
				_, err = transform.ParseSeverities(row[c])
				decimals = ", up to three decimals"
			}
			if err != nil || !(v[k] >= 0 && v[k] <= most) {
				return nil, fmt.Errorf("%w: row %d: %s %.40q (allowed: 0 to %v%s)", ErrOrder, i+1, errorColumns[c], row[c], most, decimals)
			}
		}
		pair := [2]string{row[0], row[2]}
		e.of[pair] = append(e.of[pair], measured{v[0], v[1], v[2]})
	}
	return e, nil
}

// byteOrderMark is what spreadsheet programs write in front of a file.
const byteOrderMark = "\ufeff"

// readCSV returns the rows of a CSV file with one of the heads, the first of which errors name.
func readCSV(r io.Reader, heads ...[]string) ([][]string, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = b.Discard(len(byteOrderMark)) // it is there
	}
	rows, err := csv.NewReader(b).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOrder, err)
	}
	if len(rows) == 0 || !slices.ContainsFunc(heads, func(head []string) bool { return slices.Equal(rows[0], head) }) {
		return nil, fmt.Errorf("%w: the first line is not %s", ErrOrder, strings.Join(heads[0], ","))
	}
	return rows[1:], nil
}

// row is what a table says of one severity of the first corruption: the measurement nearest to a target, and its range of errors.
type row struct {
	nearest     measured
	least, most float64
}

// path returns the severities of a transition from a to b: those of a fall step by step, from alone to nothing, those of b are
// the ones whose error is nearest to target. Steps at which no severity of b comes near it are left out.
func (e *Errors) path(a, b string, target float64) ([][2]float64, error) {
	rows := map[float64]row{}
	least, most := 1., 0.
	for _, m := range e.of[[2]string{a, b}] {
		r, ok := rows[m.first]
		if !ok {
			r = row{m, m.error, m.error}
		}
		if math.Abs(m.error-target) < math.Abs(r.nearest.error-target) {
			r.nearest = m
		}
		r.least, r.most = min(r.least, m.error), max(r.most, m.error)
		least, most = min(least, m.error), max(most, m.error)
		rows[m.first] = r
	}
	var path [][2]float64
	for first, r := range rows {
		// Where a alone is harder than the target, nothing of b makes it easier.
		if r.reaches(target) && (r.nearest.second > 0 || math.Abs(r.nearest.error-target) <= tolerance) {
			path = append(path, [2]float64{first, r.nearest.second})
		}
	}
	switch {
	case len(rows) == 0:
		return nil, fmt.Errorf("%w: no way from %s to %s: it has no errors under both", ErrTable, a, b)
	case len(path) < 2:
		return nil, fmt.Errorf("%w: no way from %s to %s at an error of %v: the table has %v to %v for them, and two severities of %s must come within %v",
			ErrTable, a, b, target, least, most, a, tolerance)
	}
	slices.SortFunc(path, func(x, y [2]float64) int { return cmp.Compare(y[0], x[0]) })
	return path, nil
}

// reaches reports whether a target lies among the errors of a row, or near to them.
func (r row) reaches(target float64) bool {
	return r.least-tolerance <= target && target <= r.most+tolerance
}

// tolerance is how near to the target the errors of a severity must come, and that of one corruption alone for a transition to
// begin there.
const tolerance = 0.05

// stride is how much severities change from step to step of a walk without a table.
const stride = 0.25

// sums are the severities of a transition that keeps their sum.
func sums(sum float64) (path [][2]float64) {
	for k := 0; float64(k)*stride < sum; k++ {
		path = append(path, [2]float64{sum - float64(k)*stride, float64(k) * stride})
	}
	return path
}

// walk draws a corruption after the other and goes from each to the next.
func walk(s Spec, d Data, key rng.Key) (Order, error) {
	if (s.Error > 0) != (d.Errors != nil) {
		return nil, option.Errorf(ErrOrder, "walk: an error to keep (walk-e0.4) and a table of errors, {difficulty}, go together (allowed: "+
			"both or neither)")
	}
	n := s.Images
	if n == 0 {
		n = d.Samples * len(d.Corruptions)
	}
	p := &phases{samples: d.Samples, key: key.Str("samples")}
	at, path, err := 0, sums(s.Severity), error(nil)
	for turn := uint64(0); p.Len() < n; turn++ {
		r := key.Str("turn").Uint(turn).Rand()
		next := r.IntN(len(d.Corruptions))
		if turn > 0 { // any but the one that is there
			next = (at + 1 + r.IntN(len(d.Corruptions)-1)) % len(d.Corruptions)
			from, to := d.Corruptions[at], d.Corruptions[next]
			if s.Error > 0 {
				if path, err = d.Errors.path(from, to, s.Error); err != nil {
					return nil, err
				}
			}
			for _, severities := range path {
				p.add(changes(from, severities[0], to, severities[1]), min(s.Hold, n-p.Len()))
			}
		}
		at = next
	}
	return p, nil
}

// changes leaves out what has no severity.
func changes(a string, first float64, b string, second float64) (c [2]Change) {
	list := c[:0]
	if first > 0 {
		list = append(list, Change{a, first})
	}
	if second > 0 {
		list = append(list, Change{b, second})
	}
	return [2]Change(append(list, make([]Change, 2-len(list))...))
}
