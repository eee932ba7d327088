package wds

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// maxOpen is the number of shards that are kept open. Systems allow a process a thousand files or a few hundred; data
// sets have thousands of shards.
const maxOpen = 64

// handles opens shards when they are read and closes those that were not for longest. It is safe for concurrent use.
type handles struct {
	paths []string

	mu     sync.Mutex
	open   map[int]*handle
	clock  uint64
	closed bool
}

type handle struct {
	f     storage.File
	users int
	used  uint64 // clock of the last acquire
}

func newHandles(paths []string) *handles {
	return &handles{paths: paths, open: map[int]*handle{}}
}

// acquire returns shard i, open until the matching release.
func (s *handles) acquire(i int) (*handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fs.ErrClosed
	}
	s.clock++
	h := s.open[i]
	if h == nil {
		if err := s.makeRoom(); err != nil {
			return nil, err
		}
		f, err := data.OpenFile(s.paths[i])
		if err != nil {
			return nil, err
		}
		h = &handle{f: f}
		s.open[i] = h
	}
	h.users++
	h.used = s.clock
	return h, nil
}

// makeRoom closes idle shards, the longest idle first, until one more may be open.
func (s *handles) makeRoom() error {
	for len(s.open) >= maxOpen {
		oldest := -1
		for i, h := range s.open {
			if h.users == 0 && (oldest < 0 || h.used < s.open[oldest].used) {
				oldest = i
			}
		}
		if oldest < 0 {
			return nil // all in use by as many readers: let it grow
		}
		err := s.open[oldest].f.Close()
		delete(s.open, oldest)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *handles) release(h *handle) {
	s.mu.Lock()
	h.users--
	s.mu.Unlock()
}

func (s *handles) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, h := range s.open {
		err = errors.Join(err, h.f.Close())
	}
	clear(s.open)
	s.closed = true
	return err
}
