package experiment

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// TestEvalProgress: measurements are counted over all suites, work never shrinks and ends at its total, and a run that
// resumes says what it has and counts it as done.
func TestEvalProgress(t *testing.T) {
	dir := t.TempDir()
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Workers = "scenes:n=20,size=16", NoValidation, "wrn-10-1", 1, 10, 1
	if _, err := (&Train{Config: c, Dir: filepath.Join(dir, "net")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var whats, said []string
	var last Progress
	e := Eval{
		File: filepath.Join(dir, "net", train.ModelName), In: "scenes:n=10,size=16,split=test", Dir: filepath.Join(dir, "eval"),
		Suites: []string{"clean", "c"}, Subset: []string{"fog", "contrast"}, Severity: "1,3", Workers: 1, NoRecords: true,
	}
	e.Say = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	e.Report = func(p Progress) {
		if what := fmt.Sprintf("%s %d/%d", p.What, p.Index, p.Count); len(whats) == 0 || whats[len(whats)-1] != what {
			whats = append(whats, what)
		}
		if p.Done < last.Done || p.Done > p.Total {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(whats, " "); got != "clean 1/3 fog 2/3 contrast 3/3" || last.Done != 50 || last.Total != 50 || last.Reused != 0 {
		t.Errorf("%s, %+v", got, last)
	}
	if got := strings.Join(said, "\n"); strings.Contains(got, "again") {
		t.Error(got)
	}
	whats, said, last = nil, nil, Progress{}
	e.Subset = []string{"fog", "contrast", "snow"}
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(said, "\n")
	if !strings.Contains(got, "not measured again, as "+filepath.Clean(e.Dir)+" has it: clean\n") || !strings.HasSuffix(got, "has it: fog, contrast") ||
		strings.Join(whats, " ") != "snow 2/4" || last.Reused != 10 || last.Done != 30 || last.Total != 70 {
		t.Errorf("%v, %s, %+v", whats, got, last)
	}
}

// TestTrainedOn: rows of a network that was trained on Gaussian or adversarial noise, in features too, or on corruptions in a chain, say
// so, those of one without say nothing.
func TestTrainedOn(t *testing.T) {
	dir := t.TempDir()
	for mix, want := range map[string]string{
		"gaussian-p0.5": "gaussian noise", "augmix-m3-w3-d-1": "", "standard-p4+corrupt-frost-fog-lines-spatter-s1-p0.5": "fog, frost",
		"gaussian-p0.25": "adversarial noise, gaussian noise", "augmix-m1-w3-d-1": "gaussian noise",
	} {
		c := train.Default()
		features := mix == "augmix-m1-w3-d-1"
		if features {
			c.FeatureMix = 1
		}
		if strings.HasPrefix(want, "adversarial") {
			c.ANT, c.ANTAlone = 3, 1
		}
		c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Workers, c.Mix = "scenes:n=10,size=16", NoValidation, "wrn-10-1", 1, 10, 1, mix
		if _, err := (&Train{Config: c, Dir: filepath.Join(dir, mix)}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		e := Eval{
			File: filepath.Join(dir, mix, train.ModelName), In: "scenes:n=10,size=16,split=test", Suites: []string{"c"},
			Subset: []string{"fog"}, Severity: "1", Workers: 1, NoRecords: true,
		}
		rows, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Versions[results.VersionTrainedOn] != want {
				t.Errorf("%s: %s says trained on %q, want %q", mix, r.Metric, r.Versions[results.VersionTrainedOn], want)
			}
			bar, validation := r.Versions[results.VersionTrainedOnBar], r.Versions[results.VersionTrainedOnValidation]
			if corrupts := strings.Contains(mix, "lines"); corrupts != (bar == "lines") || corrupts != (validation == "spatter") ||
				features != (validation == "speckle_noise") {
				t.Errorf("%s: %s says %q and %q", mix, r.Metric, bar, validation)
			}
		}
		n, err := eval.LoadNetwork(e.File, eval.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Info().Other[weights.KeyMix]; got != mix {
			t.Errorf("the network's description says %q", got)
		}
		if got := n.Info().Other[weights.KeyANT]; (got == "3") != (c.ANT > 0) {
			t.Errorf("the network's description says noise of length %q", got)
		}
	}
}

// TestReferenceBinning: calibration errors of the papers' code are measured where an earlier run left them out, and not again.
func TestReferenceBinning(t *testing.T) {
	dir := t.TempDir()
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Workers = "scenes:n=20,size=16", NoValidation, "wrn-10-1", 1, 10, 1
	if _, err := (&Train{Config: c, Dir: filepath.Join(dir, "net")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := ""
	e := Eval{
		File: filepath.Join(dir, "net", train.ModelName), In: "scenes:n=200,size=16,split=test", Dir: filepath.Join(dir, "eval"),
		Suites: []string{"clean", "calibration", "c"}, Subset: []string{"contrast"}, Severity: "1", Workers: 1, NoRecords: true,
		Say: func(format string, args ...any) { said += fmt.Sprintf(format, args...) },
	}
	for i, want := range []int{0, 2, 2} { // clean and contrast
		e.ReferenceBinning, said = i > 0, ""
		rows, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range rows {
			if r.Metric == results.RMSCalibration && r.SkipLast && r.Severity <= 1 && (r.Severity == 1) == (r.Corruption != "") {
				n++
			}
		}
		if n != want || strings.Contains(said, "not measured again") != (i == 2) {
			t.Errorf("run %d: %d calibration errors without the last bin, want %d; %s", i, n, want, said)
		}
	}
}
