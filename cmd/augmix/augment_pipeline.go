package main

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// pipeline checks the flags and resolves them: what stays in c is what is recorded.
func (c *augmentCmd) pipeline() (*transform.Pipeline, error) {
	switch {
	case c.Size < 0 || c.Size > mostSide:
		return nil, usagef("--size %d (allowed: 1 to %d)", c.Size, mostSide)
	case c.Views < 1 || c.Views > 64:
		return nil, usagef("--views %d (allowed: 1 to 64)", c.Views)
	case c.Epochs < 1 || c.Epochs > 9999 || c.Epoch < 0 || c.Epoch > 1<<30:
		return nil, usagef("--epoch %d --epochs %d (allowed: 0 and up, 1 to 9999)", c.Epoch, c.Epochs)
	case c.ViewAxis && !slices.Contains([]string{"npy", "npz"}, c.row(c.Out).Name):
		return nil, usagef("--view-axis goes with --output-format npy and npz")
	case c.Shard != "" && !slices.Contains([]string{"folder", "wds"}, c.row(c.Out).Name):
		return nil, usagef("--shard goes with --output-format folder and wds")
	case c.Views > 1 && (c.Out == formats.Standard || c.OutputFormat == fileFormat):
		return nil, usagef("--views %d makes more images than one file holds", c.Views)
	}
	for _, err := range []error{c.output.check(), c.running.check(), c.selecting.check(c.row(c.Out).Ordered), c.checkStream(&c.input, c.Shard)} {
		if err != nil {
			return nil, err
		}
	}
	r := &transform.Pipeline{Size: c.Size, Flip: c.Flip, Views: c.Views}
	var err error
	if r.Crop, err = transform.ParseCrop(c.Crop); err != nil {
		return nil, err
	}
	c.Crop = r.Crop.String()
	if r.Filter, err = augment.ParseFilter(c.Filter); err != nil {
		return nil, err
	}
	if r.Fill, err = parseColor(c.Fill); err != nil {
		return nil, err
	}
	for i, text := range c.Op {
		op, err := transform.ParseOp(text)
		if err != nil {
			return nil, err
		}
		r.Ops = append(r.Ops, op)
		c.Op[i] = op.String()
	}
	return r, nil
}

// spec resolves the mix.
func (c *augmentCmd) spec() (mix.Spec, error) {
	if c.Mix == "" {
		c.Mix = "none"
		if len(c.Op) == 0 {
			c.Mix = "augmix"
		}
	}
	s, err := mix.ParseSpec(c.Mix)
	if err != nil {
		return s, fmt.Errorf("--mix: %w", err)
	}
	c.Mix = s.String()
	return s, nil
}
