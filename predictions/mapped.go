package predictions

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/augmix-go/augmix/internal/regular"
)

// mapped is the rows of a file in memory that the system fills from the file when it is read, so that nothing copies them.
type mapped struct {
	file regular.Mapping   // up to the end of its rows
	wrap func(error) error // names the file
	rest []byte            // the rows to come
	at   int               // where rest begins at first
	left []atomic.Int64    // bytes of each stretch that somebody will still read
}

// stretch is how many bytes the system forgets at once: many large pages.
const stretch = 32 << 20

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
	m := &mapped{file: regular.Mapping{Bytes: b, File: f}, wrap: r.wrap, rest: b[at:], at: int(at)}
	m.left = make([]atomic.Int64, (len(b)+stretch-1)/stretch)
	m.stretches(int(at), len(b), func(i, n int) { m.left[i].Store(int64(n)) })
	s.mapped = m
	return m
}

// stretches calls f for each stretch of the bytes from start to end, with how many of them it has.
func (m *mapped) stretches(start, end int, f func(i, n int)) {
	for start < end {
		i := start / stretch
		next := min((i+1)*stretch, end)
		f(i, next-start)
		start = next
	}
}

// done says that a batch's rows have been read. The tables of pages go back stretch by stretch, on whoever comes last: at the end of
// gigabytes it would keep one processor busy for long.
func (m *mapped) done(b *Batch) {
	var first unsafe.Pointer
	size := 0
	if len(b.F32) > 0 {
		first, size = unsafe.Pointer(&b.F32[0]), 4*len(b.F32)
	} else if len(b.F64) > 0 {
		first, size = unsafe.Pointer(&b.F64[0]), 8*len(b.F64)
	}
	start := int(uintptr(first) - uintptr(unsafe.Pointer(&m.file.Bytes[0])))
	if start < m.at || start+size > len(m.file.Bytes) {
		return // of the first batch, which was read
	}
	m.stretches(start, start+size, func(i, n int) {
		if m.left[i].Add(-int64(n)) == 0 {
			_ = regular.Forget(m.file.Bytes[i*stretch : min((i+1)*stretch, len(m.file.Bytes))]) // or it stays until the end
		}
	})
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
