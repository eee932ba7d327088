package report

import (
	"bytes"
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
