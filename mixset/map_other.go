//go:build !unix

package mixset

import (
	"fmt"
	"io"
	"math"
	"os"
)

// mapping is a file that was read into memory.
type mapping struct{ bytes []byte }

func mapFile(f *os.File, size int64) (*mapping, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this machine can address", size)
	}
	b := make([]byte, size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, size), b)
	return &mapping{b}, err
}

func (m *mapping) close() error { return nil }
