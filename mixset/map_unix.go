//go:build unix

package mixset

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapping is a file in memory, in pages that every process that maps it shares.
type mapping struct{ bytes []byte }

func mapFile(f *os.File, size int64) (*mapping, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this machine can address", size)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &mapping{b}, nil
}

func (m *mapping) close() error { return unix.Munmap(m.bytes) }
