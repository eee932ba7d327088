package metrics

import (
	"errors"
	"fmt"
)

// Sentinel errors. Every error of this package wraps one of them; those that concern one row are a [*RowError].
var (
	// ErrLogit: a logit that is NaN, infinite or beyond the range of float32.
	ErrLogit = errors.New("bad logit")
	// ErrProb: a probability outside [0, 1], or a row that does not sum to one.
	ErrProb = errors.New("bad probability")
	// ErrLabel: a label or a prediction outside the classes, or no label where one is needed.
	ErrLabel = errors.New("bad label")
	// ErrScore: a score, confidence or value that is not a number of the allowed range.
	ErrScore = errors.New("bad value")
	// ErrLength: two things that must have the same length do not, or a row is empty.
	ErrLength = errors.New("lengths do not match")
	// ErrName: a corruption, perturbation, group, data set or score that is not in the published tables.
	ErrName = errors.New("unknown name")
	// ErrMissing: a mean over corruptions, perturbations or severities of which some were never set.
	ErrMissing = errors.New("values are missing")
	// ErrDuplicate: a value set twice.
	ErrDuplicate = errors.New("value set twice")
	// ErrNotComputable: a number that would have no meaning, such as CIFAR errors divided by AlexNet's
	// ImageNet errors. The message says why.
	ErrNotComputable = errors.New("cannot be computed")
	// ErrUndefined: the metric has no value on these rows, for instance on none at all.
	ErrUndefined = errors.New("undefined")
	// ErrOption: an argument outside its range.
	ErrOption = errors.New("bad option")
)

// RowError is an error of one row of predictions.
type RowError struct {
	Row   int     // number of the row (or video), as the caller gave it
	Class int     // class (or frame) within it, -1 when the whole row is meant
	Value float64 // the offending value
	Want  string  // what is allowed
	Err   error   // the sentinel
}

func (e *RowError) Error() string {
	if e.Class < 0 {
		return fmt.Sprintf("%v: row %d: %v (allowed: %s)", e.Err, e.Row, e.Value, e.Want)
	}
	return fmt.Sprintf("%v: row %d, entry %d: %v (allowed: %s)", e.Err, e.Row, e.Class, e.Value, e.Want)
}

func (e *RowError) Unwrap() error { return e.Err }

func rowErr(sentinel error, row, class int, value float64, want string) error {
	return &RowError{Row: row, Class: class, Value: value, Want: want, Err: sentinel}
}

func optionErr(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrOption, fmt.Sprintf(format, args...))
}

func emptyErr(what string) error {
	return fmt.Errorf("%w: %s of no rows", ErrUndefined, what)
}

func undefinedErr(what string) error { return fmt.Errorf("%w: %s", ErrUndefined, what) }
