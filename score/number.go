package score

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/results"
)

// State says what stands behind a [Number].
type State uint8

const (
	// Missing: there is no such number; Note says why.
	Missing State = iota
	// Given by a row.
	Given
	// Computed from rows, exactly as the metric is defined.
	Computed
)

// Number is one number of one model. Its value is NaN where it is missing or undefined.
type Number struct {
	State         State
	Value         float64
	Lo, Hi, Level float64      // interval; Level is 0 if there is none
	N             int64        // images or videos behind it; 0 if not known
	Seeds         []uint64     // of the rows behind it
	Note          string       // of a computed or a missing number
	Row           *results.Row // of a given number
}

// Has reports whether there is a value.
func (n *Number) Has() bool { return n.State != Missing && !math.IsNaN(n.Value) }

func missing(format string, args ...any) Number {
	return Number{Value: math.NaN(), Note: fmt.Sprintf(format, args...)}
}

// count adds what is behind a part.
func (n *Number) count(part *Number, first bool) {
	if part.N > 0 && (first || n.N > 0) {
		n.N += part.N
	} else {
		n.N = 0 // not known
	}
	for _, s := range part.Seeds {
		if !slices.Contains(n.Seeds, s) {
			n.Seeds = append(n.Seeds, s)
		}
	}
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// OverSeeds is the mean of one number of several models whose training differs in its seed alone, without an interval. It is missing
// unless all of them have it, as the mean over some seeds is another number than that over all, and of no models.
func OverSeeds(numbers []Number) Number {
	out := Number{State: Computed}
	var values []float64
	for i := range numbers {
		n := &numbers[i]
		if !n.Has() {
			continue
		}
		values = append(values, n.Value)
		for _, s := range n.Seeds {
			if !slices.Contains(out.Seeds, s) {
				out.Seeds = append(out.Seeds, s)
			}
		}
	}
	switch {
	case len(numbers) == 0:
		return missing("no seeds")
	case len(values) == 0:
		return missing("%s", numbers[0].Note)
	case len(values) < len(numbers):
		return missing("only %d of %d seeds", len(values), len(numbers))
	}
	out.Value = mean(values)
	if !slices.ContainsFunc(numbers, func(n Number) bool { return n.N != numbers[0].N }) {
		out.N = numbers[0].N // else not known
	}
	out.Note = fmt.Sprintf("mean of %d seeds, from %s to %s", len(values), plain(slices.Min(values)), plain(slices.Max(values)))
	return out
}

// mean is NaN where any value is.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
