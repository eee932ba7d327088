//go:build unix

package regular

import (
	"os"

	"golang.org/x/sys/unix"
)

// Map returns the first size bytes of a file, in pages that every process that maps it shares. Reading them faults where the file
// has become shorter. The error wraps [errors.ErrUnsupported] on systems that are no Unix.
func Map(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

// Forget says that a part of what [Map] returned, from a page's beginning on, will not be read again, so that the system gives back its
// table of pages. Reading it anyway costs time and nothing else.
func Forget(part []byte) error { return unix.Madvise(part, unix.MADV_DONTNEED) }

// Unmap gives back what [Map] returned.
func Unmap(b []byte) error { return unix.Munmap(b) }
