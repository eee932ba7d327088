package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Files of soft labels. [TargetsName] is in every output: OUT/targets.jsonl, or STEM_targets.jsonl beside an output that is
// one file. An output that is one file, an array, has them as an array too, STEM_targets.npy: float32 [images, classes], its
// rows in the order of the images. A sink that keeps soft labels with the images, such as a WebDataset, gets them there.
//
// The first has one line for each image, in the order in which they were written:
//
//	{"key":"cat/0001","target":[{"class":0,"weight":0.7},{"class":2,"weight":0.3}]}
//
// Weights sum to 1. The image's own label, which the data set itself keeps, comes first, unless nothing is left of it; a
// sample whose own label or partner's is missing has an empty target, and zeros in an array.
const (
	TargetsName      = "targets.jsonl"
	TargetsArrayName = "targets.npy"
)

// SoftImages is the task of [Images] where labels are mixed too: soft labels are written to [TargetsName] beside the
// images. An Output that is a file must have both names in Beside; a stream cannot hold them.
type SoftImages struct {
	Open      func(state []byte) (data.Sink, error) // as in Images
	Transform func() transform.SoftTransform        // returns what makes images and labels, for one worker
	Views     []string                              // as in Images
	// Classes is the number of classes, 0 where it is not known: an array of soft labels has as many columns as the greatest
	// class asks for then, and a sink gets none.
	Classes int
}

// PipelineTask returns the task that makes the images of p: [SoftImages] where its Mix takes partners, which p.Source has then,
// otherwise [Images]. classes is the number of classes, 0 where it is not known; open is as in Images. It panics if p is nil.
func PipelineTask(p *transform.Pipeline, classes int, open func(state []byte) (data.Sink, error)) Task {
	if p == nil {
		panic("generate: PipelineTask of a nil Pipeline")
	}
	if p.Mix != nil && p.Mix.NeedsPartner() {
		return SoftImages{Transform: p.SoftTransform, Views: p.Suffixes(), Open: open, Classes: classes}
	}
	return Images{Transform: p.Transform, Views: p.Suffixes(), Open: open}
}

func (t SoftImages) worker() worker { return &softWorker{transform: t.Transform()} }

func (t SoftImages) images() int { return len(views(t.Views)) }

// softWorker is the worker of SoftImages.
type softWorker struct {
	transform transform.SoftTransform
	decoder   data.Decoder
	src       raster.Image
	alpha     alpha
}

func (w *softWorker) make(ctx context.Context, c *cell, key rng.Key, encode encoder) error {
	defer w.decoder.Release(&w.src)
	if err := w.alpha.read(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := w.transform.ApplySoft(c.views, c.targets, &w.src, c.sample.Label, key); err != nil {
		return err
	}
	return c.encode(w.alpha.with(encode))
}

// targetsPath is where the soft labels of the output at p lie.
func targetsPath(p Output) string {
	if p.File {
		return p.own(TargetsName)
	}
	return filepath.Join(p.Path, TargetsName)
}

// SoftLabels returns the file of the soft labels of the data set at path, "" where it has none, as an output of [SoftImages] does. No
// reader of data sets takes them: the label of an image is the one that it had before it was mixed.
func SoftLabels(path string) string {
	st, err := storage.Stat(path)
	if err != nil { // a pipe, a pattern of tar files
		return ""
	}
	if name := targetsPath(Output{Path: path, File: !st.IsDir()}); exists(name) {
		return name
	}
	return ""
}

// softSink is a Sink with soft labels beside it.
type softSink struct {
	imageSink
	file    *data.PartialFile // nil where it has its name already
	line    []byte
	path    string      // of the file
	array   string      // path of the array, "" for none
	classes int         // 0: not known
	dense   [][]float32 // of the sample at hand
}

const softFormat = "targets"

// softState is the state of both.
type softState struct {
	Size int64  `json:"size"` // of the soft labels
	CRC  uint32 `json:"crc"`  // CRC-32C of them
	Sink []byte `json:"sink"`
}

func (t SoftImages) open(out Output, state []byte) (sink, error) {
	if out.stream() {
		return nil, fmt.Errorf("%w: a stream cannot hold soft labels", ErrOption)
	}
	s := &softSink{imageSink: imageSink{views: views(t.Views)}, path: targetsPath(out), classes: t.Classes}
	if out.File {
		s.array = out.own(TargetsArrayName)
	}
	var st softState
	path := s.path
	var err error
	if state != nil {
		if err := data.DecodeState(state, softFormat, &st); err != nil {
			return nil, fmt.Errorf("cannot resume %s: %w", path, err)
		}
		if s.file, err = data.ResumePartial(path, st.Size); err == nil {
			if err := s.file.Verify(st.CRC); err != nil {
				return nil, errors.Join(err, s.closeFile())
			}
		}
		if done, err1 := os.Stat(path); errors.Is(err, fs.ErrNotExist) && err1 == nil && done.Size() == st.Size {
			err = nil // a run that ended while it completed the output had come so far
		}
	} else {
		st.Sink = nil
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			s.file, err = data.CreatePartial(path)
		}
	}
	if err != nil {
		return nil, err
	}
	if s.Sink, err = t.Open(st.Sink); err != nil {
		return nil, errors.Join(err, s.closeFile())
	}
	return s, nil
}

