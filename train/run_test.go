package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/internal/memtemp"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// The environment variable with which TestMain trains instead of testing, in a process that a test kills.
const (
	childEnv        = "AUGMIX_TRAIN_TEST_CHILD"
	childWorkersEnv = "AUGMIX_TRAIN_TEST_WORKERS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		o := Options{
			Dir: dir, Resume: true, Train: fewer(), Val: valSet(),
			OnStep: func(*Step) { fmt.Print(".") }, // so that the parent knows where it is
		}
		c := killed()
		_, _ = fmt.Sscan(os.Getenv(childWorkersEnv), &c.Workers)
		if _, err := run(context.Background(), c, o, slowNoises().visualize); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	memtemp.Use()
	os.Exit(m.Run())
}

func trainSet() *images { return newImages(150, 8, 4) }
func valSet() *images   { return newImages(60, 8, 4) }

// fewer has half the images of trainSet: as many batches, of half the size.
func fewer() *images { return newImages(75, 8, 4) }

// killed is the configuration of the tests that stop a run: everything that has state is on, and the last batch is not full.
func killed() Config {
	r := small()
	r.Batch = 8
	r.Model, r.Mix, r.JSD, r.EMA, r.Warmup, r.ClipGrad = "wrn-10-1-drop0.3", "augmix+pixmix", true, 0.9, 0.5, 5
	r.Epochs, r.Mixset, r.MixsetEvery = 4, "iterative-fvis-n4", 2
	return r
}

