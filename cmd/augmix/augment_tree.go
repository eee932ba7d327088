package main

import (
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
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
func (c *augmentCmd) runTree(ctx *kong.Context, a *app) error {
	c.OutputFormat = ""
	plan, err := c.treePipeline()
	if err != nil {
		return err
	}
	asked := c.Mix != ""
	spec, err := c.spec()
	if err != nil {
		return err
	}
	if spec.Moves() {
		return c.movingMix(spec, asked)
	}
	if err := checkEffect(ctx, c.drawn(plan, spec)...); err != nil {
		return err
	}
	c.planned = c.Plan
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

// movingMix is the error of a mix that moves pixels, or mixes them in; asked: it is not the default one.
func (c *augmentCmd) movingMix(spec mix.Spec, asked bool) error {
	what := "--mix " + c.Mix
	if !asked {
		what = "--mix is missing, and the default, " + c.Mix + ","
	}
	return usagef("%s moves pixels from under boxes and masks, or mixes them: %s (allowed for annotated images: augmix-photometric, "+
		"noises, cutout, corruptions that move nothing and others, none%s)", what, strings.Join(spec.Moving(), ", "), c.instead())
}

// instead is what a message about what moves may advise, where it is not done already.
func (c *augmentCmd) instead() string {
	if c.Geometry != nil {
		return ""
	}
	return "; --geometry shared moves boxes and masks with the image"
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
	}
	if err := c.checkGeometry(); err != nil {
		return nil, err
	}
	for _, o := range plan.Ops {
		if o.Op.Moves {
			return nil, usagef("--op %s moves pixels from under boxes and masks (allowed: those that move nothing%s)", o, c.instead())
		}
	}
	if c.Geometry == nil {
		return plan, nil
	}
	if c.GeometrySeverity == nil {
		c.GeometrySeverity = new(3.0)
	}
	if c.MinVisible == nil {
		c.MinVisible = new(0.1)
	}
	plan.Shared = *c.GeometrySeverity
	return plan, nil
}

// checkGeometry checks the values of the flags of the affine, and that there is one.
func (c *augmentCmd) checkGeometry() error {
	switch {
	case c.GeometrySeverity != nil && !(*c.GeometrySeverity >= 0.1 && *c.GeometrySeverity <= 10):
		return usagef("--geometry-severity %v (allowed: 0.1 to 10)", *c.GeometrySeverity)
	case c.MinVisible != nil && !(*c.MinVisible > 0 && *c.MinVisible <= 1):
		return usagef("--min-visible %v (allowed: above 0 to 1)", *c.MinVisible)
	case c.MaskFill != nil && (*c.MaskFill < 0 || *c.MaskFill > 65535):
		return usagef("--mask-fill %d (allowed: 0 to 65535)", *c.MaskFill)
	case c.Geometry == nil && (c.GeometrySeverity != nil || c.MinVisible != nil || c.MaskFill != nil):
		return usagef("--geometry-severity, --min-visible and --mask-fill without --geometry shared, which they are of")
	}
	return nil
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
	if still := task.Annotations.Unknown(); len(still) > 0 {
		a.say("warning: %s named after an image and no annotations that are known, such as %s: copied as they are, they do not follow the images",
			terminal.Count(len(still), "file"), still[0])
	}
	task.Options = annotated.WarpOptions{MinVisible: *c.MinVisible, MaskFill: -1}
	if c.MaskFill != nil {
		task.Options.MaskFill = *c.MaskFill
	}
	task.Warp = generate.PipelineWarp(plan, c.Seed)
	g.Task = task
	s, err := g.run()
	if tally := task.Annotations.Tally(); tally != "" && err == nil && !c.Plan {
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
