package main

import (
	"slices"
	"strings"
	"testing"
)

// TestNoEmptyChoice: no flag offers "", in completion or in the error about another value.
func TestNoEmptyChoice(t *testing.T) {
	for _, c := range completions(newParser(&cli{}, nil).Model) {
		for _, f := range c.Flags {
			if slices.Contains(f.Values, "") {
				t.Errorf("%s --%s may be empty: %q", c.Path, f.Long, f.Values)
			}
		}
	}
	if o := augmix(t, exitUsage, "augment", "x", "-o", "y", "--geometry", "own"); !strings.Contains(o.err, `--geometry must be one of "shared" but`) {
		t.Error(o.err)
	}
}

// TestCompletedFlags: what turns a flag off is offered too, and the networks that the studio's model may be of.
func TestCompletedFlags(t *testing.T) {
	offered := map[string][]string{}
	for _, c := range completions(newParser(&cli{}, nil).Model) {
		for _, f := range c.Flags {
			offered[c.Path+" --"+f.Long] = f.Values
		}
	}
	if _, ok := offered["train --no-flip"]; !ok {
		t.Error("no train --no-flip")
	}
	if !slices.Contains(offered["studio --arch"], "resnet20") {
		t.Errorf("studio --arch: %q", offered["studio --arch"])
	}
}
