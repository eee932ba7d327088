package report

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// method writes the rows of a made-up method: the errors of corruption i at severity s are c + 0.001 i + 0.01 s, and
// the calibration errors a tenth of that.
func method(name, base string, clean, c, flip float64) []results.Row {
	rows := []results.Row{
		row(name, base, "", 0, results.Top1Error, clean), row(name, base, "", 0, results.RMSCalibration, clean/10),
	}
	for i, k := range score.Benchmark(base + "-c").Primary() {
		for s := 1; s <= 5; s++ {
			v := c + 0.001*float64(i) + 0.01*float64(s)
			rows = append(rows, row(name, base+"-c", k, s, results.Top1Error, v),
				row(name, base+"-c", k, s, results.RMSCalibration, v/10))
		}
	}
	for _, k := range score.Benchmark(base + "-p").Primary() {
		r := row(name, base+"-p", k, 0, results.FlipProbability, flip)
		r.Difficulty = 1
		rows = append(rows, r)
	}
	return rows
}

// methodMean is the mean of a method's errors: 0.001 times the mean of 0 to 14, and 0.01 times that of 1 to 5.
func methodMean(c float64) float64 { return c + 0.007 + 0.03 }

func methods(n int, base string) []results.Row {
	var rows []results.Row
	for i := range n {
		rows = append(rows, method(fmt.Sprintf("method %d", i+1), base, 0.05+0.001*float64(i), 0.1+0.02*float64(i), 0.02)...)
	}
	return rows
}

// only returns the plot that a figure consists of.
func only(t *testing.T, f *Figure) *chart.Plot {
	t.Helper()
	if f == nil {
		t.Fatal("no figure")
	}
	p := f.Chart.(*chart.Panels)
	if len(p.Charts) != 1 {
		t.Fatalf("%d panels", len(p.Charts))
	}
	return p.Charts[0].(*chart.Plot)
}

