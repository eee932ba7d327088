package npyset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
)

// Source is a data set of arrays read at random. Its methods Len and Read may be called from several goroutines at
// once.
type Source struct {
	set
	at     io.ReaderAt
	off    int64       // of the first image
	sum    *npy.Pieces // compares the checksum of an archive; nil where there is none
	cursor data.Cursor
	close  func() error
}

var _ data.Sealed = (*Source)(nil)

// Len returns the number of images.
func (s *Source) Len() int { return s.n }

// Next reads the next image.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// Read reads image i. It panics if there is none. In an archive, when every image was read, the checksum is compared: the error, of this
// and of every further image, is one of the file and not of a sample.
func (s *Source) Read(i int, sample *data.Sample) error {
	if i < 0 || i >= s.n {
		panic(fmt.Sprintf("npyset: image %d of %d", i, s.n))
	}
	s.describe(i, sample)
	if cap(sample.Data) < s.raw { // the file is known to hold as much
		sample.Data = make([]byte, s.raw)
	}
	sample.Data = sample.Data[:s.raw]
	n, err := s.at.ReadAt(sample.Data, s.off+int64(i)*int64(s.raw))
	if n == len(sample.Data) {
		if err := s.sum.Note(i, sample.Data); err != nil {
			return s.damaged(err)
		}
		return s.toSample(sample)
	}
	if storage.Failed(err) {
		return err
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: truncated", data.ErrFormat)
	}
	return &data.SampleError{Name: sample.Name, Key: sample.Key, Err: err}
}

// Seal implements [data.Sealed].
func (s *Source) Seal() error { return s.damaged(s.sum.Rest()) }

// damaged names the file in an error of its checksum.
func (s *Source) damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.file, wrap(err))
}

// Describe implements [data.Describer].
func (s *Source) Describe(i int, sample *data.Sample) { s.describe(i, sample) }

// Close closes the file.
func (s *Source) Close() error { return s.close() }

// Stream is a data set of arrays read from front to end.
type Stream struct {
	set
	r      io.Reader
	sealed bool // r checks what it gave at its end
	next   int  // image that Next reads
	close  func() error
	err    error // sticky
}

var _ data.Source = (*Stream)(nil)

// NewStream reads the .npy file that arrives on r; name is for messages. There are no labels unless o.Labels names a
// file. Close does not close r.
func NewStream(r io.Reader, name string, o Options) (*Stream, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	h, _, err := npy.ReadHeader(br)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, wrap(err))
	}
	g, err := parseShape(h, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Stream{set: set{file: name, geometry: g}, r: br, close: func() error { return nil }}
	s.info = data.Info{Format: NameNPY, Len: g.n}
	if o.Labels == "" {
		return s, nil
	}
	labels, from, err := labelsBeside("", o.Labels)
	if err != nil {
		return nil, err
	}
	s.files = files(from)
	return s, s.annotate(NameNPY, o.Labels, labels, from, o.classes)
}

// Next reads the next image.
func (s *Stream) Next(sample *data.Sample) error {
	if s.err != nil {
		return s.err
	}
	if s.next >= s.n {
		return s.end()
	}
	s.describe(s.next, sample)
	if err := s.fill(sample); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%w: truncated", data.ErrFormat)
		}
		s.err = fmt.Errorf("%s: %w", sample.Name, wrap(err))
		return s.err
	}
	s.next++
	return s.toSample(sample)
}

// fill reads an image. Memory follows the bytes that arrive, for nothing but the header has vouched for its size.
func (s *Stream) fill(sample *data.Sample) error {
	const step = 1 << 24
	b := sample.Data[:0]
	for len(b) < s.raw {
		n := min(step, s.raw-len(b))
		b = slices.Grow(b, n)
		k, err := io.ReadFull(s.r, b[len(b):len(b)+n])
		if b = b[:len(b)+k]; err != nil {
			return err
		}
	}
	sample.Data = b
	return nil
}

// end reads what is left where that checks a checksum.
func (s *Stream) end() error {
	s.err = io.EOF
	if !s.sealed {
		return s.err
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(s.r, 1<<20)); err != nil && !errors.Is(err, io.EOF) {
		s.err = fmt.Errorf("%s: %w", s.file, wrap(err))
	}
	return s.err
}

// Close closes the file, if the stream opened one.
func (s *Stream) Close() error {
	s.err = io.EOF
	return s.close()
}
