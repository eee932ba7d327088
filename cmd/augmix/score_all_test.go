package main

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestScoreAll: what papers compare by stands first, and rare metrics are printed on demand.
func TestScoreAll(t *testing.T) {
	var rows []results.Row
	for _, m := range []string{results.AURRA, results.SoftF1, results.NLL, results.RMSCalibration, results.Top1Error} {
		rows = append(rows, results.Row{Model: "m", Dataset: "cifar10-c", Metric: m, Value: 0.25, N: 4, Origin: results.Measured})
	}
	rows = append(rows, results.Row{Model: "m", Dataset: "cifar10-c", Corruption: "fog", Metric: results.Top1Error, N: 4})
	said := func(all bool) string {
		var b strings.Builder
		printScalars(&b, rows, all)
		return b.String()
	}
	short, long := said(false), said(true)
	if strings.Contains(short, "aurra") || strings.Contains(short, "soft_f1") || strings.Contains(short, "fog") ||
		!strings.Contains(short, "2 more with --all") {
		t.Errorf("got\n%s", short)
	}
	if !strings.Contains(long, "aurra") || !strings.Contains(long, "soft_f1") || strings.Contains(long, "--all") {
		t.Errorf("got\n%s", long)
	}
	if e := strings.Index(short, "error "); e < 0 || e > strings.Index(short, "nll") {
		t.Errorf("the error is not first:\n%s", short)
	}
}
