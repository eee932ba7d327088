package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// piecesOf returns an archive with an array of n pieces of size bytes, some bytes behind them, and where its data begin.
func piecesOf(t *testing.T, size, n, behind int) (file []byte, from int) {
	t.Helper()
	content := make([]byte, size*n+behind)
	for i := range content {
		content[i] = byte(rand.N(256))
	}
	array := wrap(1, header("|u1", int64(len(content))), content...)
	file = zipOf(t, zip.Store, [2]string{"a.npy", string(array)})
	return file, bytes.Index(file, array) + len(array) - len(content) // the content alone may be a byte of the header
}

// TestPieces: the checksum that comes of pieces, read in any order and some of them twice, is the one that archive/zip compares.
func TestPieces(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 0}, {5, 2, 0}, {1, 70_000, 3}, {12, 4097, 1}, {3072, 300, 0}} {
		size, n, behind := c[0], c[1], c[2]
		file, from := piecesOf(t, size, n, behind)
		last := from + size*n + behind - 1
		for _, at := range []int{-1, from - 1, from, from + size*n/2, last} { // -1: nothing is damaged
			damaged := bytes.Clone(file)
			if at == from-1 {
				damaged[at] = ' ' // the header still says the same
			} else if at >= 0 {
				damaged[at] ^= 4
			}
			for _, rest := range []bool{false, true} {
				if err := readPieces(t, damaged, size, n, rest); (err != nil) != (at >= 0) || err != nil && !errors.Is(err, ErrFormat) {
					t.Errorf("%d pieces of %d bytes, byte %d of %d damaged: %v", n, size, at, last, err)
				}
			}
		}
	}
}

// readPieces reads all pieces on several goroutines, or half of them and leaves the rest to Rest.
func readPieces(t *testing.T, file []byte, size, n int, rest bool) error {
	t.Helper()
	z, err := NewZip(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	_, section, err := z.Section("a")
	if err != nil {
		t.Fatal(err)
	}
	p, err := z.Pieces("a", size, n)
	if err != nil {
		t.Fatal(err)
	}
	order := rand.Perm(n)
	if rest {
		order = order[:n/2]
	}
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for w := range errs {
		wg.Go(func() {
			b := make([]byte, size)
			for k, i := range order {
				if k%2 != w && w < 2 { // the third reads all
					continue
				}
				if _, err := section.ReadAt(b, int64(i)*int64(size)); err != nil {
					errs[w] = err
					return
				}
				errs[w] = errors.Join(errs[w], p.Note(i, b))
			}
		})
	}
	wg.Wait()
	if rest {
		return p.Rest()
	}
	return errors.Join(errs...)
}

// TestPiecesUnset: as in archive/zip, a checksum of 0 is none.
func TestPiecesUnset(t *testing.T) {
	file, _ := piecesOf(t, 4, 9, 0)
	z, err := NewZip(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	z.files["a"].CRC32 = 0
	p, err := z.Pieces("a", 4, 9)
	if p != nil || err != nil || p.Note(0, nil) != nil || p.Rest() != nil {
		t.Errorf("%v, %v", p, err)
	}
}

func BenchmarkPieces(b *testing.B) {
	for _, size := range []int{28 * 28, 32 * 32 * 3, 224 * 224 * 3} {
		b.Run("", func(b *testing.B) {
			const n = 50_000
			piece := make([]byte, size)
			b.SetBytes(int64(size))
			var p *Pieces
			for i := range b.N {
				if i%n == 0 {
					p = &Pieces{size: size, n: n + 1, runs: make([]atomic.Pointer[run], n/runLength+1)}
					p.left.Store(n + 1)
				}
				if err := p.Note(i%n, piece); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
