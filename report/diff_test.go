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
		d.Against, d.Interval = "b", &results.Interval{Lo: -0.09, Hi: -0.037, Level: 0.8}
		same := row("a", "cifar10", "", 0, results.Agreement, 0.635)
		same.Against = "b"
		rep := build(t, runOf(t, "r", append(rows, d, same)...))
		want := map[string]string{"a": "+6.40 [3.70, 9.00] | paired", "b": "−6.40 [−9.00, −3.70] | paired"}[first]
		if text := rep.table(t, second+" − "+first).Markdown(); !strings.Contains(strings.ReplaceAll(text, "\\", ""), want) {
			t.Errorf("%s first: not %q in\n%s", first, want, text)
		}
		if c := rep.table(t, second+" − "+first).Caption; !strings.Contains(c, "; 1 with 80 % paired intervals that the rows have. ") ||
			strings.Contains(c, "replicates") {
			t.Errorf("%s first: caption %q", first, c)
		}
		others := rep.table(t, "Other measurements").Markdown()
		if !strings.Contains(others, "Agreement, CIFAR-10, with b (%) |") || strings.Contains(others, "minus") {
			t.Errorf("%s first: others\n%s", first, others)
		}
	}
}

// TestLevels: captions say every level of their intervals once, and none as 100 %.
func TestLevels(t *testing.T) {
	if got := percents([]float64{0.999, 0.8, 0.95, 0.8, 0.995}); got != "80 %, 95 %, 99.5 %, 99.9 %" {
		t.Error(got)
	}
}
