package score

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// TestRowsNameTheBaseline: rows that are divided by figures of another model than AlexNet say whose they are, and no others do.
func TestRowsNameTheBaseline(t *testing.T) {
	rows, _ := whole(t)
	own := AlexNet(metrics.ErrorRate)
	own.Model, own.Values["fog"][2] = "imA", 0.5
	for _, baseline := range []Baseline{{}, {Required: true}, {Own: map[metrics.Quantity]*metrics.Baseline{metrics.ErrorRate: own}}} {
		var b Book
		b.Add(rows...)
		means, _, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "imagenet-c", Versions: map[string]string{"go": "1"}}, baseline)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, r := range means {
			by := r.Versions[results.VersionBaseline]
			if divided := normalized[r.Metric] != "" && baseline.Own != nil; divided != strings.HasPrefix(by, "imA (") || by != "" && !divided {
				t.Errorf("%s of %q says %q", r.Metric, r.Corruption, by)
			}
			if by != "" {
				named++
			}
			if r.Versions["go"] != "1" {
				t.Errorf("%s has lost a version", r.Metric)
			}
		}
		if want := map[bool]int{true: 2*15 + 2}[baseline.Own != nil]; named != want {
			t.Errorf("%d rows name a baseline, want %d", named, want)
		}
	}
}

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
	if got := whose(b.Own[metrics.ErrorRate]); !strings.HasPrefix(got, "m (") {
		t.Errorf("figures of %q, want m's", got)
	}
	b.Own[metrics.ErrorRate].Values["fog"][0] += 0.125
	if other, err := read(fog, other); err != nil || whose(other.Own[metrics.ErrorRate]) == whose(b.Own[metrics.ErrorRate]) {
		t.Errorf("other figures of one model are taken for the same, error %v", err)
	}
	for _, q := range []metrics.Quantity{metrics.ErrorRate, metrics.FlipProbability} {
		if got := whose(AlexNet(q)); got != "" {
			t.Errorf("AlexNet's published %s are taken for those of %s", q, got)
		}
	}
	if _, err := read(fog, row("cifar10-c", "fog", 1, 0.6)); err == nil || !strings.Contains(err.Error(), path+":2") {
		t.Errorf("two numbers of one cell: %v", err)
	}
}
