package lmdb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/augmix-go/augmix/data"
)

// The file format of LMDB 0.9 on 64-bit machines of little endian: pages of one size, of which the first two are meta pages and the
// others those of a B+ tree, or runs of them with one long value. All that it says is checked before it is used.
const (
	headSize = 16 // of every page: number, padding, flags, and where free space begins and ends, or how many pages a run has
	nodeSize = 8  // of a node: two halves of a size or of a page's number, flags, length of the key

	pageBranch, pageLeaf, pageOverflow, pageMeta = 0x01, 0x02, 0x04, 0x08

	nodeBig = 0x01 // the value lies in a run of pages

	magic, version = 0xBEEFC0DE, 1
	metaSize       = headSize + 24 + 2*tableSize + 16
	tableSize      = 48
	metaMain       = headSize + 24 + tableSize // of the table of values; before it lies that of free pages

	leastPage, mostPage = 256, 1 << 15
	mostDepth           = 32
	mostValue           = 256 << 20
	noPage              = 1<<64 - 1
)

// tree walks a file.
type tree struct {
	file    io.ReaderAt
	size    int64 // of a page
	pages   uint64
	depth   int
	visited uint64 // pages so far: a sound tree has each once
	page    []byte
	last    []byte // key
}

// value is where a value lies.
type value struct {
	at   int64
	len  int
	page uint64 // of the run, whose head is checked when it is read; 0 where the value lies in a leaf
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", data.ErrFormat, fmt.Sprintf(format, args...))
}

// open reads the meta pages and returns the number of the root, of how many values, as of the newer of the two.
func open(f io.ReaderAt, length int64) (t *tree, root, entries uint64, err error) {
	head := make([]byte, metaSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, 0, 0, corrupt("it ends within the first page")
	}
	if err := checkMeta(head); err != nil {
		return nil, 0, 0, err
	}
	size := int64(binary.LittleEndian.Uint32(head[headSize+24:]))
	if size < leastPage || size > mostPage || bits.OnesCount64(uint64(size)) != 1 {
		return nil, 0, 0, corrupt("pages of %d bytes (allowed: powers of two from %d to %d)", size, leastPage, mostPage)
	}
	t = &tree{file: f, size: size, pages: uint64(length / size), page: make([]byte, size)}
	other := make([]byte, metaSize)
	if _, err := f.ReadAt(other, size); err != nil {
		return nil, 0, 0, corrupt("it ends within the second page")
	}
	const transaction = metaMain + tableSize + 8
	if checkMeta(other) == nil && binary.LittleEndian.Uint64(other[transaction:]) > binary.LittleEndian.Uint64(head[transaction:]) {
		head = other
	}
	table := head[metaMain:]
	flags, depth := binary.LittleEndian.Uint16(table[4:]), binary.LittleEndian.Uint16(table[6:])
	if flags != 0 {
		return nil, 0, 0, fmt.Errorf("%w: a database with flags 0x%x (allowed: one value a key, in the order of the keys' bytes)",
			data.ErrUnsupported, flags)
	}
	if depth > mostDepth {
		return nil, 0, 0, corrupt("a tree of depth %d (allowed: up to %d)", depth, mostDepth)
	}
	t.depth = int(depth)
	return t, binary.LittleEndian.Uint64(table[40:]), binary.LittleEndian.Uint64(table[32:]), nil
}

func checkMeta(page []byte) error {
	if binary.LittleEndian.Uint16(page[10:])&pageMeta == 0 || binary.LittleEndian.Uint32(page[headSize:]) != magic {
		return corrupt("no meta page of LMDB of a 64-bit machine of little endian")
	}
	if v := binary.LittleEndian.Uint32(page[headSize+4:]); v != version {
		return fmt.Errorf("%w: version %d of LMDB's files (allowed: %d)", data.ErrUnsupported, v, version)
	}
	return nil
}

// walk calls leaf for every key and value below a page, in order. The key is valid during the call.
func (t *tree) walk(number uint64, depth int, leaf func(key []byte, v value)) error {
	if depth > t.depth {
		return corrupt("page %d lies deeper than the %d levels of its tree", number, t.depth)
	}
	if t.visited++; t.visited > t.pages {
		return corrupt("its tree has more pages than the file")
	}
	if err := t.load(number); err != nil {
		return err
	}
	flags := binary.LittleEndian.Uint16(t.page[10:])
	if leafFlag := flags&pageLeaf != 0; flags&^uint16(0x10) != pageLeaf && flags&^uint16(0x10) != pageBranch || leafFlag != (depth == t.depth) {
		return corrupt("page %d has the flags 0x%x at level %d of %d", number, flags, depth, t.depth)
	}
	nodes, err := t.nodes(number)
	if err != nil {
		return err
	}
	if flags&pageLeaf == 0 {
		children := make([]uint64, len(nodes))
		for i, n := range nodes {
			children[i] = uint64(binary.LittleEndian.Uint32(t.page[n:])) | uint64(binary.LittleEndian.Uint16(t.page[n+4:]))<<32
		}
		for _, child := range children {
			if err := t.walk(child, depth+1, leaf); err != nil {
				return err
			}
		}
		return nil
	}
	for i, n := range nodes {
		key, v, err := t.value(number, n)
		if err != nil {
			return fmt.Errorf("value %d of page %d: %w", i, number, err)
		}
		if len(key) == 0 {
			return corrupt("key %d of page %d is empty", i, number)
		}
		if bytes.Compare(key, t.last) <= 0 {
			return corrupt("key %d of page %d is not after the one before it", i, number)
		}
		t.last = append(t.last[:0], key...)
		leaf(key, v)
	}
	return nil
}

