package eval

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// part is one image on its way to the model.
type part struct {
	key     string
	name    string // of the image, for people
	label   int
	variant int // as in transform.Part
	frame   int
	row     int // number of the sample in its source, from 0
}

// stream sends images to the model in batches and gives the logits back in order.
type stream struct {
	p       Predictor
	h, w    int
	norm    mix.Normalization
	deliver func(t *part, logits []float32) error
	// alter changes images before the model sees them: x is [len(parts), 3, H, W] in [0, 1]. nil leaves them.
	alter func(x []float32, parts []part) error
	// corrupts says that what alter changes is an image's corruption, which comes before the preprocessing.
	corrupts bool
	// preprocess is what images go through first; nil leaves them.
	preprocess preprocess.Method
	prepared   []*raster.Image
	scratches  []preprocess.Scratch
	// stamp completes what is known of an image as it comes; nil: all is known.
	stamp func(t *part) error
	// wanted says which images are to be sent; nil: all.
	wanted func(t *part) bool
	// answered is told by a Remote's stream that the images of a batch were delivered, the last one or not; nil: nobody listens.
	answered func(last bool) error
	// seen is told of every image as it comes, before it is preprocessed or cut; nil: nobody looks.
	seen func(t *part, m *raster.Image)

	views  int             // that the model sees of each image: 1, or its ten crops
	batch  int             // the most views that are sent at once
	images []*raster.Image // of the queue, views of an image one after the other
	parts  []part
	n      int // images in the queue
	planes []float32
	logits []float32
	mean   []float32 // over the views of an image
	t      float32   // temperature that the mean is divided by; 0: none
	keys   []rng.Key
	mixing mix.Batch

	away *away // the way to a model in another program, instead of what is above; nil: the model is here
	next part  // the image that comes
	bad  error // of the normalization, which only images ask for
}

// batchLimit is the largest batch that is sent to a model: enough to fill the cores, little enough to stay in caches.
const batchLimit = 256

// stream returns a stream to the model.
func (e *Evaluator) stream(deliver func(t *part, logits []float32) error) *stream {
	return e.streamOf(batchLimit, deliver)
}

// streamOf returns a stream to the model for batches of at most limit images.
func (e *Evaluator) streamOf(limit int, deliver func(t *part, logits []float32) error) *stream {
	p, workers := e.Predictor, e.Workers
	s := &stream{p: p, deliver: deliver, preprocess: e.Preprocess, views: 1}
	s.h, s.w, s.norm = p.Input()
	s.bad = s.norm.Check()
	if e.TenCrop {
		s.views, s.mean = tenCrops, make([]float32, p.Classes())
		if by, ok := p.(*scaled); ok { // its temperature was fitted on the average, and not on crops
			s.p, s.t = by.Predictor, by.t
		}
	}
	if to, ok := p.(Remote); ok { // which normalizes
		s.bad = nil
		s.away, s.batch = &away{to: to}, max(p.MaxBatch(), 1)
		return s
	}
	s.batch = max(min(p.MaxBatch(), batchLimit), 1)
	images := max(min(s.batch/s.views, limit), 1)
	n := images * s.views
	for range n {
		s.images = append(s.images, new(raster.Image))
	}
	s.parts, s.keys = make([]part, images), make([]rng.Key, n)
	s.planes, s.logits = make([]float32, n*3*s.h*s.w), make([]float32, n*p.Classes())
	s.mixing.Workers = workers
	if s.preprocess != nil {
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		s.scratches = make([]preprocess.Scratch, workers)
		for range n {
			s.prepared = append(s.prepared, new(raster.Image))
		}
	}
	return s
}

// add queues an image, whose pixels are copied.
func (s *stream) add(t part, m *raster.Image) error {
	if err := s.check(t.key, m); err != nil {
		return err
	}
	s.next = t
	if s.stamp != nil {
		if err := s.stamp(&s.next); err != nil {
			return err
		}
	}
	if s.wanted != nil && !s.wanted(&s.next) {
		return nil
	}
	if s.seen != nil {
		s.seen(&s.next, m)
	}
	if s.away != nil {
		return s.away.put(s, &s.next, m)
	}
	if s.views == tenCrops {
		cutTen(s.images[s.n*tenCrops:][:tenCrops], m, s.w, s.h)
	} else {
		s.images[s.n].CopyFrom(m)
	}
	s.parts[s.n] = s.next
	if s.n++; s.n == len(s.parts) {
		return s.flush()
	}
	return nil
}

