package feed

import (
	"errors"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// worker is the memory of one goroutine.
type worker struct {
	fetcher *dataset.Fetcher
	forms   transform.MultiTransform // nil: views
	parts   transform.Parts

	// Of methods that need partners.
	partners *dataset.Fetcher
	clean    raster.Image
	sample   mix.Sample
	target   mix.Target
	failed   error // why a partner could not be had, where that ends the run

	made    raster.Image // an image in 8 bits
	planes  []float32    // an image
	scratch mix.Scratch
	rand    rng.Rand
}

// prepareWorkers makes the workers ready for an epoch.
func (l *Loader) prepareWorkers() {
	for len(l.workers) < min(l.options.Workers, l.options.Batch) {
		l.workers = append(l.workers, l.newWorker())
	}
	set := l.set
	if set == nil {
		set = new(dataset.Set)
	}
	for _, w := range l.workers {
		if w.forms != nil {
			w.fetcher = set.Fetcher(nil, nil)
			continue
		}
		g := l.pipeline(l.at.Epoch)
		w.fetcher = set.Fetcher(g, nil)
		if l.soft() {
			w.partners = set.Fetcher(nil, nil)
			w.sample.Partner = g.Partner(l.samples, func(i int) (*raster.Image, int, error) { return w.partner(l, i) })
		}
	}
}

func (l *Loader) newWorker() *worker {
	w := new(worker)
	switch {
	case l.options.Corruptions != nil:
		w.forms = l.options.Corruptions.Transform()
	case l.options.Perturbations != nil:
		w.forms = l.options.Perturbations.Transform()
	}
	return w
}

// cut makes the clean view.
func (w *worker) cut(l *Loader, dst, src *raster.Image, s *dataset.About) error {
	if err := w.fetcher.Transform(dst, src, s); err != nil {
		return err
	}
	return l.checkSize(dst.W, dst.H, s)
}

// checkSize refuses an image of another size than the others.
func (l *Loader) checkSize(w, h int, s *dataset.About) error {
	if w == l.w && h == l.h {
		return nil
	}
	return &data.SampleError{Name: s.Name, Key: s.Key, Err: sizeError(w, h, l.w, l.h)}
}

// partner reads sample i whole, as [transform.Pipeline.Partner] wants it.
func (w *worker) partner(l *Loader, i int) (*raster.Image, int, error) {
	m, s, err := w.partners.Image(i, rng.Key{})
	if err == nil {
		err = l.checkLabel(s.Name, s.Key, s.Label)
	}
	if err != nil && !refusable(err) {
		w.failed = err
	}
	return m, s.Label, err
}

// makeSoft makes the views of a sample whose mix needs partners, and its soft label, which is right for all of them.
func (w *worker) makeSoft(l *Loader, out *arrays, i, epoch int, src *raster.Image, s *dataset.About) error {
	if err := w.cut(l, &w.clean, src, s); err != nil {
		return err
	}
	key := transform.EpochKey(s.Stream, epoch)
	in := &w.sample
	in.Image, in.Label, in.Shared = &w.clean, s.Label, rng.Key{}
	if l.options.Views > 1 {
		in.Shared = transform.ViewKey(key, 1).Str("mix")
	}
	for v := range l.options.Views {
		if in.View = v; l.options.Views == 1 {
			in.View = 1
		}
		in.Key, in.Clean = transform.ViewKey(key, in.View).Str("mix"), in.View == 0
		if err := w.softView(l, out.at(v, i), s.Gray); err != nil {
			if w.failed != nil {
				return w.failed
			}
			var bad *data.SampleError
			if errors.As(err, &bad) {
				err = bad.Err // it is this sample that is refused
			}
			return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
		}
	}
	w.target.Dense(floats(out.targets)[i*l.classes:][:l.classes])
	return nil
}

// softView makes one view.
func (w *worker) softView(l *Loader, dst []byte, gray bool) (err error) {
	if l.options.DType == Uint8 {
		w.target, err = l.options.Mix.Apply(&w.made, &w.sample, w.target, &w.scratch)
		if err == nil && gray {
			w.made.SetLuma(&w.made)
		}
		if err == nil {
			l.options.store(dst, &w.made, nil)
		}
		return err
	}
	planes := floats(dst)
	if l.options.DType != Float32 || l.options.Layout != NCHW {
		planes = w.spare(l)
	}
	w.target, err = l.options.Mix.ApplyPlanes(planes, &w.sample, l.options.Norm, w.target, &w.scratch)
	if err == nil && gray {
		l.options.Norm.Luma(planes)
	}
	if err == nil && len(w.planes) > 0 && &planes[0] == &w.planes[0] {
		l.options.store(dst, nil, planes)
	}
	return err
}

// spare returns the planes of one image.
func (w *worker) spare(l *Loader) []float32 {
	if w.planes == nil {
		w.planes = make([]float32, 3*l.w*l.h)
	}
	return w.planes
}

// plain writes an image in 8 bits to dst.
func (w *worker) plain(l *Loader, dst []byte, m *raster.Image) {
	if l.options.DType == Uint8 {
		l.options.store(dst, m, nil)
		return
	}
	mix.None{}.ApplyPlanes(w.spare(l), m, l.options.Norm, &w.rand, &w.scratch)
	l.options.store(dst, nil, w.planes)
}