// finalFiles are the files that a complete run leaves, without those that hold times.
func finalFiles(t *testing.T, dir string) map[string]string {
	all := files(t, dir)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return !strings.HasSuffix(name, ".safetensors") && name != MixsetName
	})
	return all
}

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Fatalf("files %v, want %v", a, b)
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// rowsOf returns the rows of a run without their times.
func rowsOf(t *testing.T, dir string) []results.Row {
	t.Helper()
	located, err := results.ReadFile(filepath.Join(dir, ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	rows := results.Rows(located)
	for i := range rows {
		rows[i].Time, rows[i].Model = time.Time{}, ""
	}
	return rows
}

func TestRunLearns(t *testing.T) {
	t.Parallel()
	r := small()
	r.Epochs = 10
	r.MinLR, r.LR = 0, 0.05
	dir := t.TempDir()
	var plan *Plan
	var epochs []Epoch
	steps := 0
	res, err := Run(t.Context(), r, Options{
		Dir: dir, Name: "striped", Train: newImages(200, 8, 4), Val: newImages(80, 8, 4),
		OnBegin: func(p *Plan) { plan = p },
		OnStep:  func(*Step) { steps++ },
		OnEpoch: func(e *Epoch) { epochs = append(epochs, *e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Samples != 200 || plan.Val != 80 || plan.Classes != 4 || plan.Steps != 13 || !plan.InMemory {
		t.Errorf("plan %+v", plan)
	}
	if steps != 130 || len(epochs) != 10 || res.Epochs != 10 {
		t.Errorf("%d steps, %d epochs, %+v", steps, len(epochs), res)
	}
	if res.Error != 0 || res.Best != 0 || res.BestEpoch < 1 {
		t.Errorf("the run did not learn stripes: %+v", res)
	}
	rows := rowsOf(t, dir)
	last := rows[len(rows)-1]
	if last.Metric != results.Top1Error || last.View != (results.View{}) || last.Value != res.Error || last.N != 80 ||
		*last.Seed != r.Seed {
		t.Errorf("last row %+v", last)
	}
	if len(rows) != 4*10+1 {
		t.Errorf("%d rows", len(rows))
	}
	for name, content := range files(t, dir) {
		for _, tag := range []string{"epoch/error", "epoch/train_loss", "train/step_loss", "train/learning_rate"} {
			if strings.HasPrefix(name, "events.out") && !strings.Contains(content, tag) {
				t.Errorf("%s has no curve %s", name, tag)
			}
		}
	}
}

// TestStopAndResume cancels a run after a random step, again and again, and compares what it leaves with an undisturbed
// run: every byte of weights, moments, averages and rows.
func TestStopAndResume(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	if _, err := run(t.Context(), killed(), Options{Dir: whole, Train: fewer(), Val: valSet()}, new(noises).visualize); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		left := 1 + stops*5%8
		_, err := run(ctx, killed(), Options{
			Dir: dir, Resume: true, Train: fewer(), Val: valSet(),
			OnStep: func(*Step) {
				if left--; left == 0 {
					cancel(stopped)
				}
			},
		}, new(noises).visualize)
		if err == nil {
			if stops < 5 {
				t.Errorf("only %d stops", stops)
			}
			break
		}
		if !errors.Is(err, stopped) {
			t.Fatal(err)
		}
	}
	sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
	if got, want := rowsOf(t, dir), rowsOf(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("rows\n%v\nwant\n%v", got, want)
	}
}

// TestPinnedRun pins the weights after one epoch with everything on: from images to weights the same on every machine.
func TestPinnedRun(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), killed()
	c.Batch = 16
	c.Epochs, c.Smoothing, c.Optimizer, c.LR = 1, 0.1, "adamw", 1e-3
	if _, err := run(t.Context(), c, Options{Dir: dir, Train: trainSet(), Val: valSet()}, new(noises).visualize); err != nil {
		t.Fatal(err)
	}
	last, _, err := weights.ReadFile(filepath.Join(dir, LastName))
	if err != nil {
		t.Fatal(err)
	}
	const want = "8b231e3d2877e65491a18dac6e0396afa05590cd1633183b08353d750367358a"
	if got := checksum(last, nil); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestKilledAndResumed is the same with processes that are killed without warning, somewhere in or after a step: also while
// they write. Each resumes with another number of workers and other instructions than the one before.
func TestKilledAndResumed(t *testing.T) {
	t.Parallel()
	whole, dir := t.TempDir(), t.TempDir()
	begun := time.Now()
	if _, err := run(t.Context(), killed(), Options{Dir: whole, Train: fewer(), Val: valSet()}, new(noises).visualize); err != nil {
		t.Fatal(err)
	}
	step := time.Since(begun) / 40
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rng.New(uint64(begun.UnixNano()))
	kills := 0
	for tries := 1; ; tries++ {
		cmd := exec.Command(self)
		levels := cpu.Levels()
		cmd.Env = append(os.Environ(), childEnv+"="+dir, fmt.Sprint(childWorkersEnv, "=", 1+tries%3),
			fmt.Sprint(cpu.Variable, "=", levels[tries/2%len(levels)]))
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// An epoch has ten steps: at first none is completed, the tenth is where files are written, then it is more and more.
		_, ended := io.ReadFull(out, make([]byte, 4+3*tries))
		if ended == nil {
			time.Sleep(time.Duration(random.Uniform(0, 1.5) * float64(step)))
			_ = cmd.Process.Kill()
		}
		err = cmd.Wait()
		if said.Len() > 0 {
			t.Fatalf("try %d: %s", tries, &said)
		}
		if err == nil {
			break
		}
		kills++
		if tries > 50 {
			t.Fatal("the run does not end")
		}
	}
	t.Logf("killed %d times", kills)
	if kills < 3 {
		t.Error("too few for a test")
	}
	sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
	if got, want := rowsOf(t, dir), rowsOf(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("rows\n%v\nwant\n%v", got, want)
	}
	for name := range files(t, dir) {
		if strings.HasSuffix(name, ".safetensors") {
			if _, _, err := weights.ReadFile(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDiverged lets the loss overflow in the first epoch: the run stops and names the place; there is nothing to keep.
func TestDiverged(t *testing.T) {
	r := small()
	r.LR = 1e30
	dir := t.TempDir()
	_, err := Run(t.Context(), r, Options{Dir: dir, Train: trainSet()})
	if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "epoch 1, step ") ||
		!strings.Contains(err.Error(), "no checkpoint was written yet") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, LastName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a checkpoint of a run that diverged in its first epoch: %v", err)
	}
}

// TestDivergedLater poisons a weight in the second epoch: the checkpoint of the epoch before stays as it was.
func TestDivergedLater(t *testing.T) {
	r := small()
	dir := t.TempDir()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Run(ctx, r, Options{Dir: dir, Train: trainSet(), OnEpoch: func(*Epoch) { cancel(stopped) }})
	if !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	before := files(t, dir)[LastName]
	runner := &runner{config: r, options: Options{Dir: dir, Resume: true, Train: trainSet()}}
	last, err := runner.claim()
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.prepare(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	defer runner.log.close()
	runner.net.Tensors()[0].Data[0] = float32(math.NaN())
	runner.net.Changed()
	err = runner.loop(t.Context())
	if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "epoch 2, step 1 of 10") ||
		!strings.Contains(err.Error(), "is the last good one") {
		t.Errorf("error %v", err)
	}
	if files(t, dir)[LastName] != before {
		t.Error("the last good checkpoint has changed")
	}
}

// TestWorkersOfTheFeed: batches do not depend on how many goroutines make them, nor on whether the images are in
// memory.
func TestWorkersOfTheFeed(t *testing.T) {
	type made struct {
		planes, targets []float32
		labels          []int
	}
	batches := func(workers int, limit int64, mixSpec, crop string, jsd bool) (out []made) {
		r := small()
		r.Mix, r.JSD, r.Crop, r.Epochs = mixSpec, jsd, crop, 2
		run := &runner{config: r, options: Options{Train: newImages(50, 12, 4)}, state: newState(), workers: workers}
		run.config.CacheMB = int(limit)
		if err := run.readData(t.Context()); err != nil {
			t.Fatal(err)
		}
		if inMemory := run.train.InMemory(); inMemory != (limit > 0) {
			t.Fatalf("in memory: %v", inMemory)
		}
		f := &feed{
			config: &run.config, set: run.train, method: run.method, norm: r.norm(), classes: 4, w: run.w, h: run.h,
			workers: workers,
		}
		f.start(t.Context(), 0, 0, r.Epochs)
		defer f.stop()
		for b := f.next(); b != nil; b = f.next() {
			if b.err != nil {
				t.Fatal(b.err)
			}
			out = append(out, made{slices.Clone(b.planes), slices.Clone(b.targets), slices.Clone(b.labels)})
			f.done(b)
		}
		return out
	}
	for _, c := range []struct {
		mix, crop string
		jsd       bool
	}{{"none", "pad2:12", false}, {"augmix", "pad2:12", true}, {"cutmix", "rrc:8", false}, {
		"augmix+mixup", "10",
		false,
	}} {
		want := batches(1, 1, c.mix, c.crop, c.jsd)
		if len(want) != 2*4 {
			t.Fatalf("%d batches", len(want))
		}
		if reflect.DeepEqual(want[0], want[4]) {
			t.Errorf("%s: both epochs begin with the same batch", c.mix)
		}
		for _, workers := range []int{2, 7} {
			for _, limit := range []int64{0, 1} {
				if !reflect.DeepEqual(batches(workers, limit, c.mix, c.crop, c.jsd), want) {
					t.Errorf("%s: other batches with %d workers, limit %d MB", c.mix, workers, limit)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	small := small()
	for name, c := range map[string]struct {
		change func(r *Config, o *Options)
		is     error
		says   string
	}{
		"no model": {func(r *Config, _ *Options) { r.Model = "" }, ErrConfig, "model"},
		"bad mix":  {func(r *Config, _ *Options) { r.Mix = "augmax" }, ErrConfig, "augmax"},
		"views": {
			func(r *Config, _ *Options) { r.JSD, r.Views = true, 1 }, ErrConfig,
			"views: 1 (allowed: 2 to 16)",
		},
		"nan":           {func(r *Config, _ *Options) { r.LR = math.NaN() }, ErrConfig, "lr"},
		"lr-milestones": {func(r *Config, _ *Options) { r.Schedule, r.LRMilestones = "step", []int{3, 2} }, ErrConfig, "lr-milestones"},
		"std":           {func(r *Config, _ *Options) { r.Std = []float64{1, 0, 1} }, ErrConfig, "std"},
		"label": {func(_ *Config, o *Options) {
			p := trainSet()
			p.unlabeled = 77
			o.Train = p
		}, data.ErrLabel, "stripes[77]"},
		"unreadable": {func(_ *Config, o *Options) { o.Train = failing{trainSet(), 5} }, data.ErrFormat, "stripes"},
		"sizes":      {func(r *Config, o *Options) { r.Crop = ""; o.Val = newImages(10, 9, 4) }, nil, "9x9"},
		"classes":    {func(_ *Config, o *Options) { o.Val = newImages(10, 8, 5) }, data.ErrLabel, "classes"},
		"other classes": {
			func(c *Config, o *Options) { c.Data, c.Val, o.Val = "few", "more", newImages(10, 8, 5) }, data.ErrLabel,
			"val: more has other classes than the training data, few: class 4 is",
		},
		"one class": {func(_ *Config, o *Options) { o.Train = newImages(10, 8, 1) }, data.ErrLabel, "one class (allowed: two or more)"},
		"stream": {
			func(r *Config, o *Options) { o.Train, r.CacheMB = stream{trainSet()}, 0 }, data.ErrUnsupported,
			"front to end",
		},
		"weights": {
			func(r *Config, _ *Options) { r.Weights = "none.safetensors" }, os.ErrNotExist,
			"none.safetensors",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, o := small, Options{Dir: filepath.Join(t.TempDir(), "run"), Train: trainSet()}
			c.change(&r, &o)
			_, err := Run(t.Context(), r, o)
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %v that says %q", err, c.is, c.says)
			}
		})
	}
}

// TestOccupied: a run is neither overwritten nor resumed with another recipe or other data.
func TestOccupied(t *testing.T) {
	r := small()
	r.Epochs = 1
	dir := t.TempDir()
	o := Options{Dir: dir, Train: trainSet()}
	if _, err := Run(t.Context(), r, o); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	again := func(change func(r *Config, o *Options)) error {
		r, o := r, Options{Dir: dir, Train: trainSet(), Resume: true}
		change(&r, &o)
		_, err := Run(t.Context(), r, o)
		return err
	}
	if err := again(func(_ *Config, o *Options) { o.Resume = false }); !errors.Is(err, ErrOccupied) {
		t.Errorf("without resume: %v", err)
	}
	if err := again(func(r *Config, _ *Options) { r.LR = 0.2; r.Mix = "augmix" }); !errors.Is(err, ErrOccupied) ||
		!strings.Contains(err.Error(), "lr was 0.1, now 0.2") || !strings.Contains(err.Error(),
		"mix was none, now augmix") {
		t.Errorf("with another recipe: %v", err)
	}
	if err := again(func(_ *Config, o *Options) { o.Train = newImages(149, 8, 4) }); !errors.Is(err, ErrCheckpoint) ||
		!strings.Contains(err.Error(), "150 samples") {
		t.Errorf("with other data: %v", err)
	}
	maps.DeleteFunc(before, func(name, _ string) bool { return strings.HasPrefix(name, "events") })
	after := files(t, dir)
	for name := range before {
		if before[name] != after[name] {
			t.Errorf("%s has changed", name)
		}
	}
	if err := again(func(*Config, *Options) {}); err != nil {
		t.Errorf("a complete run that is resumed: %v", err)
	}
}

// TestOtherValidation: a run is not resumed with other validation data, and nothing of it changes; its best epoch would be one of either.
func TestOtherValidation(t *testing.T) {
	c := small()
	c.Epochs = 1
	o := Options{Dir: t.TempDir(), Train: trainSet(), Val: newImages(20, 8, 4)}
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	before := files(t, o.Dir)
	c.Epochs = 2
	o = Options{Dir: o.Dir, Train: trainSet(), Val: newImages(24, 8, 4), Resume: true, Extend: true}
	if _, err := Run(t.Context(), c, o); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other validation data") {
		t.Error(err)
	}
	if after := files(t, o.Dir); !maps.Equal(before, after) {
		t.Error("files have changed")
	}
	o.Train, o.Val = trainSet(), newImages(20, 8, 4)
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Error(err)
	}
}

// TestKilledAtTheStart: a run that is killed before it has measured anything leaves an empty file of rows. The same command
// begins again, as it does in an empty folder.
func TestKilledAtTheStart(t *testing.T) {
	r := small()
	r.Epochs = 1
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ResultsName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), r, Options{Dir: dir, Train: trainSet()}); err != nil {
		t.Fatal(err)
	}
}

// canceling is a data set that calls a function before every reading.
type canceling struct {
	*images
	before func()
}

func (c canceling) Read(i int, s *data.Sample) error {
	c.before()
	return c.images.Read(i, s)
}

// TestCanceledValidation: a validation ends with the batch in which the run is canceled, and the run resumes to the same files as one
// that was not stopped.
func TestCanceledValidation(t *testing.T) {
	t.Parallel()
	c := small()
	c.CacheMB, c.EMA, c.Epochs = 0, 0.9, 2
	do := func(ctx context.Context, dir string, val data.Source, onStep func(*Step)) error {
		_, err := Run(ctx, c, Options{Dir: dir, Name: "run", Train: fewer(), Val: val, Resume: true, OnStep: onStep})
		return err
	}
	whole, dir := t.TempDir(), t.TempDir()
	if err := do(t.Context(), whole, valSet(), nil); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	validating, read := false, atomic.Int64{}
	val := canceling{valSet(), func() {
		if validating && read.Add(1) == 3 {
			cancel(stop)
		}
	}}
	all := steps(fewer().Len(), c.Batch)
	if err := do(ctx, dir, val, func(s *Step) { validating = s.Epoch == 0 && s.Index == all-1 }); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if n := int(read.Load()); n > c.Batch {
		t.Errorf("%d samples were read in a validation that was canceled at the third", n)
	}
	last, err := ReadCheckpoint(filepath.Join(dir, LastName))
	if err != nil {
		t.Fatal(err)
	}
	if s := &last.state; s.Epoch != 0 || s.InEpoch != all {
		t.Errorf("stopped after %d epochs and %d steps, want 0 and %d", s.Epoch, s.InEpoch, all)
	}
	if err := do(t.Context(), dir, valSet(), nil); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
	if got, want := rowsOf(t, dir), rowsOf(t, whole); !sameValues(got, want) {
		t.Errorf("rows\n%+v, not\n%+v", got, want)
	}
}

// TestBegunAnew: a run that begins in a folder without a checkpoint replaces the rows of the one that was there, which are of weights
// that are gone, and keeps those of other models.
func TestBegunAnew(t *testing.T) {
	c := small()
	c.Epochs = 2
	run := func(dir, name string, c Config) {
		t.Helper()
		if _, err := Run(t.Context(), c, Options{Dir: dir, Name: name, Train: trainSet(), Val: valSet(), Resume: true}); err != nil {
			t.Fatal(err)
		}
	}
	dir, fresh := t.TempDir(), t.TempDir()
	again := func(name string, c Config) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, LastName)); err != nil {
			t.Fatal(err)
		}
		run(dir, name, c)
	}
	run(dir, "run", c)
	c.LR = 0.001
	again("run", c)
	run(fresh, "run", c)
	got, want := rowsOf(t, dir), rowsOf(t, fresh)
	if !sameValues(got, want) {
		t.Errorf("rows\n%+v, not\n%+v", got, want)
	}
	again("other", c)
	if got := rowsOf(t, dir); !sameValues(got, slices.Concat(want, want)) {
		t.Errorf("with another model: %d rows, want %d", len(got), 2*len(want))
	}
}

// TestOccupiedMeanwhile: a run that finds its folder free, and another complete in it once its data is read, leaves that
// one alone.
func TestOccupiedMeanwhile(t *testing.T) {
	r := small()
	r.Epochs = 1
	dir := t.TempDir()
	run := &runner{config: r, options: Options{Dir: dir, Train: trainSet()}}
	if _, err := run.claim(); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), r, Options{Dir: dir, Train: trainSet()}); err != nil {
		t.Fatal(err)
	}
	if err := run.prepare(t.Context(), nil); !errors.Is(err, ErrOccupied) {
		t.Errorf("got %v", err)
	}
}

