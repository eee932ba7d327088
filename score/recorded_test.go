package score

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// TestRecordedView: the clean error of a relative mCE is that of the same treatment, though there is another beside it.
func TestRecordedView(t *testing.T) {
	p, err := metrics.LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	crops := results.View{TenCrop: true}
	var models []*Result
	for _, view := range []results.View{{}, crops} {
		o := Options{Model: "m", Dataset: p.Name, View: view, Keep: true, Time: time.Unix(1, 0)}
		wrong := 1 // of the clean images
		if view == crops {
			wrong = 0
		}
		var cells []*Cell
		add := func(corruption string, severity float64, wrong int) {
			c, err := NewCell(corruption, severity, 0)
			if err != nil {
				t.Fatal(err)
			}
			c.Keep = true
			for i := range 10 {
				logits := []float32{1, 0}
				if i < wrong {
					logits = []float32{0, 1}
				}
				if err := AddLogits(c, logits, []int{0}); err != nil {
					t.Fatal(err)
				}
			}
			cells = append(cells, c)
		}
		add("", 0, wrong)
		for _, name := range p.Primary() {
			for severity := range 5 {
				add(name, float64(severity+1), severity+2)
			}
		}
		r, err := Cells(cells, o)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, r)
	}
	path := filepath.Join(t.TempDir(), records.FileName)
	if err := WriteRecords(path, models...); err != nil {
		t.Fatal(err)
	}
	f, err := records.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range models {
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Metric != results.RelativeMeanCE {
				continue
			}
			if d := Intervals([]*Recorded{NewRecorded(f, "m", results.View{})}, []float64{row.Value}, results.ByCell(row), 20)[0]; d.Err != nil {
				t.Errorf("%+v: %v", row.View, d.Err)
			}
		}
	}
}

// TestRecordedSeries: flips, distances and OOD scores are in the records, so that reports draw their intervals.
func TestRecordedSeries(t *testing.T) {
	_, logits, _ := madeUp()
	dir := t.TempDir()
	for _, p := range metrics.Profiles() {
		if p.Name != "cifar10-p" {
			continue
		}
		for i, name := range p.Primary() {
			z := logits[[]string{"fog", "snow", "frost"}[i%3]]
			a := &npy.Array{Shape: []int{images / 2, 10, classes}, Data: z}
			if err := npy.WriteFile(filepath.Join(dir, name+".npy"), a); err != nil {
				t.Fatal(err)
			}
		}
	}
	test, textures := oodFiles(t)
	o := Options{Model: "m", Keep: true}
	far := o
	far.Model, far.Difficulty = "far", 2
	path := filepath.Join(t.TempDir(), records.FileName)
	models := []*Result{
		scored(t, Files{Path: dir}, o), scored(t, Files{Path: dir}, far), scored(t, Files{Path: test, OOD: []string{textures}}, o),
	}
	if err := WriteRecords(path, models...); err != nil {
		t.Fatal(err)
	}
	f, err := records.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]int{}
	for _, r := range models {
		for i := range r.Rows {
			row := &r.Rows[i]
			if !slices.Contains(drawn, row.Metric) {
				continue
			}
			seen[row.Metric]++
			d := Intervals([]*Recorded{NewRecorded(f, r.Model, results.View{})}, []float64{row.Value}, results.ByCell(row), 20)[0]
			if d.Err != nil {
				t.Errorf("%s of %s, %+v: %v", row.Metric, row.Corruption, row.View, d.Err)
			}
		}
	}
	// Eleven numbers of perturbations for two difficulties; one set and its mean by six scores.
	for metric, n := range map[string]int{results.FlipProbability: 22, results.Top5Distance: 22, results.AUROC: 12, results.AUPR: 12} {
		if seen[metric] != n {
			t.Errorf("%d rows of %s, want %d", seen[metric], metric, n)
		}
	}
	r := scored(t, Files{Path: test}, Options{Model: "m"})
	if err := WriteRecords(filepath.Join(dir, records.FileName), r); !errors.Is(err, ErrOption) {
		t.Errorf("records of nothing: %v", err)
	}
}
