package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

func TestWriteComparison(t *testing.T) {
	row := func(model, dataset, metric string, view results.View, v float64) results.Row {
		return results.Row{Model: model, Dataset: dataset, Metric: metric, View: view, Value: v}
	}
	var b bytes.Buffer
	WriteComparison(&b, []string{"a", "b"}, []results.Row{
		row("a", "x", results.Top1Error, results.View{}, 0.125), row("b", "x", results.Top1Error, results.View{}, 0.25),
		row("a", "x-c", results.Top1Error, results.View{Limit: 5}, 0.5), row("b", "x-c", results.Top1Error, results.View{Limit: 5}, 0.375),
		row("b", "x", results.AUROC, results.View{}, 0.9),
		row("a", "x", results.RMSCalibration, results.View{}, math.NaN()), row("b", "x", results.RMSCalibration, results.View{}, 0.5),
		row("a", "x", results.Top1Error, results.View{Attack: results.AttackPGD, Limit: 5}, 0.75),
		row("a", "x", results.Top1Error, results.View{Part: "style"}, 0.5), row("b", "x", results.Top1Error, results.View{Part: "style"}, 0.25),
	})
	if !strings.HasSuffix(b.String(), "\npercent; * is the best of its line\n") { // of all images and of 5
		t.Errorf("%q", b.String())
	}
	for _, line := range []string{"12.5*  25.0 ", "50.0   37.5*", "-   90.0*", "RMS calibration error     -   50.0*", "75.0*     - ", "clean error on style  50.0   25.0*"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

// TestWriteComparisonFits: models that a terminal has no room for follow below, with the first one again.
// TestWriteComparisonTies: what prints as the best is marked as well; what all numbers are of is said.
func TestWriteComparisonTies(t *testing.T) {
	var rows []results.Row
	for i, v := range []float64{0.1204, 0.1201, 0.25} {
		rows = append(rows, results.Row{
			Model: string(rune('a' + i)), Dataset: "x", Metric: results.Top1Error, Value: v, View: results.View{Limit: 20, Among: 9},
		})
	}
	var b bytes.Buffer
	WriteComparison(&b, []string{"a", "b", "c"}, rows)
	if got := b.String(); !strings.Contains(got, "12.0*  12.0*  25.0 ") ||
		!strings.HasSuffix(got, "\npercent of 20 images of the test set, predictions among 9 classes; * is the best of its line\n") {
		t.Error(got)
	}
}

// TestWriteComparisonTreated: numbers of images that were treated in another way than usual stand there too, and it is said.
func TestWriteComparisonTreated(t *testing.T) {
	for want, view := range map[string]results.View{
		"percent, ten-crop; *": {TenCrop: true}, "percent of 3 images of the test set, not preprocessed; *": {Limit: 3, Preprocess: results.PreprocessNone},
	} {
		var b bytes.Buffer
		WriteComparison(&b, []string{"a"}, []results.Row{{Model: "a", Dataset: "x", Metric: results.Top1Error, View: view, Value: 0.125}})
		if got := b.String(); !strings.Contains(got, "clean error  12.5") || !strings.Contains(got, want) {
			t.Errorf("%+v:\n%s", view, got)
		}
	}
}

func TestWriteComparisonFits(t *testing.T) {
	names := []string{"standard", "augmix", "pixmix", "ipmix", "prime", "noisymix", "trivialaugment", "pixmix-cutmix"}
	var rows []results.Row
	for i, name := range names {
		rows = append(rows, results.Row{Model: name, Dataset: "x", Metric: results.RMSCalibration, Value: 0.5 - float64(i)/100})
	}
	var b bytes.Buffer
	WriteComparison(&b, names, rows)
	for line := range strings.Lines(b.String()) {
		if n := len(strings.TrimSuffix(line, "\n")); n > comparisonWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, name := range names {
		want := 1
		if name == names[0] {
			want = 2
		}
		words := strings.Fields(b.String())
		if n := len(words) - len(slices.DeleteFunc(words, func(w string) bool { return w == name })); n != want {
			t.Errorf("%s stands there %d times, want %d:\n%s", name, n, want, b.String())
		}
	}
	if strings.Count(b.String(), "*") != 2 || !strings.Contains(b.String(), "43.0*") {
		t.Errorf("the best of all is not the one marked:\n%s", b.String())
	}
}
