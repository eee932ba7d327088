package mixset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/augmix-go/augmix/internal/regular"
)

// mapping is a file in memory: mapped, or read where the system cannot.
type mapping struct {
	bytes []byte
	read  bool
}

func mapFile(f *os.File, size int64) (*mapping, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this machine can address", size)
	}
	b, err := regular.Map(f, int(size))
	if !errors.Is(err, errors.ErrUnsupported) {
		return &mapping{bytes: b}, err
	}
	b = make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, size), b)
	return &mapping{b, true}, err
}

func (m *mapping) close() error {
	if m.read {
		return nil
	}
	return regular.Unmap(m.bytes)
}
