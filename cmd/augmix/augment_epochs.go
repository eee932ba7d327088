package main

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// epochs has write make all epochs, of which the plan says one after the other.
func (c *augmentCmd) epochs(
	a *app, plan *transform.Pipeline, out generate.Output, write func(at generate.Output) (summary, error),
) error {
	first, results := c.Epoch, []summary{}
	outs := []generate.Output{out}
	for e := range c.Epochs {
		if c.Epochs > 1 {
			outs = append(outs[:e], out.Epoch(first+e))
		}
	}
	deleted := make([]bool, len(outs))
	if c.SkipDeleted && !c.Force {
		deleted = generate.Deleted(outs)
	}
	if c.Plan {
		outs = outs[:1]
	}
	for e, at := range outs {
		c.Epoch = first + e
		plan.Epoch = c.Epoch
		if deleted[e] {
			a.say("%s: was made and deleted, left out", at.Path)
			continue
		}
		s, err := write(at)
		if err != nil && c.Epochs > 1 && errors.Is(err, generate.ErrDamaged) {
			err = fmt.Errorf("%w\n(--skip-deleted leaves out epochs that were deleted; --epoch %d --epochs %d begins after this one)",
				err, c.Epoch+1, c.Epochs-e-1)
		}
		if err != nil {
			return err
		}
		results = append(results, s)
	}
	return finish(a, out, results...)
}

// epoch writes the shard of one epoch to out.
func (c *augmentCmd) epoch(a *app, plan *transform.Pipeline, out generate.Output, sh generate.Shard) (summary, error) {
	src, err := c.open(a, c.In)
	if err != nil {
		return summary{}, err
	}
	defer src.Close()
	src = c.take(c.keepLayout(&c.input, c.In, c.Out, src))
	if err := checkOne(c.row(c.Out).Name, c.Out, src); err != nil {
		return summary{}, err
	}
	shuffled, err := c.order(src, c.Seed, c.Epoch)
	if err != nil {
		return summary{}, err
	}
	g := generation{
		Job: generate.Job{Source: shuffled, In: c.In, Out: out, Seed: c.Seed, PerShard: c.PerShard},
		app: a, command: "augment", options: c, running: &c.running, each: c.Views, shard: sh, total: src.Info().Len,
		layout: c.layout(a, c.Out, src.Info(), c.Views), epochs: c.Epochs, count: counter(a, &c.input, c.In, c.selecting),
	}
	if !sh.Whole() && g.total < 0 {
		if g.total, err = g.count(); err != nil {
			return summary{}, err
		}
	}
	if c.weights != "" {
		g.notes = []generate.Option{{Name: "networks", Value: c.weights}}
	}
	if plan.Mix.NeedsPartner() {
		if err := c.partners(a, plan, src); err != nil {
			return summary{}, err
		}
	}
	classes := src.Info().Classes
	task := func(out generate.Output) generate.Task {
		return generate.PipelineTask(plan, len(classes), c.opener(a, out, classes, c.axis()))
	}
	g.Task = task(out)
	g.taskOf = func(dir string, _ int) generate.Task { return task(generate.Output{Path: dir}) }
	return g.run()
}

// partners gives the mix the samples to take partners from, in the order of IN, so that they do not depend on --shuffle.
func (c *augmentCmd) partners(a *app, plan *transform.Pipeline, src data.Source) error {
	var ok bool
	if plan.Source, ok = src.(data.Indexed); !ok {
		if c.Stream {
			return usagef("--stream with --mix %s, which takes partners from anywhere in the data set (allowed: one of them)", plan.Mix)
		}
		return fmt.Errorf("%w: --mix %s takes partners from anywhere in the data set, and %s (%s) "+
			"cannot be read at random; convert it first (augmix data convert)", data.ErrUnsupported, plan.Mix, c.In, src.Info().Format)
	}
	if len(src.Info().Classes) == 0 && c.row(c.Out).Name == "wds" {
		a.say("soft labels are in %s and not in the tar files: a classes.txt beside IN would say how many classes there are",
			generate.TargetsName)
	}
	return nil
}
