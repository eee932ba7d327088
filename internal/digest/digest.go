// Package digest computes SHA-256 digests of files.
package digest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/augmix-go/augmix/internal/regular"
)

// Sum is a digest. It prints as hexadecimal with %x.
type Sum [sha256.Size]byte

// String returns the digest in hexadecimal, as sha256sum prints it.
func (s Sum) String() string { return fmt.Sprintf("%x", s[:]) }

// Short names a file in results by its first eight bytes: "sha256:0123456789abcdef".
func (s Sum) Short() string { return fmt.Sprintf("sha256:%x", s[:8]) }

// chunks keeps the memory through which files are read: a data set has millions of small ones.
var chunks = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// File returns the SHA-256 digest of a file and how many bytes that is of. Errors name the file. It may be called from
// several goroutines at once.
func File(path string) (sum Sum, size int64, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return sum, 0, err
	}
	defer f.Close() // only read
	return Reader(f)
}

// Reader is File for what is left of r. It may be called from several goroutines at once, with a reader each.
func Reader(r io.Reader) (sum Sum, size int64, err error) {
	chunk := chunks.Get().(*[256 << 10]byte)
	defer chunks.Put(chunk)
	h := sha256.New()
	for {
		n, err := r.Read(chunk[:])
		_, _ = h.Write(chunk[:n]) // never fails
		size += int64(n)
		if err == io.EOF {
			h.Sum(sum[:0])
			return sum, size, nil
		}
		if err != nil {
			return sum, 0, fmt.Errorf("cannot hash: %w", err)
		}
	}
}
