package feed

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// mostTries is how many samples are tried in the place of one that cannot be read.
const mostTries = 16

// fill makes a batch of the samples that were picked.
func (l *Loader) fill(ctx context.Context, slot []byte, b *Batch) error {
	out := l.arrays(slot, len(l.picked))
	b.N = len(l.picked)
	for len(l.images) < b.N {
		l.images = append(l.images, new(raster.Image))
		l.refused = append(l.refused, nil)
	}
	l.keys, l.mixing.Gray = buffer.Resize(l.keys, b.N), buffer.Resize(l.mixing.Gray, b.N)
	err := parallel.Try(b.N, l.options.Workers, func(worker, i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return l.sample(l.workers[worker], out, i, b.Epoch)
	})
	if err != nil {
		return err
	}
	b.Refused = nil
	for _, list := range l.refused[:b.N] {
		b.Refused = append(b.Refused, list...)
	}
	l.mixAll(out)
	return nil
}

// arrays are the arrays of a batch in its slot.
type arrays struct {
	n                     int
	image                 int // bytes of one
	images, labels, index []byte
	targets               []byte
}

func (l *Loader) arrays(slot []byte, n int) *arrays {
	return l.slot.arrays(slot, n, 3*l.w*l.h*l.options.DType.size())
}

func (s *Slot) arrays(slot []byte, n, image int) *arrays {
	return &arrays{
		n: n, image: image, images: s.field("images", slot, n), labels: s.field("labels", slot, n),
		index: s.field("index", slot, n), targets: s.field("targets", slot, n),
	}
}

// at is where view v of sample i lies.
func (a *arrays) at(v, i int) []byte {
	j := v*a.n + i
	return a.images[j*a.image : (j+1)*a.image : (j+1)*a.image]
}

// floats shows memory as float32.
func floats(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

func putInt(b []byte, i, v int) {
	*(*int64)(unsafe.Pointer(&b[8*i])) = int64(v)
}

// sample makes row i of a batch: all of it where every image is made by itself, else what [Loader.mixAll] starts from. With
// Skip another sample stands in for one that is refused.
func (l *Loader) sample(w *worker, out *arrays, i, epoch int) error {
	p := l.picked[i]
	l.refused[i] = l.refused[i][:0]
	if l.stream != nil {
		return l.makeStreamed(w, out, i)
	}
	other := l.seed.Str("replace").Uint(uint64(epoch)).Uint(uint64(p.index)).Rand()
	for {
		err := l.make(w, out, i, epoch, p)
		if err == nil || !l.options.Skip || !refusable(err) {
			return err
		}
		l.refused[i] = append(l.refused[i], data.Reject(p.index, new(data.Sample), err))
		if len(l.refused[i]) == mostTries {
			return fmt.Errorf("%d samples in a row cannot be read, the last: %w", mostTries, err)
		}
		p.index = other.IntN(l.samples)
	}
}

// make makes row i of sample p. An error that is a *data.SampleError refuses the sample.
func (l *Loader) make(w *worker, out *arrays, i, epoch int, p pick) error {
	src, s, err := w.fetcher.Image(p.index, l.seed)
	if err == nil {
		err = l.checkLabel(s.Name, s.Key, s.Label)
	}
	if err != nil {
		return err
	}
	switch {
	case w.forms != nil:
		err = w.makeForms(l, out, i, src, &s)
	case l.soft():
		err = w.makeSoft(l, out, i, epoch, src, &s)
	default:
		err = w.cut(l, l.images[i], src, &s)
	}
	l.describe(out, i, epoch, p, &s)
	return err
}

// makeStreamed makes row i of a stream, whose crop is there already.
func (l *Loader) makeStreamed(w *worker, out *arrays, i int) error {
	c := &l.stream.ready[i]
	l.describe(out, i, 0, l.picked[i], &c.about)
	if w.forms != nil {
		return w.makeForms(l, out, i, c.image, &c.about)
	}
	l.images[i] = c.image
	return nil
}

// describe writes what is known of the sample of row i.
func (l *Loader) describe(out *arrays, i, epoch int, p pick, s *dataset.About) {
	l.keys[i] = transform.EpochKey(s.Stream, epoch)
	if l.options.Views == 1 { // of several, mix.Batch takes each view's key
		l.keys[i] = transform.ViewKey(l.keys[i], 1)
	}
	l.mixing.Gray[i] = s.Gray
	index := p.index
	if p.filler {
		index = -1
	}
	putInt(out.labels, i, s.Label)
	putInt(out.index, i, index)
}

// checkLabel returns an error where a label is none of the classes, or missing where labels are mixed.
func (l *Loader) checkLabel(name, key string, label int) error {
	classes := max(l.classes, len(l.info.Classes))
	var err error
	switch {
	case label == data.NoLabel && l.soft():
		err = fmt.Errorf("%w: no label, and mix %s mixes labels", data.ErrLabel, l.options.Mix)
	case label < data.NoLabel || classes > 0 && label >= classes:
		err = fmt.Errorf("%w %d (allowed: 0 to %d)", data.ErrLabel, label, classes-1)
	default:
		return nil
	}
	return &data.SampleError{Name: name, Key: key, Err: err}
}

// mixAll makes the views of a batch of crops, where no partner is needed.
func (l *Loader) mixAll(out *arrays) {
	if l.soft() || l.forms != nil {
		return
	}
	method, err := l.options.Mix.Augmentation()
	if err != nil {
		panic("feed: " + err.Error()) // it needs a partner
	}
	l.options.write(out, &l.mixing, method, l.images[:out.n], l.keys[:out.n])
}

// write writes the views of a batch of images.
func (o *Options) write(out *arrays, by *mix.Batch, method mix.Augmentation, images []*raster.Image, keys []rng.Key) {
	clean := min(o.Views-1, 1)
	if o.DType == Float32 && o.Layout == NCHW {
		by.Views(method, floats(out.images), images, o.Norm, keys, clean, o.Views)
		return
	}
	var norm *mix.Normalization
	if o.DType != Uint8 {
		norm = o.Norm
	}
	by.EachView(method, images, norm, keys, clean, o.Views, func(view, i int, m *raster.Image, planes []float32) {
		o.store(out.at(view, i), m, planes)
	})
}