// TestFineTune starts from the weights of a run, of a checkpoint with moments as well.
func TestFineTune(t *testing.T) {
	t.Parallel()
	r := small()
	r.Epochs, r.EMA = 2, 0.5
	dir := t.TempDir()
	if _, err := Run(t.Context(), r, Options{Dir: dir, Train: trainSet()}); err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, name := range []string{LastName, ModelName} {
		tuned := r
		tuned.Weights, tuned.EMA, tuned.LR, tuned.MinLR = filepath.Join(dir, name), 0, 1e-30, 0
		tuned.WeightDecay, tuned.Mix = 0, "none"
		out := t.TempDir()
		if _, err := Run(t.Context(), tuned, Options{Dir: out, Train: trainSet()}); err != nil {
			t.Fatal(err)
		}
		ts, _, err := weights.ReadFile(filepath.Join(out, ModelName))
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, x := range ts {
			if strings.HasSuffix(x.Name, "weight") { // a rate of nothing leaves them; running statistics move
				text += fmt.Sprint(x.Data)
			}
		}
		models = append(models, text)
	}
	if models[0] != models[1] {
		t.Error("the checkpoint's average and the saved average are not the same start")
	}
}

func TestWrong(t *testing.T) {
	logits := []float32{1, 2, 3, 3, 2, 3, 0, 0, 0, 9, 9, 9}
	for want, labels := range map[int][]int{0: {2, 0, 0}, 1: {2, 0, 1}, 3: {0, 1, 2}} {
		if got := wrong(logits, labels, 3); got != want {
			t.Errorf("labels %v: %s wrong, want %d", labels, strconv.Itoa(got), want)
		}
	}
}

