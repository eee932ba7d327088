package train

import (
	"context"
	"runtime"
	"sync"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// ahead is how many batches are made before the engine asks for them.
const ahead = 3

// batch is the input of one step.
type batch struct {
	epoch, index int
	n            int       // samples
	planes       []float32 // [rows, 3, H, W], normalized: views of n, then what the method adds
	labels       []int     // of the samples
	targets      []float32 // [n, classes]
	chains       chains    // of AugMax
	keys         []rng.Key // of the samples in this epoch
	err          error     // why there is no batch; the feed has ended
}

// feed makes batches on goroutines of its own, in order, up to [ahead] of the engine. Batch i of an epoch is a function
// of the seed, the epoch and i, whatever the number of goroutines.
type feed struct {
	config *Config
	set    *dataset.Set
	method *mix.Method
	norm   *mix.Normalization
	extra  *outliers // nil without Outlier Exposure
	// auxMethod makes the auxiliary views; nil without.
	auxMethod *mix.Method
	classes   int
	w, h      int
	workers   int

	ready  chan *batch
	free   chan *batch
	cancel context.CancelFunc
	wg     sync.WaitGroup

	seed     rng.Key
	order    []int
	images   []*raster.Image
	keys     []rng.Key
	fetchers []*dataset.Fetcher
	mixing   mix.Batch

	auxTargets []float32 // of auxiliary views, not used
	chains     []*chainScratch
}

// start begins to make batches from the given one of the given epoch on, to the start of epoch end.
func (f *feed) start(ctx context.Context, epoch, index, end int) {
	f.seed = rng.NewKey(f.config.Seed)
	if f.workers <= 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	f.mixing.Workers = f.workers
	f.ready, f.free = make(chan *batch, ahead+1), make(chan *batch, ahead+1)
	for range ahead + 1 {
		f.free <- new(batch)
	}
	ctx, f.cancel = context.WithCancel(ctx)
	f.wg.Go(func() {
		defer close(f.ready)
		for ; epoch < end; epoch, index = epoch+1, 0 {
			f.begin(epoch)
			for ; index < f.steps(); index++ {
				select {
				case b := <-f.free:
					b.epoch, b.index = epoch, index
					b.err = f.fill(b)
					failed := b.err != nil
					f.ready <- b // never blocks: there are no more batches than places
					if failed {
						return
					}
				case <-ctx.Done():
					return
				}
			}
		}
	})
}

// next returns the next batch; nil after the last.
func (f *feed) next() *batch { return <-f.ready }

// done gives a batch back.
func (f *feed) done(b *batch) { f.free <- b }

// stop ends the goroutines.
func (f *feed) stop() {
	f.cancel()
	f.wg.Wait()
}

// steps returns the number of batches of an epoch. The last may be smaller.
func (f *feed) steps() int { return steps(f.set.Len(), f.config.Batch) }

func steps(n, batch int) int { return (n + batch - 1) / batch }

// begin draws the order of an epoch.
func (f *feed) begin(epoch int) {
	f.order = buffer.Resize(f.order, f.set.Len())
	dataset.Order(f.order, f.seed, epoch)
	f.fetchers = f.fetchers[:0]
	g := f.config.geometry(epoch)
	for range f.workers {
		f.fetchers = append(f.fetchers, f.set.Fetcher(g, f.config.preprocess()))
	}
	if f.extra != nil {
		f.extra.begin(f, epoch)
	}
}

// fill makes a batch.
func (f *feed) fill(b *batch) error {
	picked := f.order[b.index*f.config.Batch:]
	picked = picked[:min(len(picked), f.config.Batch)]
	b.n = len(picked)
	for len(f.images) < b.n {
		f.images = append(f.images, new(raster.Image))
	}
	clean, views := f.config.views()
	f.keys, b.labels, f.mixing.Gray = buffer.Resize(f.keys, b.n), buffer.Resize(b.labels, b.n), buffer.Resize(f.mixing.Gray, b.n)
	b.targets = buffer.Resize(b.targets, b.n*f.classes)
	mixed := views * b.n * 3 * f.w * f.h
	b.planes, b.keys = buffer.Resize(b.planes, f.config.rows(b.n)*3*f.w*f.h), buffer.Resize(b.keys, b.n)
	err := parallel.Try(b.n, f.workers, func(worker, i int) error {
		s, err := f.fetchers[worker].Fetch(f.images[i], picked[i], f.classes, f.seed)
		if err != nil {
			return err
		}
		if m := f.images[i]; m.W != f.w || m.H != f.h {
			return sizeError(&s, m.W, m.H, f.w, f.h)
		}
		key := transform.EpochKey(s.Stream, b.epoch)
		if b.keys[i] = key; views == 1 { // of several, mix.Batch takes each view's key
			key = transform.ViewKey(key, 1)
		}
		b.labels[i], f.keys[i], f.mixing.Gray[i] = s.Label, key, s.Gray
		return nil
	})
	if err != nil {
		return err
	}
	step := mix.TrainStep{
		Images: f.images[:b.n], Labels: b.labels, Classes: f.classes, Keys: f.keys,
		Key:  f.seed.Str("batch").Uint(uint64(b.epoch)).Uint(uint64(b.index)),
		Norm: f.norm, Clean: clean, Views: views,
	}
	f.mixing.Train(f.method, b.planes[:mixed], b.targets, &step)
	switch {
	case f.auxMethod != nil:
		f.auxViews(b, b.planes[mixed:], &step)
	case f.config.AugMax > 0:
		f.fillChains(b)
	}
	if f.extra != nil {
		return f.extra.fill(f, b, b.planes[mixed:])
	}
	if f.config.Stability > 0 {
		f.disturb(b, b.planes[mixed:])
	}
	return nil
}
