package feed

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// findSize finds out the size of the images of a batch: the crop's, else that of the first image that can be read.
func (l *Loader) findSize() error {
	if crop := l.options.Crop; crop.Kind != transform.NoCrop {
		l.w, l.h = crop.N, crop.N
		return nil
	}
	set := l.set
	if set == nil {
		set = new(dataset.Set)
	}
	w := l.newWorker()
	if w.fetcher = set.Fetcher(nil, nil); w.forms == nil {
		w.fetcher = set.Fetcher(l.pipeline(0), nil)
	}
	var err error
	for i := range l.firstSamples() {
		if err = l.measure(w, i); err == nil || !l.options.Skip || !refusable(err) {
			return err
		}
	}
	return fmt.Errorf("%w: no image that can be read: %w", data.ErrFormat, err)
}

// firstSamples returns how many samples may be asked for their size.
func (l *Loader) firstSamples() int {
	if l.stream != nil {
		return len(l.stream.next)
	}
	return l.samples
}

// measure takes the size of sample i.
func (l *Loader) measure(w *worker, i int) error {
	var src *raster.Image
	var s dataset.About
	var err error
	if l.stream != nil {
		src, s, err = w.fetcher.Decode(&l.stream.next[i], rng.Key{})
	} else {
		src, s, err = w.fetcher.Image(i, rng.Key{})
	}
	if err != nil {
		return err
	}
	if w.forms != nil {
		if err := l.findForms(src); err != nil {
			return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
		}
		return nil
	}
	var m raster.Image
	if err := w.fetcher.Transform(&m, src, &s); err != nil {
		return err
	}
	l.w, l.h = m.W, m.H
	return nil
}

// openStream refuses.
func (l *Loader) openStream() error {
	return fmt.Errorf("%w: data of format %s can only be read from front to end; convert it to files or shards", data.ErrUnsupported, l.info.Format)
}

type stream struct{ batch, next []data.Sample }

func (l *Loader) nextOfStream(ctx context.Context, slot []byte) (*Batch, error) { return nil, nil }
