package train

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

// marksOf returns the marks that the files of weights of a run have, which must be the same in all of them.
func marksOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	var marks map[string]string
	for _, name := range []string{LastName, BestName, ModelName} {
		_, meta, err := weights.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got := trainedon.Of(meta)
		if marks != nil && !maps.Equal(got, marks) {
			t.Errorf("%s says %v, another file %v", name, got, marks)
		}
		marks = got
	}
	return marks
}

// tuned trains one epoch from a file of weights and returns the run's folder.
func tuned(t *testing.T, from, mix string, o Options) string {
	t.Helper()
	c := small()
	c.Epochs, c.Weights, c.Mix, c.EMA = 1, from, mix, 0.9
	o.Dir, o.Train, o.Val = t.TempDir(), trainSet(), valSet()
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	return o.Dir
}

// TestEarlierMarks: what the first weights were trained on stays in all files through any number of trainings, beside what each adds
// itself and what its images were made with. Weights that say nothing have no marks.
func TestEarlierMarks(t *testing.T) {
	t.Parallel()
	first := tuned(t, "", "gaussian", Options{})
	second := tuned(t, filepath.Join(first, ModelName), "augmix", Options{TrainedOn: map[string]string{results.VersionTrainedOn: "snow"}})
	if got, want := marksOf(t, second), map[string]string{results.VersionTrainedOn: "gaussian noise, snow"}; !maps.Equal(got, want) {
		t.Errorf("after one more training %v, want %v", got, want)
	}
	ts, meta, err := weights.ReadFile(filepath.Join(second, LastName))
	if err != nil {
		t.Fatal(err)
	}
	meta[weights.KeyANT], meta[weights.KeyFeatureNoise] = "3", "0,0.2"
	from := filepath.Join(t.TempDir(), "second.safetensors")
	if err := weights.WriteFile(from, ts, meta); err != nil {
		t.Fatal(err)
	}
	third := tuned(t, from, "corrupt-lines+ripple-p0.1", Options{})
	want := map[string]string{
		results.VersionTrainedOn:    "adversarial noise, gaussian noise, snow",
		results.VersionTrainedOnBar: "lines, ripple", results.VersionTrainedOnValidation: "speckle_noise",
	}
	if got := marksOf(t, third); !maps.Equal(got, want) {
		t.Errorf("after two more trainings %v, want %v", got, want)
	}
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	if err := weights.WriteFile(bare, weights.Network(ts), nil); err != nil {
		t.Fatal(err)
	}
	if got := marksOf(t, tuned(t, bare, "none", Options{})); len(got) > 0 {
		t.Errorf("of weights that say nothing: %v", got)
	}
}

// TestEarlierMarksResumed: a run that was stopped goes on without the file that it began with, to the same bytes.
func TestEarlierMarksResumed(t *testing.T) {
	t.Parallel()
	c := small()
	c.Epochs, c.Weights = 2, filepath.Join(tuned(t, "", "gaussian", Options{}), ModelName)
	whole, stopped := t.TempDir(), t.TempDir()
	options := func(dir string) Options {
		return Options{
			Dir: dir, Name: "run", Train: trainSet(), Val: valSet(), TrainedOn: map[string]string{results.VersionTrainedOn: "fog"},
		}
	}
	if _, err := Run(t.Context(), c, options(whole)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped")
	o := options(stopped)
	o.OnEpoch = func(*Epoch) { cancel(cause) }
	if _, err := Run(ctx, c, o); !errors.Is(err, cause) {
		t.Fatal(err)
	}
	if err := os.Remove(c.Weights); err != nil {
		t.Fatal(err)
	}
	o = options(stopped)
	o.Resume, o.TrainedOn = true, nil
	var plan Plan
	o.OnBegin = func(p *Plan) { plan = *p }
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, finalFiles(t, stopped), finalFiles(t, whole))
	if want := "fog, gaussian noise"; plan.TrainedOn[results.VersionTrainedOn] != want || marksOf(t, stopped)[results.VersionTrainedOn] != want {
		t.Errorf("resumed with %v, want %s", plan.TrainedOn, want)
	}
}

// TestMarksOfValidation: validation errors of corrupted images are marked as those of an evaluation are, others are not.
func TestMarksOfValidation(t *testing.T) {
	first := filepath.Join(tuned(t, "", "gaussian", Options{}), ModelName)
	for dataset, want := range map[string]string{"stripes-c": "gaussian noise", "stripes": ""} {
		for _, r := range rowsOf(t, tuned(t, first, "none", Options{Dataset: dataset, Versions: map[string]string{"go": "1"}})) {
			if want := map[bool]string{true: want}[r.Data != ""]; r.Versions[results.VersionTrainedOn] != want || r.Versions["go"] != "1" {
				t.Errorf("%s, %s: versions %v, want trained on %q", dataset, r.Metric, r.Versions, want)
			}
		}
	}
}
