package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestOrderOfImages: models whose images came in another order of classes, as those of a tree of folders do beside those of an
// array, have no paired differences on them, and a form in another order than the clean images has no interval that pairs both.
func TestOrderOfImages(t *testing.T) {
	runs := sharedRuns(t)
	ordered := func(r *Run, dataset, order string) *Run {
		out := *r
		out.Rows = slices.Clone(r.Rows)
		for i := range out.Rows {
			if row := &out.Rows[i]; strings.HasPrefix(row.Dataset, dataset) {
				row.Versions = maps.Clone(row.Versions)
				if row.Versions == nil {
					row.Versions = map[string]string{}
				}
				row.Versions[results.VersionOrder] = order
			}
		}
		return &out
	}
	kinds := func(second *Run) map[string]string {
		rep := build(t, ordered(runs[0], "cifar10", "labels:1"), second)
		found := map[string]string{}
		for _, row := range rep.table(t, "synthetic augmix − synthetic standard").Rows {
			found[row.Name] = row.Cells[4].Text
		}
		return found
	}
	same := kinds(ordered(runs[1], "cifar10", "labels:1"))
	if same["Clean error (%)"] != "paired" || same["C error (%)"] != "paired" {
		t.Errorf("one order: %v", same)
	}
	tree := kinds(ordered(ordered(runs[1], "cifar10", "labels:1"), "cifar10-c", "labels:2"))
	if tree["Clean error (%)"] != "paired" || tree["C error (%)"] == "paired" {
		t.Errorf("the form in another order: %v", tree)
	}
	s := newSubject("m", "m", results.Measured, "r")
	s.run = &Run{Rows: []results.Located{
		{Row: results.Row{Model: "m", Dataset: "imagenet", Versions: map[string]string{results.VersionOrder: "labels:1"}}},
		{Row: results.Row{Model: "m", Dataset: "imagenet-c", Corruption: "fog", Versions: map[string]string{results.VersionOrder: "labels:1"}}},
	}}
	if !s.cleanOrder("imagenet-c") {
		t.Error("one order is taken for two")
	}
	s.run.Rows[1].Versions[results.VersionOrder] = "labels:2"
	if s.cleanOrder("imagenet-c") {
		t.Error("two orders are taken for one")
	}
}
