package generate

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Task is what a [Job] does: [Images], [SoftImages], [Variants] or [Mirror].
type Task interface {
	// open opens the sink, anew when state is nil. out is where the job's output lies.
	open(out Output, state []byte) (sink, error)
	// worker returns what makes the images, for one goroutine.
	worker() worker
	// images returns how many images of a sample a cell keeps.
	images() int
}

// sink is where what was made of samples goes.
type sink interface {
	// put writes what c holds and returns how many images that are.
	put(c *cell) (images int, err error)
	// encoder returns what workers encode images with, nil if the sink takes them as they are.
	encoder() encoder
	Checkpoint() (state []byte, err error)
	// finished returns the files that got their final names since it was called last.
	finished() []data.FileSum
	Close() error
	Abort() error
}

// encoder appends an image as a sink keeps it.
type encoder func(dst []byte, m *raster.Image) ([]byte, error)

// worker makes the images of samples.
type worker interface {
	// make decodes the sample of c and makes its images. An error rejects the sample.
	make(ctx context.Context, c *cell, key rng.Key, encode encoder) error
}

// Images is the task of making one data set: an image of each sample, or one for each view.
type Images struct {
	// Open opens the sink, anew when state is nil, otherwise where the Checkpoint that returned state left it. Anew is not in an empty
	// folder: a run has looked that nothing else lies there, and then its own state and records do, and what a crash may have left. A
	// sink that asks for an empty folder, as those of data/formats do, needs SinkOptions.Overwrite.
	Open func(state []byte) (data.Sink, error)
	// Transform returns what makes the images, for one worker.
	Transform func() transform.Transform
	// Views are what the output keys of a sample end in: one image each. Nil means one image under the sample's key. A sink
	// that is a data.ViewSink gets all of them together, under the sample's key.
	Views []string
}

func (t Images) open(_ Output, state []byte) (sink, error) {
	s, err := t.Open(state)
	if err != nil {
		return nil, err
	}
	return &imageSink{Sink: s, views: views(t.Views)}, nil
}

func (t Images) worker() worker { return &imageWorker{transform: t.Transform()} }

func (t Images) images() int { return len(views(t.Views)) }

func views(suffixes []string) []string {
	if len(suffixes) == 0 {
		return []string{""}
	}
	return suffixes
}

// imageSink is a sink of images by themselves.
type imageSink struct {
	data.Sink
	views []string
	items []data.Item // of the sample at hand, for a data.ViewSink
}

func (s *imageSink) encoder() encoder {
	if f, ok := s.Sink.(data.FileSink); ok {
		return f.Encoding().Append
	}
	return nil
}

func (s *imageSink) finished() []data.FileSum { return finished(s.Sink) }

// finished asks a sink that gives names before Close.
func finished(s any) []data.FileSum {
	if f, ok := s.(data.Finisher); ok {
		return f.Finished()
	}
	return nil
}

func (s *imageSink) put(c *cell) (int, error) { return s.putSoft(c, nil) }

// putSoft is put with the soft labels of the views, dense, where targets is not nil.
func (s *imageSink) putSoft(c *cell, targets [][]float32) (int, error) {
	item := func(v int, key string) data.Item {
		it := data.Item{Key: key, Label: c.sample.Label, Image: c.views[v], File: c.files[v], Multi: c.sample.Multi}
		if c.sample.Form == data.Channels {
			it.Channels = c.sample.C
		}
		if targets != nil {
			it.Target = targets[v]
		}
		return it
	}
	if _, ok := s.Sink.(data.ChannelSink); !ok && c.sample.Form == data.Channels {
		return 0, fmt.Errorf("%w: %s: %d channels that are images of their own (allowed: npy, npz)", ErrOption, c.sample.Name, c.sample.C)
	}
	if together, ok := s.Sink.(data.ViewSink); ok && len(s.views) > 1 {
		s.items = s.items[:0]
		for v := range s.views {
			s.items = append(s.items, item(v, c.sample.Key))
		}
		if err := together.PutViews(s.items); err != nil {
			return 0, fmt.Errorf("writing the views of %s: %w", c.sample.Name, err)
		}
		return len(s.views), nil
	}
	for v, suffix := range s.views {
		it := item(v, c.sample.Key+suffix)
		if err := s.Put(&it); err != nil {
			if v > 0 {
				err = ofSink(err) // the sink holds other views of the sample already
			}
			return 0, fmt.Errorf("writing %s of %s: %w", it.Key, c.sample.Name, err)
		}
	}
	return len(s.views), nil
}

// reject returns the error with which a sink rejects the sample of that key, and stays as it was before.
func reject(key string, err error) error { return (&data.Item{Key: key}).Reject(err) }

// ofSink makes of a sink's error about a sample one about the sink.
func ofSink(err error) error {
	if bad := (*data.SampleError)(nil); errors.As(err, &bad) {
		return bad.Err
	}
	return err
}

// inGray returns encode for what is made of the sample: in gray, by way of scratch, where it keeps that.
func inGray(encode encoder, s *data.Sample, scratch *raster.Image) encoder {
	if !s.KeepsGray() {
		return encode
	}
	return func(dst []byte, m *raster.Image) ([]byte, error) {
		scratch.SetLuma(m)
		return encode(dst, scratch)
	}
}

// imageWorker is the worker of Images.
type imageWorker struct {
	transform transform.Transform
	decoder   data.Decoder
	src       raster.Image
	alpha     alpha
	channel   data.Sample // of a sample of the form data.Channels
	plane     []byte      // what is made of it
}

func (w *imageWorker) make(ctx context.Context, c *cell, key rng.Key, encode encoder) error {
	defer w.decoder.Release(&w.src)
	if c.sample.Form == data.Channels {
		return w.makeChannels(ctx, c, key)
	}
	if err := w.alpha.read(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := w.transform.Apply(c.views, &w.src, key); err != nil {
		return err
	}
	return c.encode(w.alpha.with(encode))
}

// encode makes the views gray where the sample keeps that, and their files where the sink wants files.
func (c *cell) encode(encode encoder) (err error) {
	gray := c.sample.KeepsGray()
	for v, m := range c.views {
		if m.Gray = false; gray {
			m.SetLuma(m)
		}
		if encode == nil {
			continue
		}
		if c.files[v], err = encode(c.files[v][:0], m); err != nil {
			return err
		}
	}
	return nil
}
