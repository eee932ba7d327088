package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// TestOwnParameters: errors under parameters of the user's own have tables of their own, one for each set of parameters, and are not
// among those of the benchmark.
func TestOwnParameters(t *testing.T) {
	rows := []results.Row{row("m", "cifar10", "", 0, results.Top1Error, 0.1), row("m", "cifar10-c", "fog", 0, results.Top1Error, 0.2)}
	for i, hash := range []string{"aaaa", "bbbb"} {
		add := func(corruption string, severity int, v float64) {
			r := row("m", "cifar10-c", corruption, severity, results.Top1Error, v)
			r.SetParameters(hash)
			rows = append(rows, r)
		}
		own := 0.3 + 0.1*float64(i)
		for severity := 1; severity <= 5; severity++ {
			add("fog", severity, own)
			add("bubble", severity, own+0.2)
			add("", severity, own+0.1)
		}
		add("fog", 0, own)
		add("bubble", 0, own+0.2)
		add("", 0, own+0.1)
	}
	rep := build(t, runOf(t, "r", rows...))
	for _, c := range []struct {
		hash, mean, bubble string
		drawn              float64
	}{{"aaaa", "40.0", "50.0", 0.5}, {"bbbb", "50.0", "60.0", 0.6}} {
		of := "Error on CIFAR-10-C, parameters " + c.hash
		byName := rep.table(t, of+", by corruption")
		var heads []string
		for _, k := range byName.Columns {
			heads = append(heads, k.Head)
		}
		if want := []string{"Mean", "Fog", "Bubble"}; !slices.Equal(heads, want) {
			t.Errorf("%s: columns %q, want %q", c.hash, heads, want)
		}
		if text := byName.Markdown(); !strings.Contains(text, c.mean) || !strings.Contains(text, c.bubble) {
			t.Errorf("%s: not %s and %s in\n%s", c.hash, c.mean, c.bubble, text)
		}
		bySeverity := rep.table(t, of+", by severity")
		if len(bySeverity.Columns) != 6 || bySeverity.Columns[0].Head != "Clean" {
			t.Errorf("%s: columns %+v", c.hash, bySeverity.Columns)
		}
		p, drawn := rep.figure(of).Chart.(*chart.Plot)
		if !drawn || len(p.X.Categories) != 2 || math.Abs(p.Series[0].Y[1]-c.drawn) > 1e-12 {
			t.Errorf("%s: %+v", c.hash, p)
		}
	}
	if text := rep.table(t, "Error on CIFAR-10-C by corruption").Markdown(); strings.Contains(text, "bubble") || strings.Contains(text, "30.0") {
		t.Errorf("own parameters among the benchmark's:\n%s", text)
	}
	var text strings.Builder
	if err := rep.WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	if _, others, found := strings.Cut(text.String(), "## Other measurements"); found && strings.Contains(others, "Error, CIFAR-10-C, parameters") {
		t.Errorf("what has a table is among the others:\n%s", others)
	}
}
