package train

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// outliers are the images of no class that Outlier Exposure (Hendrycks et al., ICLR 2019) adds to every batch. They
// are cropped, flipped and preprocessed like the others, and not augmented. As in the authors' code they are taken in the order
// of their data set, from a place that is drawn anew for every epoch; after the last comes the first.
type outliers struct {
	set      *dataset.Set
	seed     rng.Key
	first    int
	fetchers []*dataset.Fetcher
	images   []*raster.Image
	keys     []rng.Key
	mixing   mix.Batch
}

// readOutliers reads the data set.
func readOutliers(ctx context.Context, src data.Source, limit int64, workers int) (*outliers, error) {
	if src == nil {
		return nil, option.Errorf(ErrConfig, "{outliers}: a data set is named, and none was given")
	}
	set, err := dataset.Load(ctx, src, limit, workers)
	return &outliers{set: set}, err
}

// begin draws where an epoch begins.
func (o *outliers) begin(f *feed, epoch int) {
	o.seed = f.seed.Str("outliers")
	r := o.seed.Str("first").Uint(uint64(epoch)).Rand()
	o.first = r.IntN(o.set.Len())
	o.mixing.Workers = f.workers
	o.fetchers = o.fetchers[:0]
	g := f.config.geometry(epoch)
	for range f.workers {
		o.fetchers = append(o.fetchers, o.set.Fetcher(g, f.config.preprocess()))
	}
}

// fill writes the outliers of a batch to dst.
func (o *outliers) fill(f *feed, b *batch, dst []float32) error {
	n := f.config.OutlierBatch
	for len(o.images) < n {
		o.images = append(o.images, new(raster.Image))
	}
	o.keys = buffer.Resize(o.keys, n)
	err := parallel.Try(n, f.workers, func(worker, i int) error {
		at := (o.first + b.index*n + i) % o.set.Len()
		s, err := o.fetchers[worker].FetchUnlabeled(o.images[i], at, o.seed)
		if m := o.images[i]; err == nil && (m.W != f.w || m.H != f.h) {
			err = sizeError(&s, m.W, m.H, f.w, f.h)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("outliers: %w", err)
	}
	o.mixing.ApplyPlanes(mix.None{}, dst, o.images[:n], f.norm, o.keys)
	return nil
}
