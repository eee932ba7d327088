package main

import (
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

// carrying is the flag of how files that are not images come into an output that is the input's tree again.
type carrying struct {
	Carry string `group:"Output" enum:"copy,link" default:"copy" help:"tree: how files that are not images come into each tree: copy, or link, which copies them into the first and makes hard links for the others (${default})." yaml:"-"`
}

// openTree lists the tree at in, which info is of, for an output at out.
func (f *input) openTree(in, out string, info data.Info) (*annotated.Tree, error) {
	if info.Format != annotated.Name {
		return nil, usagef("--output-format tree is for images with annotations, and %s is of the format %s "+
			"(--images PATTERN says which files of another tree are images)", in, info.Format)
	}
	t, err := annotated.Open(in, f.Images)
	if err == nil && !storage.Remote(out) && t.Holds(out) {
		return nil, usagef("-o %s lies in %s, whose files the output holds (allowed: a folder outside)", out, in)
	}
	return t, err
}

// warnTree says which of the corruptions or perturbations move pixels under boxes and masks that stay, and that annotations are
// of more than the samples.
func (a *app) warnTree(t *annotated.Tree, names []string, samples int) {
	if t == nil {
		return
	}
	a.tellCarried(t, len(t.Images)-samples)
	if moving := transform.Moving(names); len(moving) > 0 {
		a.say("warning: boxes and masks stay where they are, and pixels move with %s (augmix list corruptions --geometry)",
			strings.Join(moving, ", "))
	}
}

// tellCarried says that annotations tell of images that the trees lack.
func (a *app) tellCarried(t *annotated.Tree, lacking int) {
	if t != nil && lacking > 0 {
		a.say("%s left out; annotations of them are carried all the same", terminal.Count(lacking, "image"))
	}
}
