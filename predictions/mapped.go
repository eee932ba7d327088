package predictions

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/augmix-go/augmix/internal/regular"
)

// mapped is the rows of a file in memory that the system fills from the file when it is read, so that nothing copies them.
type mapped struct {
	file regular.Mapping   // up to the end of its rows
	wrap func(error) error // names the file
	rest []byte            // the rows to come
}

// mapRows returns the rows to come, or nil where they have to be read or converted.
func (r *Reader) mapRows() *mapped {
	s, ok := r.src.(*arraySource)
	if !ok || !s.native() || s.left == 0 {
		return nil
	}
	f, ok := s.in.(*os.File)
	if !ok {
		return nil
	}
	at, err := f.Seek(0, io.SeekCurrent)
	end := at + int64(s.left)*int64(s.classes)*int64(s.h.ItemSize())
	if err != nil || at%int64(s.h.ItemSize()) != 0 || end > math.MaxInt {
		return nil
	}
	b, err := regular.Map(f, int(end))
	if err != nil {
		return nil // what cannot be read either, reading says
	}
	s.mapped = &mapped{regular.Mapping{Bytes: b, File: f}, r.wrap, b[at:]}
	return s.mapped
}

// take returns the next n numbers.
func take[F float32 | float64](m *mapped, n int) []F {
	size := n * int(unsafe.Sizeof(F(0)))
	p := unsafe.Pointer(unsafe.SliceData(m.rest[:size]))
	m.rest = m.rest[size:]
	return unsafe.Slice((*F)(p), n)
}

// guard calls f, which reads mapped rows. Where they cannot be read, that is its error.
func (m *mapped) guard(f func() error) (err error) {
	if fault := m.file.Guard(func() { err = f() }); fault != nil {
		return m.failed(fault)
	}
	return err
}

// whole returns an error for a file that has become shorter.
func (m *mapped) whole() error { return m.failed(m.file.Whole()) }

func (m *mapped) failed(err error) error {
	if errors.Is(err, regular.ErrShort) {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return m.wrap(err)
}