func (s *softSink) closeFile() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

func (s *softSink) put(c *cell) (int, error) {
	s.densify(c.targets)
	n, err := s.imageSink.putSoft(c, s.dense)
	if err != nil {
		return 0, err
	}
	for v, suffix := range s.views {
		if err := s.putTarget(c.sample.Key+suffix, c.targets[v]); err != nil {
			return 0, fmt.Errorf("writing the soft label of %s: %w", c.sample.Key+suffix, err)
		}
	}
	return n, nil
}

// putTarget writes the line of one image.
func (s *softSink) putTarget(key string, t mix.Target) (err error) {
	if s.line, err = appendTarget(s.line, key, t); err != nil || len(s.line) < 1<<16 {
		return err
	}
	return s.flush()
}

// appendTarget appends the line of one image.
func appendTarget(dst []byte, key string, t mix.Target) ([]byte, error) {
	if t == nil {
		t = mix.Target{}
	}
	line, err := json.Marshal(targetLine{key, t})
	if err != nil {
		return dst, err
	}
	return append(append(dst, line...), '\n'), nil
}

func (s *softSink) flush() error {
	if len(s.line) == 0 {
		return nil
	}
	if s.file == nil {
		return fmt.Errorf("%w: the soft labels have their name already", fs.ErrClosed)
	}
	_, err := s.file.Write(s.line)
	s.line = s.line[:0]
	return err
}

// Checkpoint makes the labels durable, then the images.
func (s *softSink) Checkpoint() ([]byte, error) {
	var st softState
	if s.file != nil {
		if err := errors.Join(s.flush(), s.file.Sync()); err != nil {
			return nil, err
		}
		st.Size, st.CRC = s.file.Size(), s.file.CRC()
	}
	var err error
	if st.Sink, err = s.Sink.Checkpoint(); err != nil {
		return nil, err
	}
	if st.Sink == nil {
		st.Sink = []byte{} // nil means a new sink
	}
	return data.EncodeState(softFormat, st)
}

// Close gives the labels their name before the images get theirs: the file of an output is the last to appear.
func (s *softSink) Close() error {
	if s.file != nil {
		if err := errors.Join(s.flush(), s.file.Commit()); err != nil {
			return errors.Join(err, s.Sink.Abort())
		}
	}
	if s.array != "" {
		if err := writeTargets(s.array, s.path, s.classes); err != nil {
			return errors.Join(err, s.Sink.Abort())
		}
	}
	return s.Sink.Close()
}

// Abort keeps what the last Checkpoint promised.
func (s *softSink) Abort() error { return errors.Join(s.closeFile(), s.Sink.Abort()) }
