package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// softJob is testJob with a method of two images.
func softJob(dir string, n int, hook func(string) error) Job {
	j := testJob(dir, n, hook)
	m, err := mix.ParseMethod("augmix+cutmix+mixup", mix.Options{})
	if err != nil {
		panic(err)
	}
	rotate, err := transform.ParseOp("rotate@5")
	if err != nil {
		panic(err)
	}
	plan := &transform.Pipeline{
		Crop: transform.Crop{Kind: transform.RandomCrop, N: 7, Pad: 2}, Flip: true, Mix: m, Views: 3, Epoch: 1,
		Ops: []transform.OpSpec{rotate}, Source: j.Source.(*fakeSource),
	}
	j.Task = SoftImages{Open: images(j).Open, Transform: plan.SoftTransform, Views: plan.Suffixes()}
	return j
}

func softWhole(t testing.TB, n int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	j := softJob(dir, n, nil)
	j.Workers, j.CheckpointEvery = 1, 1000
	mustRun(t, j)
	return tree(t, dir)
}

// Soft labels lie beside the images, a line for each, whatever the number of workers and the way the source is read.
func TestSoftLabels(t *testing.T) {
	const n = 60
	want := softWhole(t, n)
	lines := strings.Split(strings.TrimSuffix(want[TargetsName], "\n"), "\n")
	if len(lines) != 3*n {
		t.Fatalf("%d lines of soft labels, want %d", len(lines), 3*n)
	}
	mixed := 0
	for i, line := range lines {
		var row struct {
			Key    string
			Target mix.Target
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if want := fmt.Sprintf("k%03d-v%d", i/3, i%3); row.Key != want {
			t.Fatalf("line %d is of %s, want %s", i, row.Key, want)
		}
		var sum float64
		for _, s := range row.Target {
			sum += float64(s.Weight)
			if s.Class != 0 && s.Class != 1 || s.Weight <= 0 {
				t.Fatalf("line %d: %s", i, line)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the weights of line %d sum to %v", i, sum)
		}
		if i%3 == 0 && (len(row.Target) != 1 || row.Target[0] != mix.Share{Class: i / 3 % 2, Weight: 1}) {
			t.Errorf("the clean image of line %d has the label %v", i, row.Target)
		}
		if len(row.Target) == 2 {
			mixed++
		}
	}
	if mixed < n/2 {
		t.Errorf("%d of %d labels are mixed", mixed, 2*n)
	}
	for _, workers := range []int{2, 7} {
		for _, stream := range []bool{false, true} {
			dir := t.TempDir()
			j := softJob(dir, n, nil)
			j.Workers = workers
			if stream {
				j.Source = streamOnly{j.Source} // partners are still read at random
			}
			mustRun(t, j)
			sameTree(t, tree(t, dir), want)
		}
	}
}

// A crash at any event leaves an output from which the next run gets to the same images and labels.
func TestSoftCrashAndResume(t *testing.T) {
	const n = 30
	want := softWhole(t, n)
	base := t.TempDir()
	crashes := 0
	events := map[string]int{}
	dir := filepath.Join(base, "whole")
	mustRun(t, softJob(dir, n, func(event string) error {
		if events[event]++; event != "put" || events[event]%9 == 4 {
			crashes++
			copyTree(t, filepath.Join(base, fmt.Sprint(crashes)), dir)
		}
		return nil
	}))
	if crashes < 10 || events["closed"] != 1 {
		t.Fatalf("%d crashes at %v", crashes, events)
	}
	for i := range crashes {
		dir := filepath.Join(base, fmt.Sprint(i+1))
		mustRun(t, softJob(dir, n, nil))
		sameTree(t, tree(t, dir), want)
	}
}

// Beside one file the labels have its name in front, and are cleared away with it.
func TestSoftLabelsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	out := Output{Path: filepath.Join(dir, "items.log"), File: true, Beside: []string{TargetsName, TargetsArrayName}}
	job := func(seed uint64) Job {
		j := softJob(dir, 10, nil)
		j.Out, j.Seed, j.Force = out, seed, seed > 5
		j.Options = []Option{{"seed", fmt.Sprint(seed)}}
		return j
	}
	mustRun(t, job(5))
	first := tree(t, dir)
	if len(strings.Split(first["items_targets.jsonl"], "\n")) != 31 {
		t.Fatalf("items_targets.jsonl has %d bytes", len(first["items_targets.jsonl"]))
	}
	a, err := npy.ReadFile(filepath.Join(dir, "items_targets.npy"))
	if err != nil || fmt.Sprint(a.Shape) != "[30 2]" {
		t.Fatalf("items_targets.npy: %v, shape %v", err, a.Shape)
	}
	row := 0
	if err := ReadTargets(filepath.Join(dir, "items_targets.jsonl"), func(key string, target mix.Target) error {
		want := make([]float32, 2)
		for _, one := range target {
			want[one.Class] += one.Weight
		}
		if got := a.Data.([]float32)[2*row:][:2]; !slices.Equal(got, want) {
			t.Errorf("row %d of %s is %v, want %v", row, key, got, want)
		}
		row++
		return nil
	}); err != nil || row != 30 {
		t.Errorf("%d lines, %v", row, err)
	}
	if d, err := Verify(t.Context(), out, 1); err != nil || !d.OK() || d.Files != 3 {
		t.Errorf("Verify: %+v, %v", d, err)
	}
	mustRun(t, job(6))
	if second := tree(t, dir); len(second) != len(first) || second["items_targets.jsonl"] == first["items_targets.jsonl"] {
		t.Errorf("after another seed there are %d files", len(second))
	}
}

func TestSoftRejects(t *testing.T) {
	j := softJob(t.TempDir(), 4, nil)
	j.Out = Output{}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) {
		t.Errorf("a stream: %v", err)
	}
	// A partner that cannot be read is passed over; a data set without any that can is an error of the sample.
	src := &fakeSource{n: 40, corrupt: map[int]bool{3: true}, unreadable: map[int]bool{5: true, 6: true}}
	j = softJob(t.TempDir(), 40, nil)
	plan := &transform.Pipeline{Mix: mustMix(t, "mixup-a1"), Epoch: 1, Source: src}
	j.Source, j.OnError = src, Skip
	j.Task = SoftImages{Open: j.Task.(SoftImages).Open, Transform: plan.SoftTransform}
	if res := mustRun(t, j); len(res.Rejected) != 3 {
		t.Errorf("%d samples are rejected, want the three that cannot be read", len(res.Rejected))
	}
}

// brokenPartners is a source whose samples cannot be read at random.
type brokenPartners struct{ *fakeSource }

func (brokenPartners) Read(int, *data.Sample) error { return errBroken }

// An error of the source that a partner is read from is none of the sample that wants one: it ends the run, also with Skip.
func TestSoftSourceFails(t *testing.T) {
	j := testJob(t.TempDir(), 30, nil)
	m, err := mix.ParseMethod("cutmix", mix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &transform.Pipeline{Mix: m, Views: 2, Epoch: 1, Source: brokenPartners{j.Source.(*fakeSource)}}
	j.Task, j.OnError = SoftImages{Open: images(j).Open, Transform: plan.SoftTransform, Views: plan.Suffixes()}, Skip
	if _, err := Run(t.Context(), j); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}
