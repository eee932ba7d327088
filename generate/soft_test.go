package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// softJob is testJob with a method of two images.
func softJob(dir string, n int, hook func(string) error) Job {
	j := testJob(dir, n, hook)
	m, err := mix.ParseMethod("augmix+cutmix+mixup", mix.Options{})
	if err != nil {
		panic(err)
	}
	invert, err := ParseOp("rotate@5")
	if err != nil {
		panic(err)
	}
	rec := &Recipe{
		Crop: Crop{Kind: RandomCrop, N: 7, Pad: 2}, Flip: true, Mix: m, Views: 3, Epoch: 1, Ops: []OpSpec{invert},
		Source: j.Source.(*fakeSource),
	}
	j.NewMaker, j.Soft = rec.Maker, true
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

// A crash at any event leaves a place from which the next run gets to the same images and labels.
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
	place := Place{Path: filepath.Join(dir, "items.log"), File: true, Beside: []string{TargetsName}}
	job := func(seed uint64) Job {
		j := softJob(dir, 10, nil)
		j.Out, j.Seed, j.Force = place, seed, seed > 5
		j.Options = []Option{{"seed", fmt.Sprint(seed)}}
		return j
	}
	mustRun(t, job(5))
	first := tree(t, dir)
	if len(strings.Split(first["items_targets.jsonl"], "\n")) != 31 {
		t.Fatalf("items_targets.jsonl has %d bytes", len(first["items_targets.jsonl"]))
	}
	if d, err := Verify(t.Context(), place, 1); err != nil || !d.OK() || d.Files != 2 {
		t.Errorf("Verify: %+v, %v", d, err)
	}
	mustRun(t, job(6))
	if second := tree(t, dir); len(second) != len(first) || second["items_targets.jsonl"] == first["items_targets.jsonl"] {
		t.Errorf("after another seed there are %d files", len(second))
	}
}

func TestSoftRefuses(t *testing.T) {
	j := softJob(t.TempDir(), 4, nil)
	j.Out = Place{}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) {
		t.Errorf("a stream: %v", err)
	}
	// A partner that cannot be read is passed over; a data set without any that can is an error of the sample.
	src := &fakeSource{n: 40, corrupt: map[int]bool{3: true}, unreadable: map[int]bool{5: true, 6: true}}
	j = softJob(t.TempDir(), 40, nil)
	rec := &Recipe{Mix: mustMix(t, "mixup-a1"), Epoch: 1, Source: src}
	j.Source, j.NewMaker, j.Views, j.OnError = src, rec.Maker, nil, Skip
	if res := mustRun(t, j); len(res.Refused) != 3 {
		t.Errorf("%d samples are refused, want the three that cannot be read", len(res.Refused))
	}
	if err := rec.Maker().Make([]*raster.Image{new(raster.Image)}, raster.New(8, 6), rng.NewKey(1)); !errors.Is(err, ErrOption) {
		t.Errorf("a job without soft labels: %v", err)
	}
	m := (&Recipe{}).Maker().(SoftMaker)
	targets := make([]mix.Target, 1)
	if err := m.MakeSoft([]*raster.Image{new(raster.Image)}, targets, raster.New(8, 6), 1, rng.NewKey(1)); err != nil || len(targets[0]) != 1 {
		t.Errorf("without a mix: %v, %v", targets, err)
	}
	m = rec.Maker().(SoftMaker)
	src.corrupt = map[int]bool{}
	for i := range 40 {
		src.corrupt[i] = true
	}
	err := m.MakeSoft([]*raster.Image{new(raster.Image)}, make([]mix.Target, 1), raster.New(8, 6), 1, rng.NewKey(1))
	if err == nil || !errors.Is(err, data.ErrFormat) && !strings.Contains(err.Error(), "16 samples in a row") {
		t.Errorf("a data set without readable images: %v", err)
	}
}

// What one sample becomes can be made by hand from its key: the streams are as the documents say.
func TestSoftStreams(t *testing.T) {
	src := &fakeSource{n: 9}
	rec := &Recipe{Mix: mustMix(t, "mixup-a1"), Epoch: 4, Source: src}
	key := rng.NewKey(11).Str("k002")
	read := func(i int) *raster.Image {
		var s data.Sample
		m := new(raster.Image)
		if err := errors.Join(src.Read(i, &s), s.Decode(m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	dst, targets := []*raster.Image{new(raster.Image)}, make([]mix.Target, 1)
	if err := rec.Maker().(SoftMaker).MakeSoft(dst, targets, read(2), 0, key); err != nil {
		t.Fatal(err)
	}
	view := key.Str("augment").Uint(4).Uint(1).Str("mix")
	which, pair := view.Str("partner").Uint(0).Str("which").Rand(), view.Str("pair").Uint(0).Rand()
	partner := which.IntN(9)
	mixup := &mix.Mixup{Alpha: 1}
	d := mixup.DrawPair(8, 6, &pair)
	want := new(raster.Image)
	mixup.ApplyPair(want, read(2), read(partner), &d)
	for i, v := range want.Pix {
		if e := int(v) - int(dst[0].Pix[i]); e < -1 || e > 1 {
			t.Fatalf("byte %d is %d, by hand %d", i, dst[0].Pix[i], v)
		}
	}
	label := mix.Target(nil).Hard(0).Blend(mix.Target{{Class: partner % 2, Weight: 1}}, d.Weight)
	if fmt.Sprint(targets[0]) != fmt.Sprint(label) {
		t.Errorf("the label is %v, by hand %v", targets[0], label)
	}
}
