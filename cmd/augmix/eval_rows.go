package main

import (
	"encoding/json"

	"github.com/augmix-go/augmix/results"
)

// jsonRow is a row as standard output shows it: a line of results.jsonl.
type jsonRow struct{ results.Row }

// MarshalJSON implements [json.Marshaler].
func (r jsonRow) MarshalJSON() ([]byte, error) { return r.AppendLine(nil) }

func evalJSON(rows []results.Row) []json.Marshaler {
	out := make([]json.Marshaler, len(rows))
	for i := range rows {
		out[i] = jsonRow{rows[i]}
	}
	return out
}
