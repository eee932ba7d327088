package report

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestComparedRows: the paired difference that a comparison wrote beside the numbers is the one of the report, whichever of the two comes
// first, and is not said again; an agreement is no difference.
func TestComparedRows(t *testing.T) {
	for _, first := range []string{"a", "b"} {
		second := map[string]string{"a": "b", "b": "a"}[first]
		values := map[string]float64{"a": 0.1, "b": 0.164}
		var rows []results.Row
		for _, m := range []string{first, second} {
			r := row(m, "cifar10", "", 0, results.Top1Error, values[m])
			r.Interval = &results.Interval{Lo: r.Value - 0.03, Hi: r.Value + 0.03, Level: 0.95}
			rows = append(rows, r)
		}
		d := row("a", "cifar10", "", 0, results.Top1Error, values["a"]-values["b"])
		d.Against, d.Interval = "b", &results.Interval{Lo: -0.09, Hi: -0.037, Level: 0.95}
		same := row("a", "cifar10", "", 0, results.Agreement, 0.635)
		same.Against = "b"
		rep := build(t, runOf(t, "r", append(rows, d, same)...))
		want := map[string]string{"a": "+6.40 [3.70, 9.00] | paired", "b": "−6.40 [−9.00, −3.70] | paired"}[first]
		if text := rep.table(t, second+" − "+first).Markdown(); !strings.Contains(strings.ReplaceAll(text, "\\", ""), want) {
			t.Errorf("%s first: not %q in\n%s", first, want, text)
		}
		others := rep.table(t, "Other measurements").Markdown()
		if !strings.Contains(others, "Agreement, CIFAR-10, with b (%) |") || strings.Contains(others, "minus") {
			t.Errorf("%s first: others\n%s", first, others)
		}
	}
}
