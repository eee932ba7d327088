package wds

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/augmix-go/augmix/data"
)

// Set is an indexed data set of plain shards. It is a [data.Indexed].
type Set struct {
	info    data.Info
	shards  *handles
	records []record
	wrong   map[int]error // of single samples
	cursor  data.Cursor
}

var _ data.Indexed = (*Set)(nil)

// record is where a sample's image lies.
type record struct {
	key   string
	kind  string // of the image, "" without one
	shard int32
	label int
	off   int64
	size  int64
}

// openSet reads the headers of all shards.
func openSet(shards, classes []string, o Options) (*Set, error) {
	s := &Set{shards: newHandles(shards), wrong: map[int]error{}}
	b := builder{set: s, seen: newKeySet(), names: map[string]string{}, classes: len(classes)}
	for i, name := range shards {
		if err := b.shard(i, name, o); err != nil {
			return nil, err
		}
	}
	s.info = data.Info{Format: Name, Classes: classes, Len: len(s.records)}
	return s, nil
}

// builder makes the index.
type builder struct {
	set     *Set
	seen    *keySet
	names   map[string]string // kinds, so that equal ones share memory
	classes int
	group   group
	open    bool // group holds a sample
	rec     record
}

func (b *builder) shard(i int, name string, o Options) error {
	f, err := data.OpenFile(name)
	if err != nil {
		return fmt.Errorf("cannot open the shard: %w", err)
	}
	defer f.Close()
	w := newWalker(name, &fileReader{f: f}, o)
	for {
		e, err := w.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return b.flush(name)
			}
			return err
		}
		if !b.open || e.key != b.group.key {
			if err := b.flush(name); err != nil {
				return err
			}
			if !b.seen.add(e.key) {
				return b.twice(int32(i), name, e, o)
			}
			b.group.begin(e.key)
			b.open, b.rec = true, record{key: e.key, shard: int32(i)}
		}
		image, err := b.group.add(e, w)
		if err != nil {
			return err
		}
		switch image {
		case theImage:
			b.rec.kind, b.rec.off, b.rec.size = b.intern(e.kind), e.off, e.size
		case aView:
			v := &b.group.views[len(b.group.views)-1]
			v.off, v.size = e.off, e.size
		}
	}
}

// twice is the error about an entry whose key an earlier sample has. Keys that hold the shard's name tell shards
// of one name in two folders not apart, and within a shard they tell nothing.
func (b *builder) twice(i int32, shard string, e entry, o Options) error {
	const follow = "its entries must follow each other"
	same := len(b.set.shards.paths) == 1 || slices.ContainsFunc(b.set.records, func(r record) bool { return r.shard == i && r.key == e.key })
	switch {
	case same:
		return fmt.Errorf("%s: %w: entry %.200q: the key was used before (%s)", shard, data.ErrFormat, e.name, follow)
	case o.ShardKeys:
		return fmt.Errorf("%s: %w: entry %.200q: the key was used before in a shard of that name (%s)", shard, data.ErrFormat, e.name, follow)
	}
	return fmt.Errorf("%s: %w: entry %.200q (%s; shards that share keys need the shard's name in front of them)", shard, data.ErrSharedKeys,
		e.name, follow)
}

func (b *builder) intern(s string) string {
	if t, ok := b.names[s]; ok {
		return t
	}
	b.names[s] = s
	return s
}

// flush ends the sample at hand.
func (b *builder) flush(shard string) error {
	if !b.open {
		return nil
	}
	b.open = false
	b.rec.label = b.group.label
	err := b.group.wrong(b.classes)
	if !b.group.viewed() {
		b.add(b.rec, err)
		return nil
	}
	for _, v := range b.group.views {
		rec := b.rec
		rec.key, rec.kind, rec.off, rec.size = viewKey(b.rec.key, v.number), b.intern(v.kind), v.off, v.size
		if !b.seen.add(rec.key) {
			return fmt.Errorf("%s: %w: view %d of %.200q: the key %.200q was used before", shard, data.ErrFormat, v.number, b.rec.key, rec.key)
		}
		b.add(rec, err)
	}
	return nil
}

// add puts a record into the index; err is what is wrong with it, nil for nothing.
func (b *builder) add(rec record, err error) {
	if err != nil {
		b.set.wrong[len(b.set.records)] = err
	}
	b.set.records = append(b.set.records, rec)
}

// Info describes the data set.
func (s *Set) Info() data.Info { return s.info }

// Files returns the paths of the shards.
func (s *Set) Files() []string { return slices.Clone(s.shards.paths) }

// Len returns the number of samples.
func (s *Set) Len() int { return len(s.records) }

// Read reads sample i, 0 to Len()-1, into t. It is safe for concurrent use with distinct samples. A sample without an
// image, or with a label that cannot be, gives a [*data.SampleError] that wraps [data.ErrFormat] or [data.ErrLabel].
func (s *Set) Read(i int, t *data.Sample) error {
	s.Describe(i, t)
	r := &s.records[i]
	if err := s.wrong[i]; err != nil {
		return &data.SampleError{Name: t.Name, Key: t.Key, Err: err}
	}
	h, err := s.shards.acquire(int(r.shard))
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	defer s.shards.release(h)
	if int64(cap(t.Data)) < r.size {
		t.Data = make([]byte, r.size)
	}
	t.Data = t.Data[:r.size]
	if _, err := h.f.ReadAt(t.Data, r.off); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: the shard is shorter than when it was opened", data.ErrFormat)
		}
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// Describe implements [data.Describer].
func (s *Set) Describe(i int, t *data.Sample) {
	if i < 0 || i >= len(s.records) {
		panic(fmt.Sprintf("wds: sample %d of %d", i, len(s.records)))
	}
	r := &s.records[i]
	t.Key, t.Index, t.Label = r.key, i, r.label
	t.Form, t.W, t.H = data.Encoded, 0, 0
	t.Name, t.Ext = sampleName(s.shards.paths[r.shard], r.key, r.kind), extension(r.kind)
}

// Next reads the next sample into t, or returns io.EOF.
func (s *Set) Next(t *data.Sample) error { return s.cursor.Next(s, t) }

// Close closes the shards.
func (s *Set) Close() error { return s.shards.close() }

// fileReader reads a file through a buffer that small skips stay in. It is an [io.Seeker] relative to where it stands,
// which is all that a tar reader asks of one.
type fileReader struct {
	f   io.ReaderAt
	pos int64
	buf [1 << 16]byte
	at  int64 // offset of buf
	n   int   // bytes in buf
}

func (r *fileReader) position() int64 { return r.pos }

// Read reads from the buffer, which it fills first when it stands outside it.
func (r *fileReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.pos < r.at || r.pos >= r.at+int64(r.n) {
		n, err := r.f.ReadAt(r.buf[:], r.pos)
		if n == 0 {
			return 0, err
		}
		r.at, r.n = r.pos, n
	}
	n := copy(p, r.buf[r.pos-r.at:r.n])
	r.pos += int64(n)
	return n, nil
}

var errSeek = errors.New("wds: only seeks from the current position")

// Seek moves the position by off.
func (r *fileReader) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekCurrent || r.pos+off < 0 {
		return 0, errSeek
	}
	r.pos += off
	return r.pos, nil
}
