package cpu

import (
	"slices"
	"strings"
)

// Selection says at which level a package of kernels runs.
type Selection struct {
	Kernels string // what they work on
	Level   Level
}

var selections []Selection

// Select returns the highest level of those for which a package has assembly that is not above [Use]; [Plain] if there
// is none, or no assembly at all. It notes the choice for [Selections]. It is for the initialization of packages, one
// after the other: calls must not run at the same time.
func Select(kernels string, have ...Level) Level {
	level := Plain
	for _, l := range have {
		if l <= use {
			level = max(level, l)
		}
	}
	selections = append(selections, Selection{kernels, level})
	return level
}

// Selections returns what the packages of this program selected, sorted by name.
func Selections() []Selection {
	return slices.SortedFunc(slices.Values(selections), func(a, b Selection) int {
		return strings.Compare(a.Kernels, b.Kernels)
	})
}