// TestExcess: AugMix's figure 5 has a bar for each method, and its clean error across it.
func TestExcess(t *testing.T) {
	rep := build(t, runOf(t, "r", methods(8, "cifar10")...))
	f := rep.figure("Error on CIFAR-10-C of every model")
	p := only(t, f)
	if len(p.X.Categories) != 8 || p.X.Categories[7] != "method 8" || !p.Across || !p.Series[1].Tick || p.Series[0].Tick {
		t.Fatalf("%+v", p)
	}
	for i := range 8 {
		if math.Abs(p.Series[0].Y[i]-methodMean(0.1+0.02*float64(i))) > 1e-12 ||
			math.Abs(p.Series[1].Y[i]-(0.05+0.001*float64(i))) > 1e-12 || p.Series[0].ColorAt(i) != i {
			t.Errorf("method %d: %v, clean %v", i+1, p.Series[0].Y[i], p.Series[1].Y[i])
		}
	}
	if !strings.Contains(f.Caption, "After figure 5 of the AugMix paper.") || strings.Contains(f.Caption, "Whiskers") {
		t.Errorf("caption %q", f.Caption)
	}
	page := html(t, rep)
	for _, want := range []string{
		">13.7 (+8.7)</text>", ">27.7 (+22.0)</text>", "<title>Error on CIFAR-10-C, method 1: 13.7 %; n = 750,000</title>",
		"<title>Error on CIFAR-10 (clean), method 8: 5.7 %; n = 10,000</title>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	// Without clean errors there is no such figure, and the page says so.
	rows := slices.DeleteFunc(methods(2, "cifar10"), func(r results.Row) bool {
		return r.Dataset == "cifar10" && r.Metric == results.Top1Error
	})
	rep = build(t, runOf(t, "r", rows...))
	if rep.figure("Error on CIFAR-10-C of every model") != nil ||
		!rep.note("beside the clean error: no error on CIFAR-10.") {
		t.Error("a figure without clean errors")
	}
	// One that is missing is missing.
	rows = slices.DeleteFunc(methods(3, "cifar10"), func(r results.Row) bool {
		return r.Model == "method 2" && r.Dataset == "cifar10-c"
	})
	rep = build(t, runOf(t, "r", rows...))
	if p := only(t, rep.figure("Error on CIFAR-10-C of every model")); !math.IsNaN(p.Series[0].Y[1]) ||
		!strings.Contains(html(t, rep), ">n/a</text>") {
		t.Errorf("%v", p.Series[0].Y)
	}
}

// TestReliable: AugMix's figure 6 has two charts of bars, mFP or for ImageNet mFR beside the calibration error; half of
// it is drawn where half was measured.
func TestReliable(t *testing.T) {
	for _, base := range []string{"cifar10", "imagenet"} {
		rep := build(t, runOf(t, "r", methods(2, base)...))
		f := rep.figure("Prediction consistency and calibration")
		if f == nil {
			t.Fatal("no figure")
		}
		charts := f.Chart.(*chart.Panels).Charts
		if len(charts) != 2 || !strings.Contains(f.Caption, "After figure 6 of the AugMix paper.") {
			t.Fatalf("%d charts, caption %q", len(charts), f.Caption)
		}
		flips, rms := charts[0].(*chart.Plot), charts[1].(*chart.Plot)
		want := map[string]string{"cifar10": "mFP", "imagenet": "mFR"}[base]
		if flips.Y.Label != want || len(flips.Series) != 1 || len(flips.Series[0].Y) != 2 {
			t.Errorf("%+v", flips)
		}
		if v := flips.Series[0].Y[0]; base == "cifar10" && math.Abs(v-0.02) > 1e-12 || base == "imagenet" && !(v > 0.1) {
			t.Errorf("%s: %v", want, v)
		}
		if v := rms.Series[0].Y[0]; math.Abs(v-methodMean(0.1)/10) > 1e-12 {
			t.Errorf("RMS calibration error %v", v)
		}
	}
	rows := slices.DeleteFunc(methods(2, "cifar10"), func(r results.Row) bool { return r.Dataset == "cifar10-p" })
	rep := build(t, runOf(t, "r", rows...))
	f := rep.figure("Calibration")
	if f == nil || len(f.Chart.(*chart.Panels).Charts) != 1 ||
		!rep.note("Bars of prediction consistency: no Flip probability on CIFAR-10-P.") {
		t.Error("half of the figure")
	}
	rep = build(t, runOf(t, "r", row("a", "cifar10", "", 0, results.Top1Error, 0.05)))
	if rep.figure("Prediction consistency and calibration") != nil ||
		!rep.note("Bars of calibration: no RMS calibration error on CIFAR-10-C.") {
		t.Error("a figure of nothing")
	}
}

// TestSteadiness: AugMix's figure 7 has calibration and error against severity on one scale; without calibration errors
// the error stands alone.
func TestSteadiness(t *testing.T) {
	rep := build(t, runOf(t, "r", methods(2, "cifar10")...))
	f := rep.figure("Calibration and error on CIFAR-10-C against severity")
	if f == nil || !strings.Contains(f.Caption, "figure 7 of the AugMix paper") ||
		!strings.Contains(f.Caption, "figure 5 of the PixMix") {
		t.Fatalf("%+v", f)
	}
	charts := f.Chart.(*chart.Panels).Charts
	rms, curve := charts[0].(*chart.Plot), charts[1].(*chart.Plot)
	for sev := range 6 {
		want := 0.051
		if sev > 0 {
			want = 0.12 + 0.007 + 0.01*float64(sev)
		}
		if math.Abs(curve.Series[1].Y[sev]-want) > 1e-12 || math.Abs(rms.Series[1].Y[sev]-want/10) > 1e-12 {
			t.Errorf("severity %d: error %v, calibration %v, want %v and a tenth", sev, curve.Series[1].Y[sev],
				rms.Series[1].Y[sev], want)
		}
	}
	if rms.Y.Max != curve.Y.Max || !rms.Y.Fixed || !curve.Y.Fixed || rms.Y.Max < 0.177 {
		t.Errorf("scales to %v and %v", rms.Y.Max, curve.Y.Max)
	}
	if rep.figure("Error on CIFAR-10-C against severity") != nil {
		t.Error("the error against severity is there twice")
	}
	without := slices.DeleteFunc(methods(2, "cifar10"), func(r results.Row) bool {
		return r.Metric == results.RMSCalibration
	})
	rep = build(t, runOf(t, "r", without...))
	if rep.figure("Error on CIFAR-10-C against severity") == nil ||
		rep.figure("Calibration and error on CIFAR-10-C against severity") != nil {
		t.Error("without calibration errors")
	}
	without = slices.DeleteFunc(methods(2, "cifar10"), func(r results.Row) bool {
		return r.Metric == results.Top1Error && r.Dataset == "cifar10-c"
	})
	rep = build(t, runOf(t, "r", without...))
	if rep.figure("RMS calibration error on CIFAR-10-C against severity") == nil {
		t.Error("without errors")
	}
}

// TestBrier: where Brier scores were measured, AugMix's figure 7 has them on a scale of their own.
func TestBrier(t *testing.T) {
	rows := methods(2, "cifar10")
	for _, r := range rows {
		if r.Metric == results.RMSCalibration {
			r.Metric, r.Value = results.Brier, 2*r.Value
			rows = append(rows, r)
		}
	}
	f := build(t, runOf(t, "r", rows...)).figure("Calibration and error on CIFAR-10-C against severity")
	charts := f.Chart.(*chart.Panels).Charts
	if len(charts) != 3 {
		t.Fatalf("%d panels", len(charts))
	}
	brier := charts[2].(*chart.Plot)
	if want := 2 * (0.12 + 0.007 + 0.03) / 10; brier.Y.Percent || brier.Y.Fixed || math.Abs(brier.Series[1].Y[3]-want) > 1e-12 {
		t.Errorf("%v at severity 3, want %v", brier.Series[1].Y[3], want)
	}
}

// TestNormalized: ImageNet-C's figures of mCE and of the noises, and its table of relative CEs, have the computed numbers.
func TestNormalized(t *testing.T) {
	rep := build(t, runOf(t, "r", methods(2, "imagenet")...))
	f := rep.figure("Error, mCE and relative mCE on ImageNet-C")
	if f == nil || len(f.Chart.(*chart.Panels).Charts) != 3 {
		t.Fatalf("%+v", f)
	}
	rows := rep.table(t, "Corruption error (CE) on ImageNet-C").Rows
	mce := rows[len(rows)-1].Cells[0]
	if got := f.Chart.(*chart.Panels).Charts[1].(*chart.Plot).Series[0].Y[1]; !mce.Has() || got != mce.Value {
		t.Errorf("mCE %v, want %v", got, mce.Value)
	}
	noise := rep.figure("CE of noises on ImageNet-C")
	if noise == nil || len(noise.Chart.(*chart.Plot).X.Categories) != 3 {
		t.Fatalf("%+v", noise)
	}
	if build(t, runOf(t, "r", methods(2, "cifar10")...)).figure("CE of noises on CIFAR-10-C") != nil {
		t.Error("CEs without a baseline")
	}
}

// TestRelativeTable: the relative CEs of a run stand beside those of ImageNet-C's table 2.
func TestRelativeTable(t *testing.T) {
	g := build(t, runOf(t, "r", methods(1, "imagenet")...)).table(t, "ImageNet-C, table 2")
	if len(g.Columns) < 16 || g.Rows[0].Origin != results.Published {
		t.Fatalf("%d columns, first row %+v", len(g.Columns), g.Rows[0])
	}
	for i, c := range g.Rows[len(g.Rows)-1].Cells {
		if !c.Has() {
			t.Errorf("no number of %s", g.Columns[i].Head)
		}
	}
}

// TestEightMethods: AugMix's figure 12 shows every method of a recipe, as points with a row for each corruption; of few
// models as bars.
func TestEightMethods(t *testing.T) {
	rep := build(t, runOf(t, "r", methods(8, "cifar10")...))
	f := rep.figure("Error on CIFAR-10-C by corruption")
	p := only(t, f)
	if p.Kind != chart.Points || !p.Across || len(p.Series) != 8 || len(p.X.Categories) != 15 ||
		!strings.Contains(f.Caption, "After figure 12 of the AugMix paper.") || strings.Contains(f.Caption, "models") {
		t.Errorf("%d series, %d corruptions, caption %q", len(p.Series), len(p.X.Categories), f.Caption)
	}
	colors := map[int]bool{}
	for _, s := range p.Series {
		colors[s.Color] = true
	}
	if len(colors) != 8 {
		t.Errorf("%d colors", len(colors))
	}
	if want := "<title>method 8, fog: 27.9 %; n = 50,000</title>"; !strings.Contains(p.SVG("x"), want) {
		t.Errorf("the drawing lacks %s", want)
	}
	for _, title := range []string{"Error on CIFAR-10-C by group", "Error of method 8 on CIFAR-10-C"} {
		if rep.figure(title) == nil {
			t.Errorf("no figure %q", title)
		}
	}
	rep = build(t, runOf(t, "r", methods(9, "cifar10")...))
	if f := rep.figure("Error on CIFAR-10-C by corruption"); !strings.Contains(f.Caption, "The first 8 of 9 models") {
		t.Errorf("caption %q", f.Caption)
	}
	if p := only(t, rep.figure("Error on CIFAR-10-C of every model")); len(p.X.Categories) != 9 {
		t.Errorf("%d rows", len(p.X.Categories))
	}
	rep = build(t, runOf(t, "r", methods(4, "cifar10")...))
	if p, ok := rep.figure("Error on CIFAR-10-C by corruption").Chart.(*chart.Plot); !ok || p.Kind != chart.Bars {
		t.Error("four models are not bars")
	}
}

// TestFigureFiles: the papers' figures are a file each, and a report of one model has them too.
func TestFigureFiles(t *testing.T) {
	rows := slices.DeleteFunc(method("one", "cifar10", 0.05, 0.1, 0.02), func(r results.Row) bool {
		return r.Severity == 5 || r.Corruption == metrics.Fog // no severity curves of corruptions, which take long
	})
	v := methodMean(0.1)
	rows = append(rows, row("one", "cifar10-c", "", 0, results.Top1Error, v),
		row("one", "cifar10-c", "", 0, results.RMSCalibration, v/10), row("one", "cifar10-c", "", 2, results.Top1Error, v),
		row("one", "cifar10-c", "", 2, results.RMSCalibration, v/10))
	rows = slices.DeleteFunc(rows, func(r results.Row) bool { return r.Dataset == "cifar10-c" && r.Corruption != "" })
	rep := build(t, load(t, fourierRun(t, hill(5, 0.1, 0.1), rows...)))
	dir := t.TempDir()
	names, err := rep.WriteFigures(dir, FigureOptions{Format: FigurePNG})
	want := []string{
		"cifar10-c-methods.png", "cifar10-prediction-consistency-calibration.png", "cifar10-safety.png",
		"cifar10-c-severity.png", "cifar10-p-flip-probability.png", "cifar10-fourier.png",
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// A set of MedMNIST-C is of the corruptions that were measured, whatever of ImageNet-C is among them.
func TestMedMNISTC(t *testing.T) {
	rows := []results.Row{row("m", "path", "", 0, results.Top1Error, 0.1)}
	for i, k := range []string{"pixelate", "bubble", "stain_deposit"} {
		for s := 1; s <= 5; s++ {
			rows = append(rows, row("m", "path-c", k, s, results.Top1Error, 0.2+0.1*float64(i)))
		}
	}
	rep := build(t, runOf(t, "r", rows...))
	var text strings.Builder
	if err := rep.WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	md := text.String()
	for _, want := range []string{"Mean is over the 3 corruptions", "| 30.0† | 20.0† | 40.0† | 30.0† |", "| Mean (%) | Pixel (%) | Stain (%) | Bubble (%) |"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	for _, k := range metrics.MedMNISTC() {
		if short[k] == "" {
			t.Errorf("%s has no short name", k)
		}
	}
}
