//go:build !js

package s3

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/augmix-go/augmix/data/storage"
)

// Open opens an object. Nothing of it is read yet.
func (s *Store) Open(name string) (storage.File, error) {
	st, err := s.Stat(name)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s is a folder, not an object: %w", name, fs.ErrInvalid)
	}
	bucket, key, err := split(name)
	if err != nil {
		return nil, err
	}
	return &object{s: s, name: name, bucket: bucket, key: key, info: st.(objectInfo), sum: md5.New()}, nil
}

// object is an open object. Every request says the ETag that it was opened with.
type object struct {
	s                 *Store
	name, bucket, key string
	info              objectInfo

	// Of Read.
	pos  int64
	body io.ReadCloser
	sum  hash.Hash // MD5 of what was read

	last lastRead
}

// Stat describes the object as it was opened.
func (o *object) Stat() (fs.FileInfo, error) { return o.info, nil }

// Close ends a request that is under way.
func (o *object) Close() error {
	if o.body != nil {
		o.body.Close()
		o.body = nil
	}
	return nil
}

// get asks for the bytes from off up to end.
func (o *object) get(ctx context.Context, off, end int64) (io.ReadCloser, error) {
	opts := minio.GetObjectOptions{}
	if err := opts.SetRange(off, end-1); err != nil {
		return nil, err
	}
	if o.info.Object.Tag != "" {
		if err := opts.SetMatchETag(o.info.Object.Tag); err != nil {
			return nil, err
		}
	}
	r, info, header, err := o.s.core.GetObject(ctx, o.bucket, o.key, opts)
	if minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed {
		return nil, storage.ErrChanged
	}
	if err != nil {
		return nil, err
	}
	if err = o.checkRange(header.Get("Content-Range"), off, end); err == nil && info.ETag != o.info.Object.Tag && info.ETag != "" &&
		o.info.Object.Tag != "" {
		err = storage.ErrChanged // of a store that does not look at the condition
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// errRanges: a store, or a proxy before it, that sends other bytes of an object than it was asked for. It would do so again.
var errRanges = fmt.Errorf("%w: it does not serve ranges of objects", storage.ErrStore)

// checkRange returns an error unless an answer with this Content-Range, "" without one, begins at byte off. Without one it is all of the
// object, which is right only where all of it, up to end, was asked for.
func (o *object) checkRange(said string, off, end int64) error {
	if said == "" && off == 0 && end == o.info.Object.Size {
		return nil
	}
	if said == "" {
		said = "none"
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(said, "bytes "), "-")
	if n, err := strconv.ParseInt(first, 10, 64); err == nil && n == off {
		return nil
	}
	return fmt.Errorf("%w: asked for bytes %d-%d of %d, its answer has the Content-Range %q (allowed: stores that answer with the range)",
		errRanges, off, end-1, o.info.Object.Size, said)
}

// Read reads in order, by one request that is repeated from where it broke off. At the end of an object whose ETag is an MD5,
// the bytes are compared with it.
func (o *object) Read(p []byte) (n int, err error) {
	if o.pos >= o.info.Object.Size {
		return 0, o.check()
	}
	if len(p) == 0 {
		return 0, nil
	}
	err = o.s.retry(context.Background(), func(ctx context.Context) error {
		if o.body == nil {
			if o.body, err = o.get(ctx, o.pos, o.info.Object.Size); err != nil {
				return err
			}
		}
		if n, err = o.body.Read(p); n > 0 {
			return nil // an error comes again
		}
		o.Close()
		if err == io.EOF || err == nil {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
	n = int(min(int64(n), o.info.Object.Size-o.pos))
	o.pos += int64(n)
	o.sum.Write(p[:n])
	return n, o.s.explain(o.name, err)
}

// check returns io.EOF, or an error where the bytes are not those that the store was given.
func (o *object) check() error {
	o.Close()
	if sum := hex.EncodeToString(o.sum.Sum(nil)); len(o.info.Object.Tag) == len(sum) && o.info.plain && o.info.Object.Tag != sum {
		return fmt.Errorf("%s: %w: its bytes have the MD5 %s, its ETag is %s", o.name, storage.ErrStore, sum, o.info.Object.Tag)
	}
	return io.EOF
}

// ReadAt reads at any place. What is read in order, by however many goroutines, comes in blocks that are kept for a while.
func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: %w: at byte %d", o.name, fs.ErrInvalid, off)
	}
	want := p
	if left := o.info.Object.Size - off; left < int64(len(p)) {
		want = p[:max(left, 0)]
	}
	if len(want) > 0 {
		if err := o.readAt(want, off); err != nil {
			return 0, err
		}
	}
	if len(want) < len(p) {
		return len(want), io.EOF
	}
	return len(want), nil
}

func (o *object) readAt(p []byte, off int64) error {
	if !o.last.near(off, len(p)) && !o.s.blocks.has(o, off/blockSize) {
		return o.fill(p, off)
	}
	for len(p) > 0 {
		b, err := o.s.blocks.get(o, off/blockSize)
		if err != nil {
			return err
		}
		n := copy(p, b[off%blockSize:])
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// fill reads len(p) bytes that are there by a request of their own.
func (o *object) fill(p []byte, off int64) error {
	err := o.s.retry(context.Background(), func(ctx context.Context) error {
		b, err := o.get(ctx, off, off+int64(len(p)))
		if err != nil {
			return err
		}
		defer b.Close()
		_, err = io.ReadFull(b, p)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
	return o.s.explain(o.name, err)
}