// check returns an error for an image of a size that the model does not take.
func (s *stream) check(key string, m *raster.Image) error {
	if s.bad != nil {
		return fmt.Errorf("%w: %w", ErrModel, s.bad)
	}
	if s.views == tenCrops {
		return checkTen(key, m.W, m.H, s.w, s.h)
	}
	if m.W != s.w || m.H != s.h {
		return &SizeError{Image: key, W: m.W, H: m.H, ModelW: s.w, ModelH: s.h}
	}
	return nil
}

// flush sends what is queued.
func (s *stream) flush() error {
	if s.away != nil {
		return s.away.flush(s)
	}
	images, c := s.n, s.p.Classes()
	if s.n = 0; images == 0 {
		return nil
	}
	n, size := images*s.views, 3*s.h*s.w
	if !s.altersFirst() {
		s.prepare(n)
	}
	planes := s.planes[:n*size]
	if err := s.load(planes, images); err != nil {
		return err
	}
	for at := 0; at < n; at += s.batch {
		m := min(s.batch, n-at)
		if err := s.p.Predict(s.logits[at*c:][:m*c], planes[at*size:][:m*size], m); err != nil {
			return err
		}
	}
	for i := range images {
		logits := s.logits[i*s.views*c:][:s.views*c]
		if s.views > 1 {
			logMeanSoftmax(s.mean, logits)
			logits = s.mean
			if s.t != 0 {
				metrics.ScaleLogits(logits, logits, float64(s.t))
			}
		}
		if err := s.deliver(&s.parts[i], logits); err != nil {
			return err
		}
	}
	return nil
}

// prepare preprocesses what is queued, n views, on the workers.
func (s *stream) prepare(n int) {
	if s.preprocess == nil {
		return
	}
	parallel.Do(n, len(s.scratches), func(worker, i int) {
		s.preprocess.Apply(s.prepared[i], s.images[i], &s.scratches[worker])
	})
	s.images, s.prepared = s.prepared, s.images
}

// load writes the views of the queued images as the model takes them.
func (s *stream) load(planes []float32, images int) error {
	n := images * s.views
	if s.alter == nil {
		s.mixing.ApplyPlanes(mix.None{}, planes, s.images[:n], &s.norm, s.keys[:n])
		return nil
	}
	if s.views > 1 {
		return fmt.Errorf("%w: ten crops of images that an attack or a Fourier function changes", ErrOption)
	}
	s.mixing.ApplyPlanes(mix.None{}, planes, s.images[:n], &mix.Unit, s.keys[:n])
	if err := s.alter(planes, s.parts[:n]); err != nil {
		return err
	}
	if s.altersFirst() {
		each := 3 * s.h * s.w
		for i := range n {
			quantize(s.images[i], planes[i*each:][:each], s.w, s.h)
		}
		s.prepare(n)
		s.mixing.ApplyPlanes(mix.None{}, planes, s.images[:n], &s.norm, s.keys[:n])
		return nil
	}
	normalize(planes, planes, s.h*s.w, &s.norm)
	return nil
}

// altersFirst reports whether images are changed before they are preprocessed.
func (s *stream) altersFirst() bool { return s.alter != nil && s.corrupts && s.preprocess != nil }

// quantize makes an image of 8 bits of its planes x in [0, 1], as preprocessing takes it.
func quantize(m *raster.Image, x []float32, w, h int) {
	m.Reset(w, h)
	size := w * h
	for i := range size {
		for c := range 3 {
			m.Pix[4*i+c] = uint8(float32(min(max(x[c*size+i], 0), 1)*255) + 0.5)
		}
		m.Pix[4*i+3] = 255
	}
}

// normalize writes the normalized values of planes of the given size, three an image, in [0, 1]. dst may be x.
func normalize(dst, x []float32, size int, norm *mix.Normalization) {
	for at := 0; at < len(x); at += size {
		c := at / size % 3
		mean, scale := norm.Mean[c], 1/norm.Std[c]
		for i, v := range x[at:][:size] {
			dst[at+i] = (v - mean) * scale
		}
	}
}

