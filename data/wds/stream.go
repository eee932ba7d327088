package wds

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Stream reads shards from front to end. It is no [data.Indexed] and does not know the number of samples.
//
// Two samples of one shard with the same key are rejected; between shards keys are not compared, so that a stream of any
// length takes the same memory.
type Stream struct {
	info   data.Info
	o      Options
	files  []string  // all shards
	shards []string  // those to come
	given  io.Reader // the only shard, of NewStream
	name   string

	f       io.Closer // of the current shard, nil between shards
	walk    *walker
	seen    *keySet
	group   group
	pending *entry // read ahead: the first of the next sample
	views   []view // of the last sample, those to come
	shard   string // which those views are in
	index   int
	err     error
}

// NewStream reads one shard from r, plain or compressed by gzip. name stands for it in messages.
func NewStream(r io.Reader, name string, o Options) *Stream {
	return &Stream{info: data.Info{Format: Name, Len: -1}, o: o, given: r, name: name}
}

func openStream(shards, classes []string, o Options) *Stream {
	return &Stream{info: data.Info{Format: Name, Classes: classes, Len: -1}, o: o, files: shards, shards: shards}
}

// Files returns the paths of the shards, nil where one was given as a reader.
func (s *Stream) Files() []string { return slices.Clone(s.files) }

// Info describes the data set; Len is -1.
func (s *Stream) Info() data.Info { return s.info }

// Next reads the next sample into t, or returns io.EOF. A sample without an image, or with a label that cannot be,
// gives a [*data.SampleError] that wraps [data.ErrFormat] or [data.ErrLabel].
func (s *Stream) Next(t *data.Sample) error {
	if s.err != nil {
		return s.err
	}
	if len(s.views) > 0 {
		return s.nextView(t)
	}
	if s.err = s.findSample(); s.err != nil {
		return s.err
	}
	err := s.sample(t)
	var one *data.SampleError
	if err != nil && !errors.As(err, &one) {
		s.err = err
	}
	return err
}

// findSample sets pending to the first entry of the next sample, in this shard or a later one.
func (s *Stream) findSample() error {
	for s.pending == nil {
		if s.walk == nil {
			if err := s.openShard(); err != nil {
				return err
			}
		}
		e, err := s.walk.next()
		switch {
		case err == nil:
			s.pending = &e
		case errors.Is(err, io.EOF):
			if err := s.closeShard(); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// openShard opens the next shard, or returns io.EOF.
func (s *Stream) openShard() error {
	r := s.given
	s.given = nil
	if r == nil {
		if len(s.shards) == 0 {
			return io.EOF
		}
		f, err := storage.Open(s.shards[0])
		if err != nil {
			return fmt.Errorf("cannot open the shard: %w", err)
		}
		s.f, r, s.name, s.shards = f, f, s.shards[0], s.shards[1:]
	}
	buffered := bufio.NewReaderSize(r, 1<<18)
	r = buffered
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		gz, err := gzip.NewReader(buffered)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", s.name, data.ErrFormat, err)
		}
		r = gz
	}
	s.walk = newWalker(s.name, &counter{r: r}, s.o)
	s.seen = newKeySet()
	return nil
}

func (s *Stream) closeShard() error {
	s.walk = nil
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	s.f = nil
	return err
}

// sample reads the entries of the sample that pending begins.
func (s *Stream) sample(t *data.Sample) error {
	if !s.seen.add(s.pending.key) {
		return fmt.Errorf("%s: %w: entry %.200q: the key was used before (its entries must follow each other)",
			s.name, data.ErrFormat, s.pending.name)
	}
	s.group.begin(s.pending.key)
	shard, image := s.name, ""
	t.Data = t.Data[:0]
	for s.pending != nil && s.pending.key == s.group.key {
		take, err := s.group.add(*s.pending, s.walk)
		if err != nil {
			return err
		}
		switch take {
		case theImage:
			image = s.pending.kind
			t.Data, err = readInto(t.Data, s.walk, s.pending.size)
		case aView:
			v := &s.group.views[len(s.group.views)-1]
			v.data, err = readInto(nil, s.walk, s.pending.size)
		}
		if err != nil {
			return err
		}
		e, err := s.walk.next()
		switch {
		case err == nil:
			s.pending = &e
		case errors.Is(err, io.EOF):
			s.pending = nil
			if err := s.closeShard(); err != nil {
				return err
			}
		default:
			return err
		}
	}
	if s.group.viewed() {
		s.views, s.shard = slices.Clone(s.group.views), shard
		return s.nextView(t)
	}
	return s.give(t, shard, s.group.key, image)
}

// nextView gives the next view of the last sample.
func (s *Stream) nextView(t *data.Sample) error {
	v := s.views[0]
	s.views = s.views[1:]
	t.Data = append(t.Data[:0], v.data...)
	return s.give(t, s.shard, viewKey(s.group.key, v.number), v.kind)
}

// give describes the sample or view of the last group whose image is in t.
func (s *Stream) give(t *data.Sample, shard, key, image string) error {
	t.Key, t.Index, t.Label = key, s.index, s.group.label
	t.Form, t.W, t.H = data.Encoded, 0, 0
	t.Name, t.Ext = sampleName(shard, t.Key, image), extension(image)
	s.index++
	if err := s.group.wrong(len(s.info.Classes)); err != nil {
		return &data.SampleError{Name: t.Name, Key: t.Key, Err: err}
	}
	return nil
}

// Close closes the shard at hand. A reader given to NewStream stays open.
func (s *Stream) Close() error {
	s.err = fmt.Errorf("cannot read %s: %w", s.name, fs.ErrClosed)
	s.pending = nil
	return s.closeShard()
}

// counter counts the bytes read from r.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) position() int64 { return c.n }

// Read reads from r.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
