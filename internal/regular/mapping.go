package regular

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"
)

// ErrShort is wrapped by the error of a mapped file that has become shorter.
var ErrShort = errors.New("cut short")

// Mapping is the beginning of an open file as [Map] returns it.
type Mapping struct {
	Bytes []byte
	File  *os.File
}

// Guard calls f, which reads the mapping, on this goroutine. Where the file has become shorter, or the disk fails, the processor
// faults: then f ends at once and Guard returns what [Mapping.Whole] says, or which byte could not be read. Other panics pass.
func (m *Mapping) Guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fault, ok := p.(interface{ Addr() uintptr })
		start := uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes)))
		if !ok || fault.Addr()-start >= uintptr(len(m.Bytes)) {
			panic(p)
		}
		if err = m.Whole(); err == nil {
			err = fmt.Errorf("the system cannot read byte %d", fault.Addr()-start)
		}
	}()
	f()
	return nil
}

// Whole returns an error that wraps [ErrShort] for a file that has become shorter. What it lacks of its last page, programs see as
// zeros.
func (m *Mapping) Whole() error {
	st, err := m.File.Stat()
	if err == nil && st.Size() < int64(len(m.Bytes)) {
		err = fmt.Errorf("%w from %d bytes to %d while it was read", ErrShort, len(m.Bytes), st.Size())
	}
	return err
}
