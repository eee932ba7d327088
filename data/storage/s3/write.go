//go:build !js

package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/augmix-go/augmix/data/storage"
)

const (
	minPart   = 8 << 20  // bytes of a part; what is smaller goes as a whole
	maxParts  = 10000    // of an object, by the protocol
	atOnce    = 8        // parts that a store sends, of all objects
	shaHeader = "Sha256" // of the metadata x-amz-meta-sha256
)

// Create begins an object. Its parts appear as one at Commit; an upload that is cut off leaves nothing under the name. The
// store checks the MD5 of each part.
func (s *Store) Create(ctx context.Context, name string, o storage.CreateOptions) (storage.Writer, error) {
	bucket, key, err := split(name)
	if err == nil && key == "" {
		err = fmt.Errorf("%w: %s names a bucket (allowed: %sBUCKET/KEY)", storage.ErrName, name, storage.Scheme)
	}
	if err != nil {
		return nil, err
	}
	part := max(minPart, (o.Size+maxParts-1)/maxParts)
	w := &upload{s: s, ctx: ctx, name: name, bucket: bucket, key: key, o: o, part: int(part)}
	if o.SHA256 != "" {
		return storage.Checked(w, name, o.SHA256), nil
	}
	return w, nil
}

// upload is an object being written.
type upload struct {
	s                 *Store
	ctx               context.Context
	name, bucket, key string
	o                 storage.CreateOptions
	part              int

	buf  []byte
	id   string // of the multipart upload, "" before there is one
	n    int    // parts begun
	done bool

	wg    sync.WaitGroup
	mu    sync.Mutex
	parts []minio.CompletePart
	err   error
}

// Write takes p; whole parts are sent while more is written.
func (w *upload) Write(p []byte) (n int, err error) {
	if w.done {
		return 0, fmt.Errorf("%s: %w", w.name, fs.ErrClosed)
	}
	for len(p) > 0 {
		if len(w.buf) == w.part { // only when more follows: an object of one part is not sent in parts
			if err := w.send(); err != nil {
				return n, err
			}
		}
		k := min(len(p), w.part-len(w.buf))
		w.buf = append(w.buf, p[:k]...)
		p, n = p[k:], n+k
	}
	return n, nil
}

func (w *upload) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// send sends the part at hand.
func (w *upload) send() error {
	if err := w.failed(); err != nil {
		return err
	}
	if w.id == "" {
		err := w.s.retry(w.ctx, func(ctx context.Context) (err error) {
			ctx, cancel := context.WithTimeout(ctx, w.s.config.Stall)
			defer cancel()
			w.id, err = w.s.core.NewMultipartUpload(ctx, w.bucket, w.key, w.options())
			return err
		})
		if err != nil {
			return w.s.explain(w.name, err)
		}
	}
	if w.n == maxParts {
		return fmt.Errorf("%s: %w: more than %d parts of %d bytes", w.name, storage.ErrStore, maxParts, w.part)
	}
	w.n++
	number, data := w.n, w.buf
	w.buf = make([]byte, 0, w.part)
	w.s.room <- struct{}{}
	w.wg.Go(func() {
		defer func() { <-w.s.room }()
		part, err := w.sendPart(number, data)
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil && w.err == nil {
			w.err = w.s.explain(w.name, err)
		}
		w.parts[number-1] = part
	})
	return nil
}

func (w *upload) sendPart(number int, data []byte) (part minio.CompletePart, err error) {
	w.mu.Lock()
	for len(w.parts) < number {
		w.parts = append(w.parts, minio.CompletePart{})
	}
	w.mu.Unlock()
	md, sha := sums(data)
	err = w.s.retry(w.ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, w.s.patience(len(data)))
		defer cancel()
		got, err := w.s.core.PutObjectPart(ctx, w.bucket, w.key, w.id, number, bytes.NewReader(data), int64(len(data)),
			minio.PutObjectPartOptions{Md5Base64: md, Sha256Hex: sha})
		part = minio.CompletePart{PartNumber: number, ETag: got.ETag}
		return err
	})
	return part, err
}

