package train

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/augment"
	batches "github.com/augmix-go/augmix/feed"
)

// TestFeedIsTraining: package feed gives the batches that training sees, for any number of workers on either side.
func TestFeedIsTraining(t *testing.T) {
	for _, mix := range []string{"none", "augmix", "standard+augmix", "gaussian", "autoaugment+cutout"} {
		for _, jsd := range []bool{false, true} {
			r := small()
			r.Mix, r.JSD, r.Crop, r.Epochs = mix, jsd, "pad2:12", 2
			run := &runner{config: r, options: Options{Train: newImages(50, 12, 4)}, state: newState(), workers: 2}
			if err := run.readData(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 2, 7} {
				t.Run(fmt.Sprint(mix, jsd, workers), func(t *testing.T) { sameAsFeed(t, run, workers) })
			}
		}
	}
}

func sameAsFeed(t *testing.T, run *runner, workers int) {
	r := &run.config
	g := r.geometry(0)
	_, views := r.views()
	l, err := batches.New(t.Context(), newImages(50, 12, 4), batches.Options{
		Crop: g.Crop, Flip: g.Flip, Filter: augment.Bilinear, Mix: run.method, Views: views, Batch: r.Batch, Epochs: r.Epochs,
		Tail: batches.Short, Seed: r.Seed, DType: batches.Float32, Norm: r.norm(), Workers: workers, Cache: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{
		config: r, set: run.train, method: run.method, norm: r.norm(), classes: 4, w: run.w, h: run.h, workers: 2,
	}
	f.start(context.WithoutCancel(t.Context()), 0, 0, r.Epochs)
	defer f.stop()
	slot := make([]byte, l.Layout().Bytes)
	for b := f.next(); b != nil; b = f.next() {
		if b.err != nil {
			t.Fatal(b.err)
		}
		got, err := l.Next(t.Context(), slot)
		if err != nil {
			t.Fatal(err)
		}
		if got.Epoch != b.epoch || got.Index != b.index || got.N != b.n {
			t.Fatalf("batch %d of epoch %d with %d, want %d of %d with %d", got.Index, got.Epoch, got.N, b.index, b.epoch, b.n)
		}
		images := l.Float32s("images", slot, got.N)
		same := slices.EqualFunc(images, b.planes, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
		if !same || !slices.Equal(l.Int64s("labels", slot, got.N), toInt64(b.labels)) {
			t.Errorf("batch %d of epoch %d differs", b.index, b.epoch)
		}
		f.done(b)
	}
	if _, err := l.Next(t.Context(), slot); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func toInt64(list []int) []int64 {
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out
}
