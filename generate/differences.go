package generate

import (
	"fmt"
	"slices"
)

// Difference is a setting that an output has otherwise than a job asks for.
type Difference struct {
	Name string // of the option, or what the images depend on without one
	Was  string // of the output; "not set" where it has none
	Now  string // of the job
}

// String returns "NAME: was WAS, now NOW".
func (d Difference) String() string { return fmt.Sprintf("%s: was %s, now %s", d.Name, d.Was, d.Now) }

// notSet is the value of an option that only the other side has.
const notSet = "not set"

// DiffersError is an [ErrDiffers] that says in what.
type DiffersError struct {
	Path        string // of the output
	State       string // "complete" or "unfinished"
	Differences []Difference
}

// Error has a line for each difference.
func (e *DiffersError) Error() string {
	return fmt.Sprintf("%s is %s and was %v:%s", e.Path, e.State, ErrDiffers, listed(e.Differences))
}

// Unwrap returns [ErrDiffers].
func (e *DiffersError) Unwrap() error { return ErrDiffers }

// Has reports whether the setting of that name differs.
func (e *DiffersError) Has(name string) bool {
	return slices.ContainsFunc(e.Differences, func(d Difference) bool { return d.Name == name })
}

func differs(path, state string, d ...Difference) error {
	return &DiffersError{Path: path, State: state, Differences: d}
}

// listed puts each difference on a line of its own.
func listed(all []Difference) (text string) {
	for _, d := range all {
		text += "\n  " + d.String()
	}
	return text
}

// diff lists the options that differ; it is empty when both agree. Options that only one of them has follow from others: they are
// listed where nothing else differs.
func diff(was, now []Option) []Difference {
	old := make(map[string]string, len(was))
	for _, o := range was {
		old[o.Name] = o.Value
	}
	var both, alone []Difference
	seen := make(map[string]bool, len(now))
	for _, o := range now {
		seen[o.Name] = true
		if v, ok := old[o.Name]; !ok {
			alone = append(alone, Difference{o.Name, notSet, o.Value})
		} else if v != o.Value {
			both = append(both, Difference{o.Name, v, o.Value})
		}
	}
	for _, o := range was {
		if !seen[o.Name] {
			alone = append(alone, Difference{o.Name, o.Value, notSet})
		}
	}
	if len(both) == 0 {
		return alone
	}
	return both
}
