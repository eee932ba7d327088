package report

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
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
	relative, mean := results.Cell{Dataset: "imagenet-c", Metric: results.RelativeMeanCE}, results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error}
	if !s.oneOrder(relative) {
		t.Error("one order is taken for two")
	}
	s.run.Rows[1].Versions[results.VersionOrder] = "labels:2"
	if s.oneOrder(relative) || !s.oneOrder(mean) {
		t.Error("two orders are taken for one")
	}
}

// TestOrderOfIDs: the mean over parts whose images have ids in other orders has no interval that draws an image in all of them.
func TestOrderOfIDs(t *testing.T) {
	s := newSubject("m", "m", results.Measured, "r")
	s.run = &Run{}
	for _, part := range []struct{ corruption, preprocess, ids string }{{"fog", "", "1"}, {"snow", "", "1"}, {"frost", "clahe", "2"}, {"snow", "clahe", ""}} {
		s.run.Rows = append(s.run.Rows, results.Located{Row: results.Row{
			Model: "m", Dataset: "cifar10-c", Corruption: part.corruption, View: results.View{Preprocess: part.preprocess},
			Versions: map[string]string{results.VersionOrder: "labels:1", results.VersionIDs: part.ids},
		}})
	}
	mean := results.Cell{Dataset: "cifar10-c", Metric: results.Top1Error, View: results.View{Group: "weather"}}
	if !s.oneOrder(mean) {
		t.Error("one order is taken for two")
	}
	s.run.Rows[1].Versions[results.VersionIDs] = "3"
	if s.oneOrder(mean) {
		t.Error("two orders are taken for one")
	}
}

// TestOrderOfParts: parts of a data set have orders of their own.
func TestOrderOfParts(t *testing.T) {
	of := func(parts ...string) *Subject {
		s := newSubject("m", "m", results.Measured, "r")
		s.run = &Run{}
		for _, part := range parts {
			s.run.Rows = append(s.run.Rows, results.Located{Row: results.Row{
				Model: "m", Dataset: "icons-50", View: results.View{Part: part}, Versions: map[string]string{results.VersionOrder: "labels:" + part},
			}})
		}
		return s
	}
	if !sameOrder(of("style", "subtype"), of("subtype", "style"), "icons-50") {
		t.Error("the order of one part is taken for that of another")
	}
}

// TestOrderOfScored: records of saved predictions whose rows lie in another order are not paired.
func TestOrderOfScored(t *testing.T) {
	scored := func(c classifier, at func(i int) int) *Run {
		t.Helper()
		cell, err := score.NewCell("", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		cell.Keep = true
		logits := make([]float64, synthClasses)
		for i := range 150 {
			i = at(i)
			c.logits(logits, i, i*i%7, "", 0)
			if err := score.AddLogits(cell, logits, []int{i * i % 7}); err != nil {
				t.Fatal(err)
			}
		}
		m, err := score.Cells([]*score.Cell{cell}, score.Options{Model: c.name, Dataset: "cifar10", Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err = results.WriteFile(filepath.Join(dir, results.FileName), m.Rows); err == nil {
			err = score.WriteRecords(filepath.Join(dir, records.FileName), m)
		}
		if err != nil {
			t.Fatal(err)
		}
		run, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	forward := func(i int) int { return i }
	first := scored(standardNet(), forward)
	for kind, at := range map[string]func(i int) int{"paired": forward, "unpaired": func(i int) int { return 149 - i }} {
		second := scored(augmixNet(), at)
		row := build(t, first, second).table(t, "synthetic augmix − synthetic standard").Rows[0]
		if got := row.Cells[4].Text; got != kind {
			t.Errorf("%s: %s, want %s", row.Name, got, kind)
		}
	}
	// Ids tell what classes do not, where both have them.
	for _, c := range []struct{ first, second, kind string }{{"a", "a", "paired"}, {"a", "b", "unpaired"}, {"a", "", "paired"}, {"", "b", "paired"}} {
		named := func(run *Run, ids string) *Run {
			for i := range run.Rows {
				versions := maps.Clone(run.Rows[i].Versions)
				versions[results.VersionIDs] = ids
				run.Rows[i].Versions = versions
			}
			return run
		}
		row := build(t, named(scored(standardNet(), forward), c.first), named(scored(augmixNet(), forward), c.second)).
			table(t, "synthetic augmix − synthetic standard").Rows[0]
		if got := row.Cells[4].Text; got != c.kind {
			t.Errorf("ids %q and %q: %s, want %s", c.first, c.second, got, c.kind)
		}
	}
}
