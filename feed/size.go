package feed

import (
	"fmt"

	"github.com/augmix-go/augmix/data"
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
	l.prepareWorkers()
	var err error
	for i := range l.samples {
		if err = l.measure(l.workers[0], i); err == nil || !l.options.Skip || !refusable(err) {
			return err
		}
	}
	return fmt.Errorf("%w: no image that can be read: %w", data.ErrFormat, err)
}

// measure takes the size of sample i.
func (l *Loader) measure(w *worker, i int) error {
	src, s, err := w.fetcher.Image(i, rng.Key{})
	if err != nil {
		return err
	}
	if w.forms != nil {
		return l.findForms(src, &s)
	}
	var m raster.Image
	if err := w.fetcher.Transform(&m, src, &s); err != nil {
		return err
	}
	l.w, l.h = m.W, m.H
	return nil
}
