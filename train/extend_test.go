package train

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// extended trains c for a number of epochs, then to its own, and returns the folder and what the second part was to do.
func extended(t *testing.T, c Config, first int) (string, Plan) {
	t.Helper()
	dir, epochs := t.TempDir(), c.Epochs
	o := Options{Dir: dir, Name: "run", Train: trainSet(), Val: valSet()}
	c.Epochs = first
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	var plan Plan
	c.Epochs = epochs
	o.Train, o.Val, o.Resume, o.Extend, o.OnBegin = trainSet(), valSet(), true, true, func(p *Plan) { plan = *p }
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	return dir, plan
}

// TestExtend: with schedules that do not depend on the number of epochs, a run that was extended ends with the weights and
// the rows of one that had all epochs from the start.
func TestExtend(t *testing.T) {
	t.Parallel()
	for _, schedule := range []string{"constant", "step"} {
		c := small()
		c.Schedule, c.Epochs, c.EMA = schedule, 4, 0.9
		if schedule == "step" {
			c.LRMilestones = []int{1, 3}
		}
		dir, plan := extended(t, c, 2)
		if !plan.Extending || plan.StartEpoch != 2 || len(plan.Extended) != 1 || plan.Extended[0] != (Extension{2, 20}) {
			t.Errorf("%s: %+v", schedule, plan)
		}
		whole := t.TempDir()
		if _, err := Run(t.Context(), c, Options{Dir: whole, Name: "run", Train: trainSet(), Val: valSet()}); err != nil {
			t.Fatal(err)
		}
		got, want := finalFiles(t, dir), finalFiles(t, whole)
		delete(got, LastName) // it knows of the extension
		delete(want, LastName)
		sameFiles(t, got, want)
		if got, want := rowsOf(t, dir), rowsOf(t, whole); !sameValues(got, want) {
			t.Errorf("%s: rows\n%+v, not\n%+v", schedule, got, want)
		}
	}
}

func sameValues(a, b []results.Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key() != b[i].Key() || a[i].Value != b[i].Value {
			return false
		}
	}
	return true
}

// TestExtendCosine: the learning rate is that of the longer curve, and the last row of the run that of its new end.
func TestExtendCosine(t *testing.T) {
	t.Parallel()
	c := small()
	c.Epochs = 4
	dir, plan := extended(t, c, 2)
	longer := c.schedule(plan.Steps)
	if plan.LR != longer.At(20) || !(plan.LastLR < plan.LR/10) {
		t.Errorf("rates %v and %v, want %v first", plan.LastLR, plan.LR, longer.At(20))
	}
	last, err := ReadCheckpoint(filepath.Join(dir, LastName))
	if err != nil || last.Config.Epochs != 4 || len(last.state.Extended) != 1 {
		t.Fatal(last.Config.Epochs, last.state.Extended, err)
	}
	final, of := math.NaN(), map[int]float64{}
	for _, r := range rowsOf(t, dir) {
		if r.Metric == results.Top1Error {
			of[r.Epoch] = r.Value
			if r.Epoch == 0 {
				if !math.IsNaN(final) {
					t.Error("two numbers of the whole run")
				}
				final = r.Value
			}
		}
	}
	if final != of[4] {
		t.Errorf("the error of the run is %v, that of epoch 4 %v", final, of[4])
	}
}