// load reads a page.
func (t *tree) load(number uint64) error {
	if number < 2 || number >= t.pages {
		return corrupt("page %d of %d", number, t.pages)
	}
	if _, err := t.file.ReadAt(t.page, int64(number)*t.size); err != nil {
		return fmt.Errorf("page %d: %w", number, err)
	}
	if got := binary.LittleEndian.Uint64(t.page); got != number {
		return corrupt("page %d says that it is page %d", number, got)
	}
	return nil
}

// nodes returns where the nodes of the page lie, each within it; together they are no larger than it, as they do not overlap.
func (t *tree) nodes(number uint64) ([]int, error) {
	lower, all := int(binary.LittleEndian.Uint16(t.page[12:])), headSize
	if lower < headSize || lower%2 != 0 || lower > len(t.page) {
		return nil, corrupt("page %d has nodes up to byte %d", number, lower)
	}
	nodes := make([]int, (lower-headSize)/2)
	for i := range nodes {
		n := int(binary.LittleEndian.Uint16(t.page[headSize+2*i:]))
		if n < lower || n+nodeSize > len(t.page) || n+nodeSize+t.keySize(n) > len(t.page) {
			return nil, corrupt("node %d of page %d begins at byte %d", i, number, n)
		}
		if all += 2 + nodeSize + t.keySize(n); all > len(t.page) {
			return nil, corrupt("the nodes of page %d overlap", number)
		}
		nodes[i] = n
	}
	return nodes, nil
}

func (t *tree) keySize(node int) int { return int(binary.LittleEndian.Uint16(t.page[node+6:])) }

// value returns the key and the place of the value of a node of a leaf.
func (t *tree) value(number uint64, node int) (key []byte, v value, err error) {
	size := int64(binary.LittleEndian.Uint32(t.page[node:]))
	at := node + nodeSize + t.keySize(node)
	key = t.page[node+nodeSize : at]
	flags := binary.LittleEndian.Uint16(t.page[node+4:])
	switch {
	case size > mostValue:
		return nil, v, corrupt("%d bytes (allowed: %d)", size, mostValue)
	case flags == 0 && int64(at)+size <= t.size:
		return key, value{at: int64(number)*t.size + int64(at), len: int(size)}, nil
	case flags == nodeBig && at+8 <= len(t.page):
		run := binary.LittleEndian.Uint64(t.page[at:])
		if run < 2 || run >= t.pages || int64(run)*t.size+headSize+size > int64(t.pages)*t.size {
			return nil, v, corrupt("%d bytes from page %d of %d on", size, run, t.pages)
		}
		const metas = 2
		if t.visited += uint64((headSize + size + t.size - 1) / t.size); t.visited+metas > t.pages {
			return nil, v, corrupt("its values have more pages than the file") // some have the same
		}
		return key, value{at: int64(run) * t.size, len: int(size), page: run}, nil
	case flags&^uint16(nodeBig) != 0:
		return nil, v, fmt.Errorf("%w: flags 0x%x: a database within the database", data.ErrUnsupported, flags)
	}
	return nil, v, corrupt("%d bytes at byte %d of a page of %d", size, at, t.size)
}

// read returns the bytes of a value, in memory of b where there is enough.
func (v value) read(f io.ReaderAt, b []byte) ([]byte, error) {
	n, skip := v.len, 0
	if v.page != 0 {
		n, skip = n+headSize, headSize
	}
	if cap(b) < n {
		b = make([]byte, n)
	}
	b = b[:n]
	if _, err := f.ReadAt(b, v.at); err != nil {
		return nil, err
	}
	if v.page != 0 && (binary.LittleEndian.Uint64(b) != v.page || binary.LittleEndian.Uint16(b[10:])&pageOverflow == 0) {
		return nil, corrupt("page %d does not begin a long value", v.page)
	}
	return b[:copy(b, b[skip:])], nil
}
