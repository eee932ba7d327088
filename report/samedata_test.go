package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// measured is a run of one row.
func measured(path, data string, limit int) *Run {
	row := results.Row{
		Model: path, Dataset: "test", Metric: results.Top1Error, Value: 0.5, N: 10, Data: data, Origin: results.Measured,
		Time: time.Unix(1, 0),
	}
	row.Limit = limit
	r := &Run{Name: path, Path: path, Rows: []results.Located{{Row: row, File: path + "/results.jsonl", Line: 1}}}
	r.liftLimit()
	return r
}

// TestOtherData: numbers of other samples under one name do not stand in one table.
func TestOtherData(t *testing.T) {
	_, err := Build(t.Context(), []*Run{measured("a", "one", 0), measured("b", "two", 0)}, Options{})
	if !errors.Is(err, ErrData) {
		t.Fatalf("other data: %v", err)
	}
	for _, words := range []string{"a/results.jsonl:1", "b/results.jsonl:1", "one", "two", "test"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q lacks %s", err, words)
		}
	}
	for what, second := range map[string]*Run{
		"the same data": measured("b", "one", 0), "an older row": measured("b", "", 0), "another limit": measured("b", "two", 5),
	} {
		if _, err := Build(t.Context(), []*Run{measured("a", "one", 0), second}, Options{}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
