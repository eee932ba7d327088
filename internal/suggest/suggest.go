// Package suggest finds what a mistyped name was meant to be.
package suggest

import (
	"fmt"
	"strings"
)

// Hint returns `, did you mean "x"?` for the name x nearest to a mistyped one, or nothing if none is near: at most a third
// of the letters, and no more than three, may be wrong. Case does not count. Of several the first is taken.
func Hint(typed string, names []string) string {
	if len(typed) > 64 {
		return ""
	}
	best, nearest := min(len(typed)/3, 3)+1, ""
	for _, name := range names {
		if d := distance(strings.ToLower(typed), strings.ToLower(name), best); d < best {
			best, nearest = d, name
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", nearest)
}

// distance is how many letters must be put in, left out, changed or swapped with their neighbor to make b of a (optimal
// string alignment). Distances of limit and more need not be exact.
func distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
