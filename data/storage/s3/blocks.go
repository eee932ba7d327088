//go:build !js

package s3

import (
	"sync"
)

// Blocks of objects that are kept, 64 MiB of a store, so that small reads in order do not cost a request each.
const (
	blockSize = 2 << 20
	mostKept  = 32
)

// lastRead knows where an object was read.
type lastRead struct {
	mu  sync.Mutex
	end int64
	any bool
}

// near reports whether a read goes on about where another ended. Workers read a little out of order.
func (l *lastRead) near(off int64, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	near := l.any && off > l.end-blockSize/2 && off < l.end+blockSize/2
	l.any, l.end = true, off+int64(n)
	return near
}

type blockKey struct {
	name, tag string
	number    int64
}

type block struct {
	once sync.Once
	data []byte
	err  error
	used uint64
}

// blocks holds those that were read last.
type blocks struct {
	mu    sync.Mutex
	kept  map[blockKey]*block
	clock uint64
}

func newBlocks() *blocks { return &blocks{kept: map[blockKey]*block{}} }

func (b *blocks) has(o *object, number int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept[blockKey{o.name, o.info.Object.Tag, number}] != nil
}

// get returns a block, which several who want it wait for together. A block that cannot be read is not kept.
func (b *blocks) get(o *object, number int64) ([]byte, error) {
	key := blockKey{o.name, o.info.Object.Tag, number}
	b.mu.Lock()
	k := b.kept[key]
	if k == nil {
		b.makeRoom()
		k = &block{}
		b.kept[key] = k
	}
	b.clock++
	k.used = b.clock
	b.mu.Unlock()
	k.once.Do(func() {
		off := number * blockSize
		k.data = make([]byte, min(blockSize, o.info.Object.Size-off))
		k.err = o.fill(k.data, off)
	})
	if k.err != nil {
		b.mu.Lock()
		if b.kept[key] == k {
			delete(b.kept, key)
		}
		b.mu.Unlock()
	}
	return k.data, k.err
}

// makeRoom forgets the block that was not used for longest.
func (b *blocks) makeRoom() {
	if len(b.kept) < mostKept {
		return
	}
	var oldest blockKey
	first := true
	for key, k := range b.kept {
		if first || k.used < b.kept[oldest].used {
			oldest, first = key, false
		}
	}
	delete(b.kept, oldest)
}
