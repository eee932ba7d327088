package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkHTML makes a report of three runs of about 230 rows each, without their records.
func BenchmarkHTML(b *testing.B) {
	var runs []*Run
	rows := 0
	for _, r := range sharedRuns(b) {
		q := *r
		q.Records = ""
		runs = append(runs, &q)
		rows += len(q.Rows)
	}
	size := 0
	for b.Loop() {
		rep, err := Build(b.Context(), runs, Options{})
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if err := rep.WriteHTML(&out); err != nil {
			b.Fatal(err)
		}
		size = out.Len()
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(size), "bytes/page")
}

// eight writes runs of eight made-up classifiers, of n samples a cell, with records and OOD scores.
func eight(t testing.TB, n int) []*Run {
	t.Helper()
	var runs []*Run
	for i := range 8 {
		c := classifier{
			name: fmt.Sprint("synthetic ", i), margin: 5.2, robustness: 0.62 + 0.03*float64(i), sharpness: 2.6 - 0.2*float64(i),
			flip: 0.02, ood: 1.6 + 0.2*float64(i),
		}
		s := &synthetic{
			c: c, n: n, base: "cifar10", seed: uint64(i + 1), scores: true, replica: 2, no: map[string]bool{"ood": true},
		}
		run, err := Load(s.run(t, filepath.Join(t.TempDir(), fmt.Sprint("m", i))))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return runs
}

// BenchmarkRecords makes a report of eight runs of 1000 samples a cell, whose intervals and differences come from records.
func BenchmarkRecords(b *testing.B) {
	runs := eight(b, 1000)
	for b.Loop() {
		if _, err := Build(b.Context(), runs, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
