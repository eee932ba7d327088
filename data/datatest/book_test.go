package datatest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// A book is the smallest format that keeps every promise: one file of records, the number of them in front.
//
//	"BOOK" n, then n times: key length, label, w, h, key, pixels
//
// with 32-bit little-endian numbers. The flaw, if any, breaks one promise, for the test that the suite notices.
type book struct {
	flaw string
	path string
	file []byte
	at   []int // offsets of the records
	next int
	old  *data.Sample
}

const (
	bookHead   = 8
	recordHead = 16
)

var le = binary.LittleEndian

func openBook(path, flaw string) (*book, error) {
	file, err := data.ReadFile(nil, path, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("cannot open the book: %w", err)
	}
	b := &book{flaw: flaw, path: path, file: file}
	bad := fmt.Errorf("%w: %s is cut short", data.ErrFormat, path)
	if len(file) < bookHead || string(file[:4]) != "BOOK" {
		return nil, bad
	}
	for p := bookHead; len(b.at) < int(le.Uint32(file[4:])); {
		if len(file) < p+recordHead {
			if flaw == "truncated" {
				break
			}
			return nil, bad
		}
		size := recordHead + int(le.Uint32(file[p:])) + 3*int(le.Uint32(file[p+8:]))*int(le.Uint32(file[p+12:]))
		if len(file) < p+size {
			if flaw == "truncated" {
				break
			}
			return nil, bad
		}
		b.at = append(b.at, p)
		p += size
	}
	if flaw == "order" {
		orderFlips = !orderFlips
		if orderFlips {
			slices.Reverse(b.at)
		}
	}
	return b, nil
}

// orderFlips turns the order around at every second opening.
var orderFlips bool

func (b *book) Info() data.Info {
	info := data.Info{Format: "book", Len: len(b.at)}
	if b.flaw == "length" {
		info.Len++
	}
	return info
}

func (b *book) Len() int     { return len(b.at) }
func (b *book) Close() error { return nil }

func (b *book) Next(s *data.Sample) error {
	if b.next >= len(b.at) {
		if b.flaw == "end" {
			b.next = 0
		}
		return io.EOF
	}
	b.next++
	b.read(b.next-1, s)
	if b.flaw == "ownership" {
		if b.old != nil {
			b.old.Data = append(b.old.Data[:0], s.Data...)
		}
		b.old = s
	}
	return nil
}

func (b *book) Read(i int, s *data.Sample) error {
	if b.flaw == "random access" {
		i = max(i-1, 0)
	}
	b.read(i, s)
	return nil
}

func (b *book) read(i int, s *data.Sample) {
	p := b.file[b.at[i]:]
	keyLen := int(le.Uint32(p))
	s.Label = int(int32(le.Uint32(p[4:])))
	s.W, s.H = int(le.Uint32(p[8:])), int(le.Uint32(p[12:]))
	p = p[recordHead:]
	s.Key, s.Index, s.Ext, s.Form = string(p[:keyLen]), i, "", data.RGB
	s.Name = fmt.Sprintf("%s record %d", b.path, i)
	s.Data = append(s.Data[:0], p[keyLen:keyLen+3*s.W*s.H]...)
	switch b.flaw {
	case "keys":
		s.Key = b.path[1:] + "/" + s.Key
	case "content":
		s.Data[0] ^= 1
	}
}

// bookSink writes a book.
type bookSink struct {
	flaw  string
	f     *data.PartialFile
	st    bookState
	last  *data.Item
	named bool // a checkpoint was made
}

type bookState struct {
	Count  int            `json:"count"`
	Size   int64          `json:"size"`
	CRC    uint32         `json:"crc"`
	Labels data.LabelRule `json:"labels"`
}

func createBook(path, flaw string, state []byte) (*bookSink, error) {
	s := &bookSink{flaw: flaw}
	if state == nil {
		var err error
		if s.f, err = data.CreatePartial(path); err == nil {
			_, err = s.f.Write(append([]byte("BOOK"), 0, 0, 0, 0))
		}
		if flaw == "crash without checkpoint" {
			err = errors.Join(err, os.WriteFile(path, nil, 0o666))
		}
		return s, err
	}
	if err := data.DecodeState(state, "book", &s.st); err != nil {
		return nil, err
	}
	if s.st.Count < 0 {
		return nil, fmt.Errorf("%w: %d records", data.ErrFormat, s.st.Count)
	}
	if flaw == "crash and resume" {
		if st, err := os.Stat(path + storage.TempSuffix); err == nil {
			s.st.Size = st.Size() // goes on after what the checkpoint does not promise
		}
	}
	s.named = true
	var err error
	if s.f, err = data.ResumePartial(path, s.st.Size); err != nil {
		return nil, err
	}
	if err := s.f.Verify(s.st.CRC); err != nil && flaw != "damage" && flaw != "crash and resume" {
		return nil, errors.Join(err, s.f.Close())
	}
	return s, nil
}

func (s *bookSink) Put(it *data.Item) error {
	if err := data.CheckKey(it.Key); err != nil && s.flaw != "hostile keys" {
		return it.Reject(err)
	}
	if s.flaw == "hostile keys" {
		name := filepath.Join(filepath.Dir(s.f.Name()), it.Key)
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			return fmt.Errorf("%w: %w", data.ErrUnsafe, err)
		}
	}
	if err := s.st.Labels.Check(it.Key, it.Label, 3); err != nil && s.flaw != "bad label" {
		if s.flaw == "rejected" {
			_ = s.write(it)
		}
		return it.Reject(err)
	}
	if s.flaw == "round trip" { // keeps the image beyond Put
		it, s.last = s.last, &data.Item{Key: it.Key, Label: it.Label, Image: it.Image}
		if it == nil {
			return nil
		}
	}
	return s.write(it)
}

func (s *bookSink) write(it *data.Item) error {
	var b []byte
	for _, v := range []int{len(it.Key), it.Label, it.Image.W, it.Image.H} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = it.Image.AppendRGB(append(b, it.Key...))
	s.st.Count++
	_, err := s.f.Write(b)
	if s.flaw == "full disk" {
		return nil
	}
	return err
}

func (s *bookSink) Checkpoint() ([]byte, error) {
	s.named = true
	if err := s.f.Sync(); err != nil {
		return nil, err
	}
	s.st.Size, s.st.CRC = s.f.Size(), s.f.CRC()
	return data.EncodeState("book", s.st)
}

func (s *bookSink) Close() error {
	if s.last != nil {
		if err := s.write(s.last); err != nil {
			return err
		}
	}
	if _, err := s.f.WriteAt(le.AppendUint32(nil, uint32(s.st.Count)), 4); err != nil && s.flaw != "full disk" {
		return errors.Join(err, s.Abort())
	}
	return s.f.Commit()
}

func (s *bookSink) Abort() error {
	if s.named || s.flaw == "abort" {
		return s.f.Close()
	}
	return s.f.Remove()
}

var (
	_ data.Indexed = (*book)(nil)
	_ data.Sink    = (*bookSink)(nil)
)