// sink is the stream as the end of a run of package generate.
type sink struct {
	s    *stream
	jpeg data.Encoding // images pass through this encoding where it is JPEG
	rows int
	view raster.Image
}

// AppendPart implements [generate.PartSink]: it keeps the four bytes of each pixel.
func (k *sink) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	if !k.jpeg.JPEG {
		return append(dst, m.Pix...), nil
	}
	file, err := k.jpeg.Append(nil, m)
	if err != nil {
		return nil, err
	}
	var back raster.Image
	if err := (&data.Sample{Name: "its JPEG form", Data: file}).Decode(&back); err != nil {
		return nil, err
	}
	return append(dst, back.Pix...), nil
}

// PutParts implements [generate.PartSink].
func (k *sink) PutParts(s *data.Sample, parts []transform.Part) error {
	for _, p := range parts {
		k.view = raster.Image{Pix: p.Data, W: p.W, H: p.H}
		if err := k.s.add(part{key: s.Key, name: s.Name, label: s.Label, variant: p.Variant, frame: p.Frame, row: k.rows},
			&k.view); err != nil {
			return &streamError{err}
		}
	}
	k.rows++
	return nil
}

// streamError is an error of the stream, which names the image that it is of, if it is of one. Package generate adds the one at which it
// came, which is only the last of a batch.
type streamError struct{ error }

func (e *streamError) Unwrap() error { return e.error }

// Checkpoint implements [generate.PartSink].
func (k *sink) Checkpoint() ([]byte, error) { return nil, nil }

// Close implements [generate.PartSink].
func (k *sink) Close() error { return k.s.flush() }

// Abort implements [generate.PartSink].
func (k *sink) Abort() error { return nil }

// job is one pass over a source.
type job struct {
	source   data.Source
	expander func() transform.MultiTransform
	jpeg     data.Encoding
	seed     uint64
	workers  int
	report   func(done, total int)
	first    int // row of the source's first image
}

// run sends everything that the expander makes of the source's images through the stream. A source without images is an
// error that wraps [ErrNothing].
func (j *job) run(ctx context.Context, s *stream) (rows int, err error) {
	k := &sink{s: s, jpeg: j.jpeg, rows: j.first}
	_, err = generate.Run(ctx, generate.Job{
		Source: j.source, Seed: j.seed, Workers: j.workers,
		Task: generate.Variants{
			Transform: j.expander,
			Open:      func([]byte) (generate.PartSink, error) { return k, nil },
		},
		Report: func(at generate.Progress) {
			if j.report != nil {
				j.report(at.Done, at.Total)
			}
		},
	})
	if errors.Is(err, generate.ErrEmpty) {
		err = ErrNothing // the other speaks of what is written
	}
	if own := (*streamError)(nil); errors.As(err, &own) {
		err = own.error
	}
	if size := (*SizeError)(nil); errors.As(err, &size) {
		err = size // it names the image
	}
	if far := (*awayError)(nil); errors.As(err, &far) {
		err = far.error
	}
	return k.rows, err
}

// Prepare is what is done to every image before the model or a corruption sees it.
type Prepare struct {
	Size   int            // resize the shorter side to this many pixels; 0 keeps the size
	Filter augment.Filter // of that resize; published is augment.Bilinear, the zero value is augment.Box
	Crop   int            // then cut the middle of this side; 0 cuts nothing
	// Whole is a size of images that are taken as they are: those of a corrupted form on disk were prepared before they were
	// corrupted, where they have the model's size and the clean ones have not. The zero Point is no size.
	Whole image.Point
}

// plain is the MultiTransform that prepares images and leaves them clean.
type plain struct {
	maker transform.Transform
	whole image.Point
	dst   raster.Image
	one   [1]*raster.Image
}

func (p Prepare) expander() transform.MultiTransform {
	e := &plain{maker: transform.Prepared(p.Size, p.Filter, p.Crop).Transform(), whole: p.Whole}
	e.one[0] = &e.dst
	return e
}

// Apply implements [transform.MultiTransform].
func (e *plain) Apply(dst *transform.Parts, src *raster.Image, key rng.Key) error {
	if src.W == e.whole.X && src.H == e.whole.Y {
		return dst.Add(0, 0, src)
	}
	if err := e.maker.Apply(e.one[:], src, key); err != nil {
		return err
	}
	return dst.Add(0, 0, &e.dst)
}
