// Package single treats one image file as a data set of one sample, and standard input and output, written "-", as such
// a file.
package single

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
)

// Name is the name of the format in the table.
const Name = "file"

// MaxFileSize is the largest image file that is read: 1 GiB.
const MaxFileSize = 1 << 30

// Standard is the path that stands for standard input or output.
const Standard = "-"

// Source is one image file, held in memory.
type Source struct {
	name, key string
	path      string // "" for a reader
	file      []byte
	cursor    data.Cursor
}

var _ data.Indexed = (*Source)(nil)

// Open reads the image file at path and checks its header. The key is the file's name without its extension.
func Open(path string) (*Source, error) {
	file, err := data.ReadFile(nil, path, MaxFileSize)
	if err != nil {
		return nil, fmt.Errorf("cannot read the image: %w", err)
	}
	s, err := newSource(file, path, data.UniqueKeys([]string{filepath.Base(path)})[0])
	if err != nil {
		return nil, err
	}
	s.path = path
	return s, nil
}

// Read reads an image file from r to its end; name is for messages. The key is "stdin".
func Read(r io.Reader, name string) (*Source, error) {
	file, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(file) > MaxFileSize {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", data.ErrFormat, name, MaxFileSize)
	}
	return newSource(file, name, "stdin")
}

func newSource(file []byte, name, key string) (*Source, error) {
	if _, err := imagefile.Inspect(file); err != nil {
		if errors.Is(err, imagefile.ErrUnsupported) {
			return nil, fmt.Errorf("%s: %w: %w", name, data.ErrUnsupported, err)
		}
		return nil, fmt.Errorf("%s: %w: %w", name, data.ErrFormat, err)
	}
	return &Source{name: name, key: key, file: file}, nil
}

// Info describes the data set.
func (s *Source) Info() data.Info { return data.Info{Format: Name, Len: 1} }

// Files returns the path of the file.
func (s *Source) Files() []string {
	if s.path == "" {
		return nil
	}
	return []string{s.path}
}

// Len returns 1.
func (s *Source) Len() int { return 1 }

// Next gives the image, then io.EOF.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// Read gives the image. It panics unless i is 0.
func (s *Source) Read(i int, sample *data.Sample) error {
	if i != 0 {
		panic(fmt.Sprintf("single: sample %d of 1", i))
	}
	*sample = data.Sample{
		Key: s.key, Label: data.NoLabel, Name: s.name, Ext: filepath.Ext(s.path), Form: data.Encoded,
		Data: append(sample.Data[:0], s.file...),
	}
	return nil
}

// Close does nothing.
func (s *Source) Close() error { return nil }

// SinkOptions are the choices of a Sink; the zero value is the default.
type SinkOptions struct {
	// Encoding's quality and level count; whether it is PNG or JPEG the name decides, except on standard output.
	Encoding  data.Encoding
	Overwrite bool      // replace an existing file
	Stdout    io.Writer // where "-" leads; nil means os.Stdout
}

// Sink writes one image. Key and label are not kept.
type Sink struct {
	path string
	o    SinkOptions
	file []byte // the encoded image
	st   sinkState
	done bool
}

// sinkState is what a checkpoint remembers: the image itself.
type sinkState struct {
	Count int    `json:"count"`
	File  []byte `json:"file"`
}

var _ data.FileSink = (*Sink)(nil)

// Create begins the file at path, whose extension (.png, .jpg or .jpeg) says how it is encoded, or the image that
// goes to standard output if path is "-". An existing file is an error unless o.Overwrite. With a state it resumes
// from a checkpoint.
func Create(path string, o SinkOptions, state []byte) (*Sink, error) {
	if err := o.Encoding.Check(); err != nil {
		return nil, err
	}
	s := &Sink{path: path, o: o}
	if path != Standard {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".png":
			s.o.Encoding.JPEG = false
		case ".jpg", ".jpeg":
			s.o.Encoding.JPEG = true
		default:
			return nil, fmt.Errorf("%w: cannot write %s (allowed: .png, .jpg, .jpeg)", data.ErrUnsupported, path)
		}
	}
	if state != nil {
		if err := data.DecodeState(state, Name, &s.st); err != nil {
			return nil, fmt.Errorf("cannot resume %s: %w", path, err)
		}
		if s.st.Count < 0 || s.st.Count > 1 || (s.st.Count == 1) != (len(s.st.File) > 0) {
			return nil, fmt.Errorf("cannot resume %s: %w: a checkpoint after %d images", path, data.ErrFormat,
				s.st.Count)
		}
		s.file = s.st.File
		return s, nil
	}
	if path == Standard || o.Overwrite {
		return s, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists already (%w)", path, fs.ErrExist)
	}
	return s, nil
}

// Encoding returns how the image is encoded.
func (s *Sink) Encoding() data.Encoding { return s.o.Encoding }

// Put takes the image. A second one is an error.
func (s *Sink) Put(it *data.Item) error {
	if s.done {
		return fmt.Errorf("cannot write to %s: %w", s.path, fs.ErrClosed)
	}
	if s.st.Count > 0 {
		return fmt.Errorf("%w: a second image, %q, for the single file %s", data.ErrUnsupported, it.Key, s.path)
	}
	if it.File != nil {
		s.file = append(s.file[:0], it.File...)
	} else {
		var err error
		if s.file, err = s.o.Encoding.Append(s.file[:0], it.Image); err != nil {
			return fmt.Errorf("cannot encode sample %q for %s: %w", it.Key, s.path, err)
		}
	}
	s.st.Count = 1
	return nil
}

// Checkpoint returns a state that holds the image, if there is one.
func (s *Sink) Checkpoint() ([]byte, error) {
	if s.done {
		return nil, fmt.Errorf("cannot make a checkpoint of %s: %w", s.path, fs.ErrClosed)
	}
	if s.st.Count > 0 {
		s.st.File = s.file
	}
	return data.EncodeState(Name, s.st)
}

// Close writes the file. Without an image it is an error.
func (s *Sink) Close() error {
	if s.done {
		return nil
	}
	s.done = true
	if s.st.Count == 0 {
		return fmt.Errorf("%w: no image for %s", data.ErrFormat, s.path)
	}
	if s.path != Standard {
		return data.WriteFileAtomic(s.path, s.file)
	}
	out := s.o.Stdout
	if out == nil {
		out = os.Stdout
	}
	if _, err := out.Write(s.file); err != nil {
		return fmt.Errorf("cannot write to standard output: %w", err)
	}
	return nil
}

// Abort drops the image.
func (s *Sink) Abort() error {
	s.done = true
	return nil
}
