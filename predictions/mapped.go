package predictions

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"unsafe"

	"github.com/augmix-go/augmix/internal/regular"
)

// mapped is the rows of a file in memory that the system fills from the file when it is read, so that nothing copies them.
type mapped struct {
	file *os.File
	wrap func(error) error // names the file
	all  []byte            // of the file, up to the end of its rows
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
	s.mapped = &mapped{f, r.wrap, b, b[at:]}
	return s.mapped
}

// take returns the next n numbers.
func take[F float32 | float64](m *mapped, n int) []F {
	size := n * int(unsafe.Sizeof(F(0)))
	p := unsafe.Pointer(unsafe.SliceData(m.rest[:size]))
	m.rest = m.rest[size:]
	return unsafe.Slice((*F)(p), n)
}

// guard calls f, which reads mapped rows. Where the file has become shorter, or the disk fails, the processor faults: an error of f.
func (m *mapped) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fault, ok := p.(interface{ Addr() uintptr })
		start := uintptr(unsafe.Pointer(unsafe.SliceData(m.all)))
		if !ok || fault.Addr()-start >= uintptr(len(m.all)) {
			panic(p)
		}
		if err = m.whole(); err == nil {
			err = m.wrap(fmt.Errorf("the system cannot read byte %d", fault.Addr()-start))
		}
	}()
	return f()
}

// whole returns an error for a file that has become shorter. What it lacks of its last page, programs see as zeros.
func (m *mapped) whole() error {
	st, err := m.file.Stat()
	if err == nil && st.Size() < int64(len(m.all)) {
		err = fmt.Errorf("%w: cut short from %d bytes to %d while it was read", ErrFormat, len(m.all), st.Size())
	}
	return m.wrap(err)
}
