package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// TestRows: of the rows that a folder has, those of the options at hand are an experiment's, whichever was written last.
func TestRows(t *testing.T) {
	seed := func(n uint64) *uint64 { return &n }
	written := []results.Row{
		{Value: 0},
		{Value: 1, View: results.View{Limit: 20}},
		{Value: 2, View: results.View{TenCrop: true}},
		{Value: 3, Model: "standard-exit2"},
		{Value: 4, Seed: seed(7)},
		{Value: 5, Dataset: "other"},
		{Value: 6, View: results.View{Among: 9, Limit: 40}},
		{Value: 7, View: results.View{Limit: 40}},
		{Value: 8, View: results.View{Preprocess: "clahe"}},
		{Value: 9, View: results.View{Part: "held out"}},
		{Value: 10, Model: "standard, temperature scaled"},
		{Value: 11, View: results.View{Limit: 50}},
	}
	o := Options{Dir: t.TempDir()}
	dir := filepath.Join(o.Dir, "standard", "eval")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := results.OpenAppend(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range written {
		if r.Model == "" {
			r.Model = "standard"
		}
		if r.Dataset == "" {
			r.Dataset = "scenes"
		}
		r.Metric, r.Origin, r.Value = results.Top1Error, results.Measured, r.Value/100
		r.Time = time.Now()
		if err := f.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		option string // of the evaluation
		limit  int
		want   float64
		model  string
	}{
		{"dataset: scenes", 0, 0, "standard"},
		{"", 20, 1, "standard"},
		{"ten-crop: true", 0, 2, "standard"},
		{"exit: 2", 0, 3, "standard-exit2"},
		{"dataset: other", 0, 5, "standard"},
		{"", 40, 6, "standard"}, // the test set has some of the classes, and predictions are among these
		{"among: model", 40, 7, "standard"},
		{"preprocess: clahe", 0, 8, "standard"},
		{"part: held out", 0, 9, "standard"},
		{"temperature-on: more", 0, 10, "standard, temperature scaled"},
		{"", 50, 11, "standard"},
	} {
		o.Methods, o.Limit = []string{"standard"}, c.limit
		x, err := New(tinyRecipe(t, strings.Replace(tiny, "{input-size: 16}", "{"+c.option+"}", 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := x.Rows()
		if err != nil {
			t.Fatal(err)
		}
		if names := x.Models(); !slices.Equal(names, []string{c.model}) {
			t.Errorf("%s: the models are %q", c.option, names)
		}
		if len(rows) != 1 || rows[0].Value != c.want/100 || rows[0].Model != c.model {
			t.Errorf("%q with limit %d: %+v, want %v", c.option, c.limit, rows, c.want/100)
		}
	}
}
