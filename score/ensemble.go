package score

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/predictions"
)

// others finds the files of the other models of an ensemble, which must have what the first has. Labels of theirs must be the
// first's: those in files are compared as they are read, those of a file of their own here.
func (f *Files) others(first *predictions.Set, o *Options) ([]*predictions.Set, error) {
	var sets []*predictions.Set
	for _, path := range f.Ensemble {
		set, err := find(path, f.Layout, o)
		if err != nil {
			return nil, err
		}
		if set.Layout != first.Layout || len(set.Parts) != len(first.Parts) {
			return nil, fmt.Errorf("%w: %s has layout %s and %d files, %s %s and %d", predictions.ErrEnsemble, path, set.Layout,
				len(set.Parts), f.Path, first.Layout, len(first.Parts))
		}
		if err := sameLabels(first.Labels, set.Labels, first.Layout); err != nil {
			return nil, err
		}
		for i := range first.Parts {
			p := &first.Parts[i]
			other := partOf(set, p)
			if other == nil {
				return nil, fmt.Errorf("%w: %s has nothing that goes with %s", predictions.ErrEnsemble, path, p)
			}
			if err := sameLabels(p.Labels, other.Labels, first.Layout); err != nil {
				return nil, err
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// partOf returns the part of a set for the images of another set's part.
func partOf(set *predictions.Set, p *predictions.Part) *predictions.Part {
	i := slices.IndexFunc(set.Parts, func(q predictions.Part) bool { return q.Name == p.Name && q.Severity == p.Severity })
	if i < 0 {
		return nil
	}
	return &set.Parts[i]
}

// sameLabels refuses two files of labels, where there are two, that differ. Where a file has all severities, labels may be there once
// or for each.
func sameLabels(a, b string, layout predictions.Layout) error {
	if a == "" || b == "" {
		return nil
	}
	one, err := predictions.ReadLabels(a)
	if err != nil {
		return err
	}
	two, err := predictions.ReadLabels(b)
	if err != nil {
		return err
	}
	if !alike(one.Values, two.Values, layout) {
		return fmt.Errorf("%w: the labels in %s are not those in %s", predictions.ErrEnsemble, b, a)
	}
	if one.IDs != nil && two.IDs != nil && !alike(one.IDs, two.IDs, layout) {
		return fmt.Errorf("%w: the ids in %s are not those in %s, or in another order", predictions.ErrEnsemble, b, a)
	}
	return nil
}

// alike reports whether two files say the same of their images.
func alike[T comparable](long, short []T, layout predictions.Layout) bool {
	if len(long) < len(short) {
		long, short = short, long
	}
	if layout == predictions.CIFARC && len(long) == severities*len(short) {
		short = slices.Repeat(short, severities)
	}
	return slices.Equal(long, short)
}

// with returns the files of the other models that go with a part.
func (r *reading) with(p *predictions.Part) []predictions.Part {
	var parts []predictions.Part
	for _, set := range r.others {
		parts = append(parts, *partOf(set, p))
	}
	return parts
}
