package terminal

import (
	"fmt"
	"strings"
)

// Count writes a number and what it counts, a regular noun in the singular: "1 sample", "2 samples", "2 classes".
func Count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "tch"), strings.HasSuffix(noun, "x"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
