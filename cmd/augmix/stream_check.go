package main

import (
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/stream"
)

// check checks the flags that no package knows.
func (c *streamCmd) check() error {
	switch {
	case c.Limit < 0:
		return usagef("--limit %d (allowed: from 1)", c.Limit)
	case c.ManifestOnly && storage.URL(c.Out) != "":
		return usageError{writtenHere.refuse("--manifest-only --out", c.Out)}
	case c.Order == "" && c.From == "":
		_, err := stream.Parse(c.Order) // which lists the orders
		return err
	case c.From != "" && (c.Order != "" && c.Order != string(stream.Continual) || c.Difficulty != ""):
		return usagef("--from %s with --order or --difficulty (allowed: one of them, as a manifest has its order)", c.From)
	case c.OnError == "skip" && !c.ManifestOnly && !slices.Contains([]string{"", "folder", "wds"}, c.row(c.Out).Name):
		return usagef("--on-error skip with an output of format %s: without an image its rows would not be those of stream.csv "+
			"(allowed: a folder of images or of tar files, whose names are positions)", c.row(c.Out).Name)
	}
	return nil
}

// effects are those of the flags for a manifest alone, or for the images too.
func (c *streamCmd) effects() []effect {
	if !c.ManifestOnly {
		return c.output.effects(c.Out, c.row(c.Out).Name)
	}
	flags := []string{
		"output-format", "image", "png", "quality", "output-split", "deflate", "per-shard", "on-error", "plan", "checkpoint",
	}
	return []effect{{flags, false, "images to write, no --manifest-only"}}
}

// checkSubset returns an error where other corruptions are given than those of the manifest in From, which an args.yaml has.
func (c *streamCmd) checkSubset(subset []string, given bool, src *stream.Source) error {
	names := slices.Sorted(slices.Values(src.Corruptions()))
	if c.From == "" || !given || slices.Equal(slices.Sorted(slices.Values(subset)), names) {
		return nil
	}
	return usagef("--subset %s with --from %s, whose corruptions are %s (allowed: one of them)", strings.Join(subset, ","), c.From,
		strings.Join(names, ","))
}
