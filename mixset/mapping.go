package mixset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/augmix-go/augmix/internal/regular"
	"github.com/augmix-go/augmix/raster"
)

// mapping is a file in memory: mapped, or read where the system cannot. Images that a mapped file has lost are made again.
type mapping struct {
	regular.Mapping
	read bool
	make maker

	lost  atomic.Bool // whether there are images in again
	mu    sync.Mutex
	again map[int]*raster.Image
}

// mapFile returns the first size bytes of a file. It closes the file unless it maps it.
func mapFile(f *os.File, size int64) (m *mapping, err error) {
	defer func() {
		if err != nil || m.read {
			_ = f.Close() // only read
		}
	}()
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this machine can address", size)
	}
	b, err := regular.Map(f, int(size))
	if !errors.Is(err, errors.ErrUnsupported) {
		return &mapping{Mapping: regular.Mapping{Bytes: b, File: f}}, err
	}
	b = make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, size), b)
	return &mapping{Mapping: regular.Mapping{Bytes: b, File: f}, read: true}, err
}

// close gives the memory back. The error says that the file has become shorter, if it has.
func (m *mapping) close() error {
	if m.read {
		return nil
	}
	defer m.File.Close() // only read
	err := m.Whole()
	if err != nil {
		err = fmt.Errorf("%s: %w", m.File.Name(), err)
	}
	return errors.Join(err, regular.Unmap(m.Bytes))
}

// kept returns image i if it has been made again, or nil.
func (m *mapping) kept(i int) *raster.Image {
	if !m.lost.Load() {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.again[i]
}

// restore makes image i again. It panics if that fails, as where the user's own images are gone too; fault is why the file does not
// have it.
func (m *mapping) restore(i int, fault error) *raster.Image {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made := m.again[i]; made != nil {
		return made
	}
	made := new(raster.Image)
	if err := m.make(made, i); err != nil {
		panic(fmt.Errorf("mixset: %s: %w; image %d cannot be made again: %w", m.File.Name(), fault, i, err))
	}
	if m.again == nil {
		m.again = map[int]*raster.Image{}
	}
	m.again[i] = made
	m.lost.Store(true)
	return made
}
