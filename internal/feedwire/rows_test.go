package feedwire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestRowNotes: a result of any length is sent in messages that the protocol allows, and none is lost.
func TestRowNotes(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("x", 1000))
	for _, n := range []int{0, 1, 40_000} {
		rows := make([]json.RawMessage, n)
		for i := range rows {
			rows[i] = json.RawMessage(fmt.Sprintf(`[%d,%s]`, i, long))
		}
		notes, err := RowNotes("dir", rows)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for k, note := range notes {
			body, err := encode(note.Body)
			if err != nil || note.Kind != KindRows {
				t.Fatal(note.Kind, err)
			}
			var part struct {
				Out  string
				Rows [][]any
				More *bool // a reader may ask for it without asking whether it is there
			}
			err = json.Unmarshal(body, &part)
			if err != nil || part.Out != "dir" || part.Rows == nil || part.More == nil || *part.More != (k < len(notes)-1) {
				t.Fatal(k, part.Out, part.More, err)
			}
			for _, row := range part.Rows {
				if row[0] != float64(got) {
					t.Fatalf("row %v in place of %d", row[0], got)
				}
				got++
			}
		}
		if got != n || n > 20_000 && len(notes) < 20 {
			t.Errorf("%d rows of %d in %d messages", got, n, len(notes))
		}
	}
}
