package score

import (
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// TestRowsNameTheBins: calibration errors with other bins than the default ones say which, their means over corruptions too, and no
// other rows do.
func TestRowsNameTheBins(t *testing.T) {
	const n, k = 60, 10
	labels, logits := make([]int, n), make([]float64, n*k)
	for i := range labels {
		labels[i] = i * i % k
		logits[i*k+(i+i%3)%k] = float64(i % 7)
	}
	benchmark := func(m Metrics) map[string]string {
		t.Helper()
		var cells []*Cell
		for severity := range 6 {
			for _, name := range (map[bool][]string{true: {""}, false: {"fog", "snow"}})[severity == 0] {
				c, err := NewCell(name, float64(severity), m.Bins)
				if err != nil {
					t.Fatal(err)
				}
				if name == "" {
					c.ByClass = &Classes{}
				}
				if err := AddLogits(c, logits, labels); err != nil {
					t.Fatal(err)
				}
				cells = append(cells, c)
			}
		}
		r, err := Cells(cells, Options{Model: "m", Dataset: "cifar10-c", Metrics: m})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, row := range r.Rows {
			bins := row.Versions[results.VersionBins]
			if was, seen := found[row.Metric]; seen && was != bins {
				t.Errorf("rows of %s of %q at %v have %q and %q", row.Metric, row.Corruption, row.Severity, was, bins)
			}
			found[row.Metric] = bins
		}
		return found
	}
	own := benchmark(Metrics{Adaptive: metrics.Adaptive{Size: 20}, Bins: 30})
	for metric, bins := range own {
		want := map[string]string{
			results.RMSCalibration: "adaptive:20", results.MADCalibration: "adaptive:20", results.BrierRefinement: "adaptive:20",
			results.ECE: "equal:30", results.MaxCalibration: "equal:30", results.ClasswiseECE: "equal:30",
		}[metric]
		if bins != want {
			t.Errorf("%s has bins %q, want %q", metric, bins, want)
		}
	}
	if own[results.RMSCalibration] == "" || own[results.ClasswiseECE] == "" {
		t.Errorf("metrics are missing among %v", own)
	}
	for metric, bins := range benchmark(Metrics{}) {
		if bins != "" {
			t.Errorf("%s has bins %q where they are the default ones", metric, bins)
		}
	}
}

// TestNoBins: what few images lack is said, also of the calibration errors of the papers' code, which take two bins.
func TestNoBins(t *testing.T) {
	for _, c := range []struct {
		published, skips bool
		rows             int
		want             string
	}{
		{true, false, 19, "adaptive calibration: 19 images fill no bin of 20, so that there are no RMS and MAD calibration errors"},
		{false, false, 20, ""},
		{true, false, 39, "adaptive calibration: 39 images fill one bin of 20, so that there are no RMS and MAD calibration errors without the last bin"},
		{true, false, 40, ""},
		{true, true, 39, ""}, // there are no others
	} {
		m := Metrics{Published: c.published, Adaptive: metrics.Adaptive{Size: 20, SkipLast: c.skips}}
		if got := m.NoBins(c.rows); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		twice := false
		for _, s := range m.adaptive(c.rows) {
			twice = twice || s.skip && !c.skips
		}
		if twice != (c.published && !c.skips && c.rows >= 40) {
			t.Errorf("%+v: without the last bin %t", c, twice)
		}
	}
}