func ExampleRun() {
	r := Default()
	r.Data, r.Model, r.Epochs, r.Batch, r.Crop = "stripes", "wrn-10-1", 6, 16, "pad2:8"
	r.Mix, r.JSD, r.LR = "augmix-m3-w3-d-1", true, 0.05
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	res, err := Run(context.Background(), r, Options{Dir: dir, Train: newImages(200, 8, 2), Val: newImages(40,
		8, 2)})
	fmt.Println(res.Epochs, res.Error < 0.5, err)
	// Output: 6 true <nil>
}

// TestTrainingData: a run without training data is refused, and a source can be trained on again.
func TestTrainingData(t *testing.T) {
	c := small()
	c.Epochs = 1
	if _, err := Run(t.Context(), c, Options{Dir: t.TempDir()}); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	src := newImages(16, 8, 4)
	for range 2 {
		if _, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: src, Val: src}); err != nil {
			t.Error(err)
		}
	}
}

// TestBuffersOfFewSamples: a network has room for the samples that there are, not for a batch that never comes.
func TestBuffersOfFewSamples(t *testing.T) {
	c := small()
	c.Batch = 1 << 12
	run := &runner{config: c, options: Options{Dir: t.TempDir(), Train: newImages(50, 8, 4)}}
	if err := run.prepare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if rows := len(run.dlogits) / run.classes; rows != 50 {
		t.Errorf("room for %d rows, want 50", rows)
	}
}
