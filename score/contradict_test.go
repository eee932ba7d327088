package score

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// TestRowsOfOneCell: rows are averaged over seeds alone, and equal ones are one, with its interval.
func TestRowsOfOneCell(t *testing.T) {
	row := func(v float64, change func(r *results.Row)) results.Row {
		r := errorRow("imagenet-c", "fog", 1, v)
		change(&r)
		return r
	}
	seed := func(s uint64) func(r *results.Row) { return func(r *results.Row) { r.Seed = &s } }
	none := func(r *results.Row) {}
	for name, c := range map[string]struct {
		rows []results.Row
		want string // "": a number
	}{
		"seeds":      {[]results.Row{row(.1, seed(1)), row(.3, seed(2))}, ""},
		"again":      {[]results.Row{row(.2, none), row(.2, seed(3))}, ""},
		"no seeds":   {[]results.Row{row(.1, none), row(.3, none)}, "2 rows of 0 seeds contradict each other"},
		"one seed":   {[]results.Row{row(.1, seed(1)), row(.3, seed(1))}, "2 rows of 1 seeds contradict"},
		"data":       {[]results.Row{row(.1, func(r *results.Row) { r.Data = "x" }), row(.3, func(r *results.Row) { r.Data = "y" })}, "other samples"},
		"published":  {[]results.Row{row(.1, seed(1)), row(.3, func(r *results.Row) { r.Origin = results.Published })}, "measured and published"},
		"a baseline": {[]results.Row{row(.1, seed(1)), row(.3, func(r *results.Row) { setVersion(r, results.VersionBaseline, "x") })}, "baselines"},
		"bins":       {[]results.Row{row(.1, seed(1)), row(.3, func(r *results.Row) { setVersion(r, results.VersionBins, "x") })}, "bins"},
	} {
		var b Book
		b.Add(c.rows...)
		n := b.Get(results.ByCell(&c.rows[0]))
		if c.want == "" && (!n.Has() || n.Value < .199 || n.Value > .201) || c.want != "" && (n.Has() || !strings.Contains(n.Note, c.want)) {
			t.Errorf("%s: %+v", name, n)
		}
	}
	with := row(.2, seed(1))
	with.Interval = &results.Interval{Lo: .1, Hi: .3, Level: .95}
	var b Book
	b.Add(row(.2, none), with)
	if n := b.Get(results.ByCell(&with)); n.State != Given || n.Level != .95 {
		t.Errorf("the interval is lost: %+v", n)
	}
	rows, _ := whole(t)
	b = Book{}
	for i, r := range rows {
		b.Add(r)
		if i == 3 {
			r.Seed, r.Value = new(uint64), r.Value+.1
			rows[i].Seed = new(uint64)
			*r.Seed = 1
			b = Book{}
			b.Add(rows[:i+1]...)
			b.Add(r)
		}
	}
	c := results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error}
	if n := b.Get(c); n.Has() || !strings.Contains(n.Note, "of 1 seeds, others of 2") {
		t.Errorf("a mean over cells of other seeds: %+v", n)
	}
}

