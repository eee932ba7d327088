package experiment

import (
	"context"
	"slices"

	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
)

// categoryNames are the names of the categories of shapes and textures.
func categoryNames() []string {
	var names []string
	for _, c := range imagenet.Categories() {
		names = append(names, c.Name)
	}
	return names
}

// setCategories finds the model's classes of each category: those of the name of the category, or ImageNet-1K's wnids below it; a
// model without names must have as many classes as ImageNet-1K, or one more.
func (r *evaluation) setCategories(p eval.Predictor) error {
	names, whole := r.classes, imagenet.Classes()
	switch p.Classes() {
	case len(whole):
	case len(whole) + 1:
		whole = slices.Insert(whole, 0, background)
	}
	if names == nil && p.Classes() == len(whole) {
		names = whole
	}
	r.members, r.classes = nil, nil
	for _, c := range imagenet.Categories() {
		var classes []int
		for i, name := range names {
			if name == c.Name || slices.Contains(c.Wnids, name) {
				classes = append(classes, i)
			}
		}
		if len(classes) == 0 {
			return option.Errorf(ErrOption, "{suite}: cues of a model of %d classes without one of the category %s (allowed: ImageNet-1K's "+
				"classes, named by wnids or not at all, or the 16 categories by name)", p.Classes(), c.Name)
		}
		r.members = append(r.members, classes)
	}
	return nil
}

func (r *evaluation) cues(ctx context.Context) error {
	return r.evaluator.Cues(ctx, &eval.CueSuite{
		Open: r.rawSource, Prepare: r.prepare, Categories: categoryNames(), Members: r.members,
	})
}