// TestExtendRows: an extended run drops the rows of evaluations of its weights so far and says how many; those of other models stay.
func TestExtendRows(t *testing.T) {
	t.Parallel()
	c := small()
	c.Epochs = 1
	dir := t.TempDir()
	run := func() (plan Plan) {
		t.Helper()
		o := Options{Dir: dir, Name: "run", Train: trainSet(), Val: valSet(), Resume: true, Extend: true, OnBegin: func(p *Plan) { plan = *p }}
		if _, err := Run(t.Context(), c, o); err != nil {
			t.Fatal(err)
		}
		return plan
	}
	run()
	rows, err := results.OpenAppend(filepath.Join(dir, ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	row := rowsOf(t, dir)[0]
	row.View, row.Dataset, row.Metric, row.Value, row.Time = results.View{}, "scenes-c", results.Top1Error, 0.5, time.Now()
	for _, row.Model = range []string{"run", "run-exit1", "run-exits", "runs", "other"} {
		err = errors.Join(err, rows.Append(row))
	}
	if err := errors.Join(err, rows.Close()); err != nil {
		t.Fatal(err)
	}
	c.Epochs = 2
	if plan := run(); plan.Dropped != 2 {
		t.Errorf("%d rows dropped, want 2", plan.Dropped)
	}
	all, err := results.ReadFile(filepath.Join(dir, ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, r := range all {
		if r.Dataset == "scenes-c" {
			left = append(left, r.Model)
		}
	}
	if want := []string{"run-exits", "runs", "other"}; !slices.Equal(left, want) {
		t.Errorf("rows of %q are left, want %q", left, want)
	}
}

func TestExtendRefused(t *testing.T) {
	c := small()
	c.Epochs = 2
	dir := t.TempDir()
	if _, err := Run(t.Context(), c, Options{Dir: dir, Train: trainSet()}); err != nil {
		t.Fatal(err)
	}
	before := finalFiles(t, dir)
	for _, x := range []struct {
		change func(*Config)
		extend bool
		want   string
	}{
		{func(c *Config) { c.Epochs = 3 }, false, "epochs was 2, now 3"},
		{func(c *Config) { c.Epochs = 1 }, true, "epochs was 2, now 1 (only epochs can be changed, and only upwards)"},
		{func(c *Config) { c.Epochs, c.LR = 3, 0.2 }, true, "lr was 0.1, now 0.2"},
	} {
		other := c
		x.change(&other)
		_, err := Run(t.Context(), other, Options{Dir: dir, Train: trainSet(), Resume: true, Extend: x.extend})
		if !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
	sameFiles(t, finalFiles(t, dir), before)
}

// TestResumeElsewhere: a training set of the same name may lie elsewhere by now, where its samples and bytes are the same.
func TestResumeElsewhere(t *testing.T) {
	c := small()
	c.Epochs, c.Data = 1, "here/set.npz"
	dir := t.TempDir()
	run := func() error {
		_, err := Run(t.Context(), c, Options{Dir: dir, Train: trainSet(), Resume: true, Extend: true})
		return err
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	c.Epochs, c.Data = 2, "/mnt/there/set.npz"
	if err := run(); err != nil {
		t.Error(err)
	}
	c.Epochs, c.Data = 3, "/mnt/there/other.npz"
	if err := run(); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), "data was /mnt/there/set.npz, now /mnt/there/other.npz") {
		t.Error(err)
	}
}

// TestOutdated: the folder of a run that is not at its end stands for no weights, and that of one that was extended since for the
// earlier ones, which is said.
func TestOutdated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(epochs, stop int) {
		t.Helper()
		c, stopped := small(), errors.New("stopped")
		c.Epochs = epochs
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		o := Options{Dir: dir, Train: trainSet(), Resume: true, Extend: true, OnEpoch: func(e *Epoch) {
			if e.Epoch == stop {
				cancel(stopped)
			}
		}}
		if _, err := Run(ctx, c, o); err != nil && !errors.Is(err, stopped) {
			t.Fatal(err)
		}
	}
	model, last := filepath.Join(dir, ModelName), filepath.Join(dir, LastName)
	run(2, 1)
	if file, err := WeightsOf(dir); !errors.Is(err, ErrUnfinished) || file != dir || !strings.Contains(err.Error(), last) {
		t.Errorf("%s, %v", file, err)
	}
	for _, x := range []struct {
		epochs, stop int
		want         string
	}{
		{2, 0, ""},
		{4, 3, "of which 3 of 4 are done; " + last},
		{4, 0, ""},
	} {
		run(x.epochs, x.stop)
		file, err := WeightsOf(dir)
		if why := Outdated(file); err != nil || file != model || (why == "") != (x.want == "") || !strings.Contains(why, x.want) {
			t.Errorf("%+v: %s %q %v", x, file, why, err)
		}
	}
}

// TestResumeName: a run that is resumed keeps its model's name, whatever its folder is called by then; another is refused.
func TestResumeName(t *testing.T) {
	t.Parallel()
	c := small()
	for _, name := range []string{"", "WRN baseline"} {
		dir := filepath.Join(t.TempDir(), "was")
		run := func(dir, name string, epochs int) error {
			c.Epochs = epochs
			_, err := Run(t.Context(), c, Options{Dir: dir, Name: name, Train: trainSet(), Val: valSet(), Resume: true, Extend: true})
			return err
		}
		if err := run(dir, name, 1); err != nil {
			t.Fatal(err)
		}
		moved := filepath.Join(filepath.Dir(dir), "now")
		if err := os.Rename(dir, moved); err != nil {
			t.Fatal(err)
		}
		if err := run(moved, "", 2); err != nil {
			t.Fatal(err)
		}
		want := cmp.Or(name, "was")
		rows, err := results.ReadFile(filepath.Join(moved, ResultsName))
		if i := slices.IndexFunc(rows, func(row results.Located) bool { return row.Model != want }); err != nil || len(rows) == 0 || i >= 0 {
			t.Fatalf("%q: %v, row %d of %d", want, err, i, len(rows))
		}
		if err := run(moved, "other", 3); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), "name was "+want+", now other") {
			t.Error(err)
		}
	}
}
