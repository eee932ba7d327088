package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/robustbench"
)

const formatRobustBench = "robustbench"

// notRobustBench are the flags of what a leaderboard has no place for.
var notRobustBench = []string{
	"title", "replicates", "average-seeds", "sweep", "table", "intervals", "published", "digits", "figure", "width", "untitled",
}

// checkRobustBench returns a usage error for flags that do not go with the format. byName is the format of the output's name.
func (c *reportCmd) checkRobustBench(ctx *kong.Context, format, byName string) error {
	is := format == formatRobustBench
	switch {
	case !is && c.ModelInfo != "":
		return usagef("--model-info goes with --format robustbench")
	case !is:
		return nil
	case c.ModelInfo == "":
		return usagef("--model-info is missing: a JSON file with what the leaderboard asks of a model (augmix report --help lists the keys)")
	case len(c.Runs) != 1:
		return usagef("--format robustbench takes one RUN, not %d", len(c.Runs))
	case byName != "" || c.Out == formats.Standard:
		return usagef("-o %s: robustbench writes a directory", c.Out)
	}
	return checkEffect(ctx, effect{notRobustBench, false, "another format than robustbench"})
}

// robustBench writes a model's files for the leaderboard.
func (c *reportCmd) robustBench(a *app) error {
	about, err := readModelInfo(c.ModelInfo)
	if err != nil {
		return err
	}
	path := c.Runs[0]
	if st, err := storage.Stat(path); err == nil && st.IsDir() {
		path = storage.Join(path, results.FileName)
	}
	located, err := results.MergeFiles(path)
	if err != nil {
		return err
	}
	e, err := robustbench.FromRows(results.Rows(located), about)
	if err == nil {
		err = robustbench.Write(c.Out, e)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Runs[0], err)
	}
	for _, note := range e.Notes {
		a.say("note: %s", note)
	}
	a.say("%s: %s on %s", c.Out, e.ID, e.Dataset)
	if !a.JSON {
		return nil
	}
	return a.print(reportResult{Out: c.Out, Format: formatRobustBench, Notes: e.Notes}, func(io.Writer) {})
}

func readModelInfo(path string) (robustbench.About, error) {
	f, err := data.OpenFile(path)
	if err != nil {
		return robustbench.About{}, err
	}
	defer f.Close()
	about, err := robustbench.ReadAbout(f)
	if errors.Is(err, robustbench.ErrAbout) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return about, err
}
