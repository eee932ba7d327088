package feed

import (
	"context"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
)

// stream is what a loader knows of a source that can only be read from front to end: samples decoded and cropped, a
// little ahead.
type stream struct {
	raw     []data.Sample   // read together, and not yet decoded
	first   int             // place of the first of them in the source
	ready   []cropped       // in order
	refused []data.Rejected // since the last batch
	read    int             // samples of the source so far, refused ones among them
	end     error           // why no more is read: io.EOF, or what ends the run
}

// cropped is a sample of a stream after crop and flip.
type cropped struct {
	image *raster.Image
	about dataset.About
	index int
	err   error
}

// openStream checks the options against a source that can only be read from front to end.
func (l *Loader) openStream() error {
	o := &l.options
	var what string
	switch {
	case !o.InOrder:
		what = "a random order"
	case o.WorldSize > 1:
		what = fmt.Sprintf("a world size of %d", o.WorldSize)
	case o.Epochs > 1:
		what = "a second epoch"
	case o.Tail == Pad:
		what = "tail pad"
	default:
		l.stream = new(stream)
		return nil
	}
	return fmt.Errorf("%w: %s: in its order, once, by one process; %s needs files or shards", data.ErrUnsupported, l.info.FrontToEnd(), what)
}

// startStream reads the first samples and goes to the position where the stream begins. Behind its only epoch there is nothing: a run
// that was stopped there has ended.
func (l *Loader) startStream(ctx context.Context) error {
	l.prepareWorkers()
	l.began = true
	if err := l.ahead(ctx); err != nil {
		return err
	}
	if !l.streamHas() {
		return fmt.Errorf("%w: %d samples make no batch of %d", data.ErrFormat, len(l.stream.ready), l.options.Batch)
	}
	if l.options.From.Epoch > 0 {
		*l.stream = stream{end: io.EOF}
		return nil
	}
	for skipped := 0; skipped < l.options.From.Samples && l.streamHas(); skipped += l.options.Batch {
		l.use(min(l.options.Batch, len(l.stream.ready)))
		l.stream.refused = nil // the run before has told of them
		if err := l.ahead(ctx); err != nil {
			return err
		}
	}
	return nil
}

// streamHas reports whether there is another batch.
func (l *Loader) streamHas() bool {
	n := len(l.stream.ready)
	return n >= l.options.Batch || n > 0 && l.options.Tail == Short
}

// ahead reads samples until a batch is ready, or the end. What comes before a sample that ends the run is ready first; a call
// after an error of ctx goes on where that one stopped.
func (l *Loader) ahead(ctx context.Context) error {
	s := l.stream
	for len(s.ready) < l.options.Batch {
		if len(s.raw) == 0 {
			if s.end == io.EOF {
				return nil
			}
			if s.end != nil {
				return s.end
			}
			s.end = l.readSome()
		}
		got := make([]cropped, len(s.raw))
		err := parallel.Try(len(got), len(l.workers), func(worker, i int) error {
			got[i] = l.workers[worker].crop(&s.raw[i], s.first+i, l)
			return context.Cause(ctx)
		})
		if err != nil {
			return err
		}
		for i := range got {
			if err := l.accept(&got[i]); err != nil {
				s.end = err
				break
			}
		}
		s.raw = s.raw[:0]
	}
	return nil
}

// readSome reads up to a batch of samples that follow each other, as they lie in the source. The error, which may come with some, is
// why there are no more.
func (l *Loader) readSome() error {
	s := l.stream
	if s.raw == nil {
		s.raw = make([]data.Sample, l.options.Batch)
	}
	s.raw = s.raw[:cap(s.raw)]
	n := 0
	var err error
	for ; n < len(s.raw) && err == nil; n++ {
		err = l.source.Next(&s.raw[n])
	}
	if err != nil {
		n--
	}
	s.raw, s.first = s.raw[:n], s.read
	s.read += n
	if err == io.EOF || err == nil {
		return err
	}
	s.read++
	return l.refuse(s.read-1, err)
}

// refuse notes a refused sample of a stream, or returns why the run ends.
func (l *Loader) refuse(i int, err error) error {
	if !l.options.Skip || !refusable(err) {
		return err
	}
	l.stream.refused = append(l.stream.refused, data.Reject(i, new(data.Sample), err))
	return nil
}

// crop decodes and crops a sample of a stream.
func (w *worker) crop(m *data.Sample, index int, l *Loader) cropped {
	c := cropped{index: index, image: new(raster.Image)}
	var src *raster.Image
	if src, c.about, c.err = w.fetcher.Decode(m, l.seed); c.err == nil {
		c.err = w.fetcher.Transform(c.image, src, &c.about)
	}
	return c
}

// accept puts a sample into the queue, unless it is refused. The first one says the size of all.
func (l *Loader) accept(c *cropped) error {
	if c.err == nil {
		c.err = l.checkLabel(c.about.Name, c.about.Key, c.about.Label)
	}
	if c.err == nil && l.w == 0 {
		if l.options.variants() == nil {
			l.w, l.h = c.image.W, c.image.H
		} else {
			c.err = l.findForms(c.image, &c.about)
		}
	}
	if c.err == nil {
		w, h := l.outputSize(c.image)
		c.err = l.checkSize(w, h, &c.about)
	}
	if c.err != nil {
		return l.refuse(c.index, c.err)
	}
	l.stream.ready = append(l.stream.ready, *c)
	return nil
}

// use removes the first n samples from the queue.
func (l *Loader) use(n int) {
	s := l.stream
	s.ready = s.ready[:copy(s.ready, s.ready[n:])]
}

// nextOfStream is Next of a stream.
func (l *Loader) nextOfStream(ctx context.Context, slot []byte) (*Batch, error) {
	if err := l.ahead(ctx); err != nil {
		return nil, err
	}
	if !l.streamHas() {
		return nil, io.EOF
	}
	s := l.stream
	b := &Batch{Index: l.at.Samples / l.options.Batch}
	l.picked = l.picked[:0]
	for _, c := range s.ready[:min(len(s.ready), l.options.Batch)] {
		l.picked = append(l.picked, pick{index: c.index})
	}
	if err := l.fill(ctx, slot, b); err != nil {
		return nil, err
	}
	l.use(b.N)
	b.Refused, s.refused = s.refused, nil
	l.at.Samples += b.N
	b.After = l.at
	err := l.ahead(ctx) // an error is the next call's: this batch is made
	if b.Last = err == nil && !l.streamHas(); b.Last {
		b.After = Position{Epoch: 1}
	}
	return b, nil
}
