package feed

import (
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// variants returns what the forms are of; nil for views.
func (o *Options) variants() []transform.Variant {
	switch {
	case o.Corruptions != nil:
		return o.Corruptions.Variants()
	case o.Perturbations != nil:
		return o.Perturbations.Variants()
	}
	return nil
}

// makeForms writes every form of an image to row i.
func (w *worker) makeForms(l *Loader, out *arrays, i int, src *raster.Image, s *dataset.About) error {
	form := 0 // Parts are added in the order of the forms
	w.parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) {
		if form == len(l.forms) {
			return nil, fmt.Errorf("%w: more than %d forms", data.ErrFormat, len(l.forms))
		}
		if m.W != l.w || m.H != l.h {
			return nil, sizeError(m.W, m.H, l.w, l.h)
		}
		if s.Gray {
			w.made.SetLuma(m)
			m = &w.made
		}
		w.plain(l, out.at(form, i), m)
		form++
		return dst, nil
	})
	err := transform.SetKey(w.forms, s.Key)
	if err == nil {
		err = transform.CheckMemory(w.forms, src.W, src.H)
	}
	if err == nil {
		err = w.forms.Apply(&w.parts, src, s.Stream)
	}
	if err == nil && form < len(l.forms) {
		err = fmt.Errorf("%w: %d forms, the first image has %d", data.ErrFormat, form, len(l.forms))
	}
	if err != nil {
		return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	return nil
}

// findForms makes the forms of one image, to see how many there are and of which size.
func (l *Loader) findForms(src *raster.Image, s *dataset.About) error {
	w := l.newWorker()
	w.parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return dst, nil })
	err := transform.CheckMemory(w.forms, src.W, src.H)
	if err == nil {
		err = w.forms.Apply(&w.parts, src, rng.Key{})
	}
	if err != nil {
		return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	variants := l.options.variants()
	for _, p := range w.parts.All() {
		v := variants[p.Variant]
		l.forms = append(l.forms, Form{v.Name, v.Severity, p.Frame})
		l.w, l.h = p.W, p.H
	}
	l.options.Views = len(l.forms)
	return nil
}

// outputSize is the size of what is made of an image that is cropped as views are.
func (l *Loader) outputSize(m *raster.Image) (w, h int) {
	switch c, p := l.options.Corruptions, l.options.Perturbations; {
	case c != nil:
		return c.OutputSize(m.W, m.H)
	case p != nil:
		return p.OutputSize(m.W, m.H)
	}
	return m.W, m.H
}
