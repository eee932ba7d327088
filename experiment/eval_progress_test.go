package experiment

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
