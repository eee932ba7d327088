package mix

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// EachView makes the images that [Batch.Views] makes and hands each to store, on the goroutine that made it: as planes,
// float32 [3, H, W] normalized by n, or, where n is nil, as an 8-bit image. Both are valid during the call only and must
// not be changed. Unlike those of Views, the images of a batch may differ in size.
func (b *Batch) EachView(
	a Augmentation, srcs []*raster.Image, n *Normalization, keys []rng.Key, clean, views int,
	store func(view, i int, m *raster.Image, planes []float32),
) {
	b.mustCount(len(srcs), len(keys), clean, views)
	mustCheck(a)
	stages := stagesOf(a)
	b.each(views*len(srcs), func(j int, s *Scratch) {
		view, i := j/len(srcs), j%len(srcs)
		f := s.begin(srcs[i])
		rest := s.prepare(&f, stages, keys[i], view, views, &s.rand)
		if view < clean {
			rest = nil
		}
		if n == nil {
			m := s.viewImage(&f, rest)
			if b.gray(i) {
				s.view.SetLuma(m)
				m = &s.view
			}
			store(view, i, m, nil)
			return
		}
		s.viewPlanes = buffer.Resize(s.viewPlanes, 3*f.w*f.h)
		s.viewTo(s.viewPlanes, &f, rest, n)
		b.luma(s.viewPlanes, i, n)
		store(view, i, nil, s.viewPlanes)
	})
}

// viewTo applies stages to a view and writes it to out, normalized.
func (s *Scratch) viewTo(out []float32, f *flow, stages []stage, n *Normalization) {
	if len(stages) == 1 {
		stages[0].one.ApplyPlanes(out, f.img, n, &s.rand, s)
		return
	}
	f.run(stages, n, &s.rand, s)
	f.toPlanes(out, n, s)
}

// viewImage applies stages to a view and returns it in 8 bits.
func (s *Scratch) viewImage(f *flow, stages []stage) *raster.Image {
	f.run(stages, nil, &s.rand, s)
	if f.planes == nil {
		return f.img
	}
	f.toImage(&s.view, s)
	return &s.view
}
