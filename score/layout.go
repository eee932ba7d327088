package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/predictions"
)

// LayoutError is a field of [Files] or [Options] that files of their layout have no use for. It wraps [ErrOption].
type LayoutError struct {
	Option string // "ood", "labels", "clean", "severity", "frames", "difficulty", "zipf", "bins" or "reference-binning"
	Layout predictions.Layout
	// Allowed are the layouts that use it.
	Allowed []predictions.Layout
}

func (e *LayoutError) Error() string {
	var allowed []string
	for _, l := range e.Allowed {
		allowed = append(allowed, string(l))
	}
	return fmt.Sprintf("%v: %s with layout %s (allowed: with %s)", ErrOption, e.Option, e.Layout, strings.Join(allowed, ", "))
}

// Unwrap returns [ErrOption].
func (*LayoutError) Unwrap() error { return ErrOption }

// fits refuses options that the layout has no use for.
func (f *Files) fits(layout predictions.Layout, o *Options) error {
	labeled := []predictions.Layout{predictions.Single, predictions.CIFARC, predictions.ImageNetC}
	sequences := []predictions.Layout{predictions.P}
	for _, x := range []struct {
		option  string
		given   bool
		allowed []predictions.Layout
	}{
		{"ood", len(f.OOD) > 0, []predictions.Layout{predictions.Single}},
		{"labels", f.Labels != nil, labeled},
		{"clean", f.Clean != "", []predictions.Layout{predictions.CIFARC, predictions.ImageNetC}},
		{"severity", f.Severity > 0, []predictions.Layout{predictions.CIFARC}},
		{"frames", f.Frames > 0, sequences},
		{"difficulty", o.difficulty() > 1, sequences},
		{"zipf", o.Zipf, sequences},
		{"bins", o.Bins > 0 || o.Adaptive.Size > 0, labeled},
		{"reference-binning", o.Published, labeled},
	} {
		if x.given && !slices.Contains(x.allowed, layout) {
			return &LayoutError{x.option, layout, x.allowed}
		}
	}
	return nil
}
