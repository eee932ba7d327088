package report

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/score"
)

// TestScoredSeverities: a corruption of one severity has no mean, so that its line has that severity, beside others that have a mean.
func TestScoredSeverities(t *testing.T) {
	var cells []*score.Cell
	for _, at := range []struct {
		name     string
		severity float64
	}{{"fog", 1}, {"fog", 2}, {"fog", 3}, {"fog", 4}, {"fog", 5}, {"snow", 3}} {
		c, err := score.NewCell(at.name, at.severity, 0)
		if err == nil {
			err = score.AddLogits(c, []float64{1, 0, 1, 0, 1, 0, 0, 1}, []int{0, 0, 0, 0})
		}
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	for n, want := range map[int]string{
		5: "CORRUPTION ERROR fog 25.00 %", 6: "CORRUPTION 1 2 3 4 5 ERROR snow 25.00 % fog" + strings.Repeat(" 25.00 %", 6),
	} {
		r, err := score.Cells(cells[:n], score.Options{Dataset: "cifar10-c"})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		WriteScores(&b, []*score.Result{r}, nil, false)
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.HasSuffix(got, want) {
			t.Errorf("%d cells: not %q at the end of\n%s", n, want, &b)
		}
	}
}
