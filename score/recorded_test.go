package score

import (
	"path/filepath"
	"testing"
	"time"

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
			if d := Intervals([]*Recorded{NewRecorded(f, "m", 0)}, []float64{row.Value}, results.ByCell(row), 20)[0]; d.Err != nil {
				t.Errorf("%+v: %v", row.View, d.Err)
			}
		}
	}
}
