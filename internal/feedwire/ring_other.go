//go:build !linux

package feedwire

import (
	"fmt"
	"runtime"
)

// Ring is memory that both processes see.
type Ring struct{}

// OpenRing returns an error: there is no ring on this system.
func OpenRing(fd, _ int) (*Ring, error) {
	return nil, fmt.Errorf("file descriptor %d: there is no ring on %s (allowed: none, which sends batches down the pipe)", fd,
		runtime.GOOS)
}

// Bytes is the memory.
func (r *Ring) Bytes() []byte { return nil }

// Close does nothing.
func (r *Ring) Close() error { return nil }