func sums(data []byte) (md5Base64, sha256Hex string) {
	m, s := md5.Sum(data), sha256.Sum256(data)
	return base64.StdEncoding.EncodeToString(m[:]), hex.EncodeToString(s[:])
}

// patience is how long a request may take that sends n bytes: at least 100 kB/s.
func (s *Store) patience(n int) time.Duration {
	return s.config.Stall + time.Duration(n/100_000)*time.Second
}

func (w *upload) options() minio.PutObjectOptions {
	o := minio.PutObjectOptions{}
	if w.o.SHA256 != "" {
		o.UserMetadata = map[string]string{shaHeader: w.o.SHA256}
	}
	return o
}

// Commit makes the object appear.
func (w *upload) Commit() error {
	if w.done {
		return fmt.Errorf("%s: %w", w.name, fs.ErrClosed)
	}
	err := w.commit()
	if err != nil {
		w.Abort()
	}
	w.done = true
	return err
}

func (w *upload) commit() error {
	if w.id != "" && len(w.buf) > 0 {
		if err := w.send(); err != nil {
			return err
		}
	}
	w.wg.Wait()
	if err := w.failed(); err != nil {
		return err
	}
	o := w.options()
	if w.o.Absent {
		o.SetMatchETagExcept("*")
	}
	md, sha := sums(w.buf)
	var tries int
	err := w.s.retry(w.ctx, func(ctx context.Context) error {
		tries++
		ctx, cancel := context.WithTimeout(ctx, w.s.patience(len(w.buf)))
		defer cancel()
		var err error
		if w.id == "" {
			_, err = w.s.core.PutObject(ctx, w.bucket, w.key, bytes.NewReader(w.buf), int64(len(w.buf)), md, sha, o)
		} else {
			_, err = w.s.core.CompleteMultipartUpload(ctx, w.bucket, w.key, w.id, w.parts, o)
		}
		return err
	})
	code := minio.ToErrorResponse(err).StatusCode
	if err != nil && tries > 1 && (code == http.StatusPreconditionFailed || code == http.StatusNotFound) && w.there() {
		return nil // an earlier try had succeeded and its answer was lost
	}
	if code == http.StatusPreconditionFailed || code == http.StatusConflict {
		return fmt.Errorf("%s: %w", w.name, fs.ErrExist)
	}
	return w.s.explain(w.name, err)
}

// there reports whether the object has what was written.
func (w *upload) there() bool {
	info, err := w.s.stat(w.ctx, w.bucket, w.key)
	if err != nil {
		return false
	}
	if w.o.SHA256 != "" {
		return info.UserMetadata[shaHeader] == w.o.SHA256
	}
	m := md5.Sum(w.buf)
	return w.id == "" && info.ETag == hex.EncodeToString(m[:])
}

// Abort drops what was sent.
func (w *upload) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.wg.Wait()
	if w.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 30*time.Second)
	defer cancel()
	// What cannot be aborted lies there without a name until the bucket's rule for such uploads removes it.
	_ = w.s.retry(ctx, func(ctx context.Context) error {
		err := w.s.core.AbortMultipartUpload(ctx, w.bucket, w.key, w.id)
		if minio.ToErrorResponse(err).Code == "NoSuchUpload" {
			return nil
		}
		return err
	})
}

// Sum returns the SHA-256 that an object was created with, see [storage.CreateOptions], and "" where none was said. The error of one
// that is not there wraps fs.ErrNotExist.
func (s *Store) Sum(ctx context.Context, name string) (string, error) {
	bucket, key, err := split(name)
	if err != nil {
		return "", err
	}
	info, err := s.stat(ctx, bucket, key)
	return info.UserMetadata[shaHeader], s.explain(name, err)
}
