package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

// treeFormat is the format of an output that is the input's tree again, annotations and all.
const treeFormat = "tree"

// carrying is the flag of how files that are not images come into such an output.
type carrying struct {
	Carry string `group:"Output" enum:"copy,link" default:"copy" help:"tree: how files that are not images come into each tree: copy, or link, which copies them into the first and makes hard links for the others (${default})." yaml:"-"`
}

// treeOut is an output of the format tree.
type treeOut struct {
	carrying
	found *annotated.Tree
}

// open lists the tree at in, which info is of, for an output at out.
func (t *treeOut) open(a *app, f *input, in, out string, info data.Info) (err error) {
	switch {
	case info.Format != annotated.Name:
		return usagef("--output-format tree is for images with annotations, and %s is of the format %s "+
			"(--images PATTERN says which files of another tree are images)", in, info.Format)
	case !storage.Remote(out) && isBelow(in, out):
		return usagef("-o %s lies in %s, whose files the output holds (allowed: a folder outside)", out, in)
	}
	t.found, err = annotated.Open(in, f.Images)
	return err
}

// isBelow reports whether the path out is root or lies in it.
func isBelow(root, out string) bool {
	abs := func(path string) string {
		path, _ = filepath.Abs(path)
		for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				return filepath.Join(real, rest)
			}
			if dir == filepath.Dir(dir) {
				return path
			}
		}
	}
	rel, err := filepath.Rel(abs(root), abs(out))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// warn says which of the corruptions or perturbations move pixels under boxes and masks that stay, and that annotations are of more
// than the samples.
func (t *treeOut) warn(a *app, names []string, samples int) {
	if t.found == nil {
		return
	}
	if left := len(t.found.Images) - samples; left > 0 {
		a.say("%s left out; annotations of them are carried all the same", terminal.Count(left, "image"))
	}
	if moving := movingOf(names); len(moving) > 0 {
		a.say("warning: boxes and masks stay where they are, and pixels move with %s (augmix list corruptions --geometry)",
			strings.Join(moving, ", "))
	}
}

// movingOf returns those of the corruptions or perturbations that move pixels.
func movingOf(names []string) (moving []string) {
	for _, r := range transform.GeometryTable() {
		if r.Moves && slices.Contains(names, r.Name) && !slices.Contains(moving, r.Name) {
			moving = append(moving, r.Name)
		}
	}
	return moving
}