// TestCellsKeepTheirs: difficulty and bins of rows are those of the cells.
func TestCellsKeepTheirs(t *testing.T) {
	hard, err := NewSequences("gaussian_noise", 3, false)
	if err == nil {
		err = AddVideo(hard, []float32{1, 0, 0, 1, 1, 0}, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := Cells([]*Cell{hard}, Options{Dataset: "mine-p"})
	if err != nil || !slices.ContainsFunc(r.Rows, func(r results.Row) bool { return r.Corruption != "" && r.Difficulty == 3 }) {
		t.Errorf("difficulty 3: %v", err)
	}
	if _, err := Cells([]*Cell{hard}, Options{Dataset: "mine-p", Difficulty: 2}); !errors.Is(err, ErrOption) {
		t.Errorf("difficulty 3 as 2: %v", err)
	}
	fine, err := NewCell("", 0, 50)
	if err == nil {
		err = AddLogits(fine, []float64{1, 0, 2, 0}, []int{0, 0})
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Cells([]*Cell{fine}, Options{Dataset: "mine"}); err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if x := &r.Rows[i]; x.Metric == results.ECE && x.Versions[results.VersionBins] != "equal:50" {
			t.Errorf("bins %q", x.Versions[results.VersionBins])
		}
	}
}

// TestComparedAlike: numbers of other bins are not subtracted, nor predictions compared of which some are missing.
func TestComparedAlike(t *testing.T) {
	of := func(model string, bins int, late bool) *Result {
		c, err := NewCell("", 0, bins)
		if err != nil {
			t.Fatal(err)
		}
		c.Keep = !late
		for i := range 40 {
			if err := AddLogits(c, []float64{float64(i % 3), 1.5}, []int{i % 2}); err != nil {
				t.Fatal(err)
			}
			c.Keep = true
		}
		o := Options{Model: model, Dataset: "mine", Metrics: Metrics{Bins: bins}}
		if !late {
			o.Bootstrap.Replicates = 20
		}
		r, err := Cells([]*Cell{c}, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rows, err := Compare(of("a", 10, false), of("b", 30, false))
	if err != nil || len(rows) == 0 {
		t.Fatal(err)
	}
	for i := range rows {
		if m := rows[i].Metric; m == results.ECE || m == results.MaxCalibration {
			t.Errorf("a difference of %s", m)
		}
	}
	if rows, err := Compare(of("a", 10, true), of("b", 10, false)); !errors.Is(err, ErrOption) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestAmongIsNotNormalized: AlexNet chose among 1000 classes.
func TestAmongIsNotNormalized(t *testing.T) {
	rows, _ := whole(t)
	var b Book
	for _, r := range rows {
		r.Among = 100
		b.Add(r)
	}
	for metric, want := range map[string]bool{results.MeanCE: false, results.Top1Error: true} {
		c := results.Cell{Dataset: "imagenet-c", View: results.View{Among: 100}, Metric: metric}
		if n := b.Get(c); n.Has() != want {
			t.Errorf("%s: %+v", metric, n)
		}
	}
}

func TestOwnCleanTwice(t *testing.T) {
	rows := []results.Row{errorRow("mine", "", 0, .1), errorRow("mine-c", "fog", 1, .2), errorRow("mine", "", 0, .3)}
	for i := range rows {
		rows[i].Origin, rows[i].Seed, rows[i].Time = results.Measured, new(uint64), time.Unix(1, 0)
		*rows[i].Seed = uint64(i)
	}
	path := filepath.Join(t.TempDir(), results.FileName)
	if err := results.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBaseline(path); err == nil || !strings.Contains(err.Error(), ":3: error 0.3 of clean images, before it 0.1") {
		t.Error(err)
	}
}

// TestMeansOverSets: rows of another data set, of differences or of a set again are not in a mean over OOD sets.
func TestMeansOverSets(t *testing.T) {
	base := results.Row{Model: "m", Dataset: "mine"}
	row := func(set string, v float64, change func(r *results.Row)) results.Row {
		r := base
		r.Metric, r.OOD, r.Value = results.AUROC, set, v
		change(&r)
		return r
	}
	none := func(r *results.Row) {}
	got := DetectionMeans(base, []results.Row{
		row("a", .9, none), row("b", .5, none), row("a", .1, none), row("c", .3, func(r *results.Row) { r.Dataset = "other" }),
		row("d", -.3, func(r *results.Row) { r.Against = "n" }),
	})
	if len(got) != 1 || got[0].Value != .7 || !slices.Equal(got[0].Over, []string{"a", "b"}) {
		t.Errorf("%+v", got)
	}
}

// TestClassesOfOneName: ImageNet has two cranes.
func TestClassesOfOneName(t *testing.T) {
	c := &Classes{Names: []string{"crane", "cat", "crane"}}
	if got := []string{c.Name(0), c.Name(1), c.Name(2), c.Name(3)}; !slices.Equal(got, []string{"crane (0)", "cat", "crane (2)", "3"}) {
		t.Error(got)
	}
}

func TestFilesRange(t *testing.T) {
	folder, _, _, _ := forms(t)
	for _, f := range []Files{{Path: folder, Frames: -5}, {Path: folder, Severity: 9}, {Path: folder, Severity: -2}} {
		if _, err := f.Score(context.Background(), Options{Model: "m"}); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
