package feedwire

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Ring is memory that both processes see.
type Ring struct{ mem []byte }

// OpenRing makes the empty memory file behind an inherited descriptor size bytes long and maps it. The descriptor is closed.
func OpenRing(fd, size int) (*Ring, error) {
	if fd <= 2 {
		return nil, fmt.Errorf("file descriptor %d (allowed: an inherited one from 3 on)", fd)
	}
	f := os.NewFile(uintptr(fd), "the ring")
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("file descriptor %d: %w", fd, err)
	}
	if !st.Mode().IsRegular() || st.Size() != 0 {
		return nil, fmt.Errorf("file descriptor %d is no empty file (allowed: a new memory file, memfd_create)", fd)
	}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, fmt.Errorf("making the ring %d bytes long: %w", size, err)
	}
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping the ring of %d bytes: %w", size, err)
	}
	return &Ring{mem}, nil
}

// Bytes is the memory.
func (r *Ring) Bytes() []byte { return r.mem }

// Close unmaps the memory.
func (r *Ring) Close() error { return unix.Munmap(r.mem) }
