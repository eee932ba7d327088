package score

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// TestReadBaseline: the clean error is that of the benchmark's own data set, and a second number of one cell is refused.
func TestReadBaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), results.FileName)
	row := func(dataset, corruption string, severity, v float64) results.Row {
		return results.Row{
			Model: "m", Dataset: dataset, Corruption: corruption, Severity: severity, Metric: results.Top1Error, Value: v, N: 9,
			Origin: results.Measured, Time: time.Unix(1, 0),
		}
	}
	read := func(rows ...results.Row) (Baseline, error) {
		if err := results.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
		return ReadBaseline(path)
	}
	fog, other := row("cifar10-c", "fog", 1, 0.5), row("cifar10.1-v6", "", 0, 0.4)
	b, err := read(row("cifar10", "", 0, 0.1), fog, other)
	if err != nil {
		t.Fatal(err)
	}
	if e := b.Own[metrics.ErrorRate]; !e.HasClean || e.Clean != 0.1 {
		t.Errorf("the clean error is %v, want 0.1", e.Clean)
	}
	if b, err = read(fog, other); err != nil || b.Own[metrics.ErrorRate].HasClean {
		t.Errorf("the clean error of another data set is taken, error %v", err)
	}
	if _, err := read(fog, row("cifar10-c", "fog", 1, 0.6)); err == nil || !strings.Contains(err.Error(), path+":2") {
		t.Errorf("two numbers of one cell: %v", err)
	}
}
