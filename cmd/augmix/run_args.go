package main

import (
	"fmt"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// stageArgs returns the command line that does what a stage does.
func stageArgs(s *experiment.Stage) []string {
	switch {
	case s.Train != nil:
		return trainArgs(s.Train)
	case s.Eval != nil:
		return evalArgs(s.Eval)
	case s.Sheet != nil:
		return sheetArgs(s.Sheet)
	}
	args := append([]string{"report"}, s.Report.Runs...)
	args = append(args, "-o", s.Report.Out)
	if s.Report.Title != "" {
		args = append(args, "--title", s.Report.Title)
	}
	return args
}

func trainArgs(t *experiment.Train) []string {
	args, base := []string{"train"}, train.Default()
	if r, err := recipe.Read(t.Recipe); err == nil {
		if c, err := r.Method(t.Method); err == nil {
			args, base = append(args, t.Recipe, "--method", t.Method), c
		}
	}
	args = append(args, "--name", t.Name, "-o", t.Dir)
	if t.Resume {
		args = append(args, "--resume")
	}
	return append(args, flagsOf(&t.Config, &base)...)
}

// plainEval is an evaluation without flags. A parser takes a while to make.
var plainEval = sync.OnceValue(func() experiment.Eval {
	var c cli
	return *c.Eval.options(parse(&c, "eval", "MODEL", "IN"))
})

func evalArgs(e *experiment.Eval) []string {
	full, base := e.WithDefaults(), plainEval()
	base.File, base.In = e.File, e.In
	args := append([]string{"eval", e.File, e.In, "-o", e.Dir}, flagsOf(&full, &base)...)
	if e.Workers > 0 {
		args = append(args, "--workers", fmt.Sprint(e.Workers))
	}
	return args
}

func sheetArgs(s *experiment.Sheet) []string {
	full := s.WithDefaults()
	var c cli
	base := c.Sheet.options(parse(&c, "sheet", "-o", s.Out))
	base.In, base.Mix = s.In, s.Mix
	args := append(append([]string{"sheet"}, s.In...), "-o", s.Out)
	for _, spec := range s.Mix {
		args = append(args, "--mix", spec)
	}
	return append(args, flagsOf(&full, base)...)
}

// parse reads a command line of this program's own.
func parse(c *cli, args ...string) *kong.Context {
	ctx, err := newParser(c, args).Parse(args)
	if err != nil {
		panic("augmix: a command line of its own: " + err.Error())
	}
	return ctx
}
