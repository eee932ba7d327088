// Package lmdb reads the LMDB files of image data sets such as LSUN (Yu et al., 2015): a value is an image file, WebP of LSUN's, and
// its key names it. There are no labels. Files are read, never written or locked: nobody else may write them meanwhile.
//
// The keys and the places of all values are read when a file is opened, some 200 bytes a value; images one at a time. WebP is decoded
// by golang.org/x/image/webp: lossy and lossless, no animations.
package lmdb

import (
	"errors"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Name of the format in the table.
const Name = "lmdb"

// File is what LMDB calls the file in the folder of a database.
const File = "data.mdb"

// Source is an LMDB file of images. It is safe for concurrent use but for Next and Close.
type Source struct {
	path   string
	file   storage.File
	keys   []string
	values []value
	cursor data.Cursor
}

var _ data.Indexed = (*Source)(nil)

// Detect reports whether the first bytes of a file are those of LMDB.
func Detect(head []byte) bool { return len(head) >= metaSize && checkMeta(head) == nil }

// Open reads the keys of a file, or of data.mdb in a folder. Errors wrap [data.ErrFormat] or [data.ErrUnsupported] and name the file.
func Open(path string) (*Source, error) {
	if st, err := storage.Stat(path); err == nil && st.IsDir() {
		path = storage.Join(path, File)
	}
	f, err := data.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the images: %w", err)
	}
	s := &Source{path: path, file: f}
	st, err := f.Stat()
	if err == nil {
		err = s.index(f, st.Size())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return s, nil
}

// index reads the keys of a file of so many bytes.
func (s *Source) index(f io.ReaderAt, length int64) error {
	t, root, entries, err := open(f, length)
	if err != nil {
		return err
	}
	var keys []string
	if root != noPage {
		err = t.walk(root, 1, func(key []byte, v value) {
			keys, s.values = append(keys, string(key)), append(s.values, v)
		})
	}
	if err == nil && uint64(len(keys)) != entries {
		err = corrupt("%d values, and its head says %d", len(keys), entries)
	}
	if err != nil {
		return err
	}
	s.keys = data.UniqueKeys(keys)
	return nil
}

// Info describes the data set.
func (s *Source) Info() data.Info { return data.Info{Format: Name, Len: len(s.keys)} }

// Len returns the number of images.
func (s *Source) Len() int { return len(s.keys) }

// Files returns the path.
func (s *Source) Files() []string { return []string{s.path} }

// Next reads the next image.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// Read reads image i. It panics if there is none.
func (s *Source) Read(i int, sample *data.Sample) error {
	sample.Key, sample.Name = s.keys[i], fmt.Sprintf("%s value %s", s.path, s.keys[i])
	sample.Index, sample.Label, sample.Ext = i, data.NoLabel, ""
	sample.Form, sample.W, sample.H = data.Encoded, 0, 0
	b, err := s.values[i].read(s.file, sample.Data)
	if err != nil {
		return &data.SampleError{Name: sample.Name, Key: sample.Key, Err: err}
	}
	sample.Data = b
	return nil
}

// Close ends the reading.
func (s *Source) Close() error { return s.file.Close() }
