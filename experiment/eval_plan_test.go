package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/train"
)

// TestEvalPlan: what a plan counts is what the run then does and writes, the plan writes nothing, and it finds what the run would
// stumble over.
func TestEvalPlan(t *testing.T) {
	dir := t.TempDir()
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Workers = "scenes:n=20,size=16", NoValidation, "wrn-10-1", 1, 10, 1
	if _, err := (&Train{Config: c, Dir: filepath.Join(dir, "net")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := 0
	e := Eval{
		File: filepath.Join(dir, "net"), In: "scenes:n=12,size=16,split=test", Dir: filepath.Join(dir, "eval"), Limit: 10,
		Suites: []string{"clean", "c", "p"}, Subset: []string{"fog", "contrast"}, Perturbation: []string{"tilt"}, Severity: "1,3",
		Workers: 1, NoRecords: true, Logits: true, Report: func(p Progress) { done = p.Done },
	}
	plan, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(e.Dir); err == nil {
		t.Error("a plan wrote something")
	}
	for i, want := range []SuitePlan{{Name: "clean", Measurements: 1, Passes: 10}, {Name: "c", Measurements: 2, Passes: 40}, {Name: "p", Measurements: 1, Passes: 300}} {
		got := plan.Suites[i]
		if got.Time <= 0 {
			t.Errorf("%s takes no time", got.Name)
		}
		if got.Time = 0; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if len(plan.Suites) != 3 || plan.Images != 10 || plan.Model != "net" || plan.Dataset != "scenes" {
		t.Errorf("%+v", plan)
	}
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done != plan.Passes {
		t.Errorf("planned %d images through the model, the run counted %d", plan.Passes, done)
	}
	var size int64
	err = filepath.WalkDir(filepath.Join(e.Dir, "logits"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".npy") && !strings.Contains(path, "labels") {
			st, err := d.Info()
			size += st.Size()
			return err
		}
		return err
	})
	if off := float64(size)/float64(plan.Logits) - 1; err != nil || off < 0 || off > 0.1 { // headers, and a frame of 31
		t.Errorf("planned %d bytes of logits, the run wrote %d (%v)", plan.Logits, size, err)
	}
	for _, bad := range []struct {
		change func(e *Eval)
		want   error
	}{
		{func(e *Eval) { e.In = "scenes:n=12,size=32,split=test" }, eval.ErrImages},
		{func(e *Eval) { e.In = "-" }, ErrOption},
		{func(e *Eval) { e.TenCrop = true }, eval.ErrImages},
		{func(e *Eval) { e.Name = "../other" }, ErrOption}, // where logits would lie outside of the folder
		{func(e *Eval) { e.Dataset = ".." }, ErrOption},
	} {
		e := e
		bad.change(&e)
		if _, err := e.Plan(t.Context()); !errors.Is(err, bad.want) {
			t.Errorf("%v, want %v", err, bad.want)
		}
	}
}
