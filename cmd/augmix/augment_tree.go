package main

import (
	"path/filepath"

	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// wantsTree reports whether the input has annotations and the output is to be the same tree.
func (c *augmentCmd) wantsTree() bool {
	if c.OutputFormat != "" || c.In == formats.Standard || c.Out == formats.Standard || filepath.Ext(c.Out) != "" {
		return c.OutputFormat == generate.FormatTree
	}
	return c.InputFormat == annotated.Name || c.InputFormat == "" && (c.Images != nil || annotated.Detect(c.In) != "")
}

// runTree augments a tree of annotated images.
func (c *augmentCmd) runTree(a *app) error {
	c.OutputFormat = ""
	plan, err := c.treePipeline()
	if err != nil {
		return err
	}
	spec, err := c.spec()
	if err != nil {
		return err
	}
	if spec.Moves() || spec.NeedsPartner() {
		return usagef("--mix %s moves pixels from under boxes and masks, or mixes them (allowed for annotated images: augmix-photometric, "+
			"noises, cutout and others that move nothing; --geometry shared moves boxes and masks with the image)", c.Mix)
	}
	methods, closeSet, err := c.methods(a, []mix.Spec{spec}, func() (int, error) { return 0, nil })
	if err != nil {
		return err
	}
	defer closeSet()
	plan.Mix = methods[0]
	return c.epochs(a, plan, generate.Output{Path: storage.Clean(c.Out)}, func(at generate.Output) (summary, error) {
		return c.epochTree(a, plan, at)
	})
}

// treePipeline checks the flags and resolves them.
func (c *augmentCmd) treePipeline() (*transform.Pipeline, error) {
	out := c.Out
	c.Out = "folder" // what its name could say has been looked at
	plan, err := c.pipeline()
	c.Out = out
	switch {
	case err != nil:
		return nil, err
	case plan.Size != 0 || plan.Crop.Kind != transform.NoCrop || plan.Flip || plan.Views > 1:
		return nil, usagef("--size, --crop, --flip and --views do not go with annotated images, which keep size and number")
	case c.Shard != "":
		return nil, usagef("--shard does not go with annotated images")
	case c.Geometry == nil && (c.GeometrySeverity != 0 || c.MinVisible != 0 || c.MaskFill != nil):
		return nil, usagef("--geometry-severity, --min-visible and --mask-fill go with --geometry shared")
	}
	for _, o := range plan.Ops {
		if o.Op.Moves {
			return nil, usagef("--op %s moves pixels from under boxes and masks (--geometry shared moves both)", o)
		}
	}
	if c.Geometry == nil {
		return plan, nil
	}
	if c.GeometrySeverity == 0 {
		c.GeometrySeverity = 3
	}
	if c.MinVisible == 0 {
		c.MinVisible = 0.1
	}
	if !(c.GeometrySeverity >= 0.1 && c.GeometrySeverity <= 10) || !(c.MinVisible > 0 && c.MinVisible <= 1) {
		return nil, usagef("--geometry-severity %v --min-visible %v (allowed: 0.1 to 10, above 0 to 1)", c.GeometrySeverity, c.MinVisible)
	}
	if c.MaskFill != nil && (*c.MaskFill < 0 || *c.MaskFill > 65535) {
		return nil, usagef("--mask-fill %d (allowed: 0 to 65535)", *c.MaskFill)
	}
	plan.Shared = c.GeometrySeverity
	return plan, nil
}

// epochTree writes one epoch of a tree to out.
func (c *augmentCmd) epochTree(a *app, plan *transform.Pipeline, out generate.Output) (summary, error) {
	src, err := c.open(a, c.In)
	if err != nil {
		return summary{}, err
	}
	defer src.Close()
	tree, err := c.openTree(c.In, c.Out, src.Info())
	if err != nil {
		return summary{}, err
	}
	src = c.take(src)
	task := generate.Mirror{
		Tree: tree, Dir: out.Local().Path, Variants: []transform.Variant{{}}, Quality: c.Quality, Transform: plan.Single,
	}
	g := generation{
		Job: generate.Job{Source: src, In: c.In, Out: out, Seed: c.Seed}, app: a, command: "augment", options: c, running: &c.running,
		each: 1, layout: task.Layout(), epochs: c.Epochs,
	}
	if c.Geometry == nil {
		a.warnTree(tree, nil, src.Info().Len)
		g.Task = task
		s, err := g.run()
		if err == nil {
			a.tellCarried(tree, len(s.Rejected))
		}
		return s, err
	}
	if task.Annotations, err = tree.Annotations(nil); err != nil {
		return summary{}, err
	}
	tellLoose(a, task.Annotations.Loose())
	task.Options = annotated.WarpOptions{MinVisible: c.MinVisible, MaskFill: -1}
	if c.MaskFill != nil {
		task.Options.MaskFill = *c.MaskFill
	}
	if !c.Plan { // which counts images alone
		task.Warp = generate.PipelineWarp(plan, c.Seed)
	}
	g.Task = task
	s, err := g.run()
	if tally := task.Annotations.Tally(); tally != "" && err == nil {
		a.say("objects of this run: %s", tally)
	}
	return s, err
}

// tellLoose says which annotations are of no image, and so are left out.
func tellLoose(a *app, loose []*annotated.Problem) {
	const most = 10
	for _, p := range loose[:min(len(loose), most)] {
		a.say("left out: %v", p)
	}
	if len(loose) > most {
		a.say("... and %d more annotations of no image (augmix verify lists them)", len(loose)-most)
	}
}
