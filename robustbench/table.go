package robustbench

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrTable: a table of accuracies has another form.
var ErrTable = errors.New("bad table")

// tableName is the file of accuracies beside the models' files.
const tableName = "unaggregated_results.csv"

// table is unaggregated_results.csv: two head lines, of corruptions and of severities, and a line for each model.
type table struct {
	head  [2][]string
	lines [][]string
}

// newTable has the columns in the leaderboard's order.
func newTable() *table {
	t := &table{head: [2][]string{{""}, {""}}}
	for _, name := range corruptions {
		for s := range severities {
			t.head[0], t.head[1] = append(t.head[0], name), append(t.head[1], strconv.Itoa(s+1))
		}
	}
	return t
}

// readTable reads a table whose columns may have another order. Errors name the line.
func readTable(r io.Reader) (*table, error) {
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if len(all) < 2 {
		return nil, fmt.Errorf("%w: %d lines (needed: a line of corruptions, a line of severities)", ErrTable, len(all))
	}
	t := &table{head: [2][]string{all[0], all[1]}, lines: all[2:]}
	seen := map[string]bool{}
	for i := 1; i < len(all[0]); i++ {
		name, s := all[0][i], all[1][i]
		if !slices.Contains(corruptions[:], name) || len(s) != 1 || s < "1" || s > "5" || seen[name+s] {
			return nil, fmt.Errorf("%w: column %d is %s %s (allowed: each of the 15 corruptions at each severity, once)", ErrTable, i+1, name, s)
		}
		seen[name+s] = true
	}
	if len(seen) != len(corruptions)*severities {
		return nil, fmt.Errorf("%w: %d columns (needed: %d)", ErrTable, len(seen), len(corruptions)*severities)
	}
	ids := map[string]bool{}
	for i, l := range t.lines {
		if ids[l[0]] {
			return nil, fmt.Errorf("%w: line %d is the second one of %q", ErrTable, i+3, l[0])
		}
		ids[l[0]] = true
	}
	return t, nil
}

// put sets the line of an entry, the last one if it has none yet.
func (t *table) put(e *Entry) {
	line := make([]string, len(t.head[0]))
	line[0] = e.ID
	for i := 1; i < len(line); i++ {
		line[i] = float(e.Cells[t.head[0][i]][t.head[1][i][0]-'1'])
	}
	for i, l := range t.lines {
		if l[0] == e.ID {
			t.lines[i] = line
			return
		}
	}
	t.lines = append(t.lines, line)
}

// cells are the accuracies of a model, nil if it has none. Errors name line and column.
func (t *table) cells(id string) (Cells, error) {
	for i, l := range t.lines {
		if l[0] != id {
			continue
		}
		c := Cells{}
		for k := 1; k < len(l); k++ {
			v, err := strconv.ParseFloat(l[k], 64)
			if err != nil || !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("%w: line %d, %s %s: %q (allowed: 0 to 1)", ErrTable, i+3, t.head[0][k], t.head[1][k], l[k])
			}
			row := c[t.head[0][k]]
			row[t.head[1][k][0]-'1'] = v
			c[t.head[0][k]] = row
		}
		return c, nil
	}
	return nil, nil
}

func (t *table) encode() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll(slices.Concat(t.head[:], t.lines))
	return b.Bytes(), err
}

// float prints an accuracy as Python does.
func float(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if v == math.Trunc(v) {
		text += ".0"
	}
	return text
}

// readPercent reads a percentage, "88.82". most is the largest that is allowed.
func readPercent(text string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= most) || strings.ContainsAny(text, "eExX+-_ ") {
		return 0, fmt.Errorf("%q (allowed: a percentage from 0 to %g, such as \"88.82\")", text, most)
	}
	return v, nil
}
