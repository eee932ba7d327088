package cifar

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Archive is an open data set in a .tar or .tar.gz file. It reads a stream and is no [data.Indexed].
//
// Opening it reads the archive through once, for the number of samples, the class names and the check sums. Next then
// yields the samples in the data set's order, not the archive's: where the next file lies before the last one in the
// archive, reading starts anew. The published archives are not in order, and a pass takes some seconds; whoever reads a
// data set often unpacks it first.
type Archive struct {
	path   string
	info   data.Info
	coarse bool
	parts  []part
	counts []int // samples of each part, as the first pass found them

	tar   *tarFile // nil before the first Next
	cur   *batch   // nil between parts
	part  int      // number of cur
	at    int      // next record of cur
	index int
	buf   bytes.Buffer // a pickled part
	err   error
}

// Files returns the path of the archive.
func (a *Archive) Files() []string { return []string{a.path} }

// maxArchive limits what an archive may unpack to; the published ones have less than 200 MB.
const maxArchive = 4 << 30

// sniffArchive reports whether a file is a gzip or a tar file, by its name or its first bytes.
func sniffArchive(path string) (bool, error) {
	for _, ext := range []string{".tar", ".gz", ".tgz"} {
		if strings.HasSuffix(path, ext) {
			return true, nil
		}
	}
	if strings.HasSuffix(path, ".bin") {
		return false, nil
	}
	f, err := data.OpenFile(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var b [512]byte
	n, err := io.ReadFull(f, b[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	return n > 2 && b[0] == 0x1f && b[1] == 0x8b || string(b[257:262]) == "ustar", nil
}

// openArchive makes the first pass.
func openArchive(path string, o Options) (*Archive, error) {
	found, err := scan(path, o)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(found.parts))
	for name := range found.parts {
		names = append(names, name)
	}
	parts, err := choose(names, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if o.Coarse && parts[0].kind != CIFAR100 {
		return nil, fmt.Errorf("%s: %w: CIFAR-10 has no coarse labels", path, data.ErrUnsupported)
	}
	m, err := readMeta(parts[0], func(name string) ([]byte, error) {
		if text, ok := found.metas[name]; ok {
			return text, nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a := &Archive{path: path, coarse: o.Coarse, parts: parts}
	a.info = data.Info{Format: parts[0].kind.String(), Classes: m.labels(o.Coarse), Part: splitOf(parts)}
	for _, p := range parts {
		e := found.parts[p.name]
		if e.err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, p.name, e.err)
		}
		a.counts = append(a.counts, e.n)
		a.info.Len += e.n
	}
	return a, nil
}

// found is what the first pass learns of an archive.
type found struct {
	parts map[string]entry // data files by base name
	metas map[string][]byte
}

type entry struct {
	n   int
	err error // of a file that the options may not need
}

var metaNames = map[string]bool{
	"batches.meta.txt": true, "batches.meta": true, "meta": true,
	"fine_label_names.txt": true, "coarse_label_names.txt": true,
}

// scan reads the whole archive.
func scan(name string, o Options) (*found, error) {
	t, err := openTar(name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	res := &found{parts: map[string]entry{}, metas: map[string][]byte{}}
	var buf bytes.Buffer
	for {
		h, err := t.next()
		if errors.Is(err, io.EOF) {
			return res, nil
		}
		if err != nil {
			return nil, err
		}
		base := path.Base(h.Name)
		p, isPart := parsePart(base)
		if _, twice := res.parts[base]; isPart && twice || res.metas[base] != nil {
			return nil, fmt.Errorf("%s: %w: two entries named %s", name, data.ErrFormat, base)
		}
		switch {
		case isPart:
			b, err := t.batch(h, p, &buf, o.Coarse && p.kind == CIFAR100)
			if t.failed != nil {
				return nil, t.failed
			}
			res.parts[base] = entry{err: err}
			if err == nil {
				res.parts[base] = entry{n: b.n}
			}
		case metaNames[base]:
			if h.Size > maxMeta {
				return nil, fmt.Errorf("%s: %s: %w: more than %d bytes of class names", name, h.Name, data.ErrFormat, maxMeta)
			}
			if res.metas[base], err = io.ReadAll(t); err != nil {
				return nil, err
			}
		}
	}
}

// Info describes the data set.
func (a *Archive) Info() data.Info { return a.info }

// Next reads the next sample into s, or returns io.EOF. A label outside the classes gives a [*data.SampleError] that
// wraps [data.ErrLabel].
func (a *Archive) Next(s *data.Sample) error {
	if a.err != nil {
		return a.err
	}
	for a.cur == nil || a.at == a.cur.n {
		if a.cur != nil {
			a.part++
		}
		if a.part == len(a.parts) {
			a.cur, a.err = nil, io.EOF
			return a.err
		}
		if a.cur, a.err = a.openPart(); a.err != nil {
			return a.err
		}
		a.at = 0
	}
	s.Index = a.index
	err := a.cur.read(a.at, s)
	var one *data.SampleError
	if err != nil && !errors.As(err, &one) {
		a.err = err
		return err
	}
	a.at, a.index = a.at+1, a.index+1
	return err
}

// openPart goes to the current part's entry, in the rest of the archive or, failing that, from its start.
func (a *Archive) openPart() (*batch, error) {
	p := a.parts[a.part]
	for pass := range 2 {
		if a.tar == nil || pass > 0 {
			if a.tar != nil {
				a.tar.Close()
			}
			t, err := openTar(a.path)
			if err != nil {
				a.tar = nil
				return nil, err
			}
			a.tar = t
		}
		h, err := a.tar.find(p.name)
		if errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b, err := a.tar.batch(h, p, &a.buf, a.coarse)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", a.path, h.Name, err)
		}
		if b.n != a.counts[a.part] {
			break
		}
		b.classes = len(a.info.Classes)
		return b, nil
	}
	return nil, fmt.Errorf("%s: %w: %s is not what it was when the archive was opened", a.path, data.ErrFormat, p.name)
}

// Close closes the file.
func (a *Archive) Close() error {
	a.err = fmt.Errorf("cannot read %s: %w", a.path, fs.ErrClosed)
	if a.tar == nil {
		return nil
	}
	err := a.tar.Close()
	a.tar = nil
	return err
}

// tarFile reads a tar file, compressed or not, from its start. It is the io.Reader of the current entry.
type tarFile struct {
	path   string
	f      storage.File
	tail   io.Reader // what lies under tr, to be read to its end for the check sum
	tr     *tar.Reader
	last   string // last entry begun
	failed error  // first error of the archive itself
}

func openTar(name string) (*tarFile, error) {
	f, err := data.OpenFile(name)
	if err != nil {
		return nil, err
	}
	t := &tarFile{path: name, f: f, tail: f}
	var magic [2]byte
	if _, err := f.ReadAt(magic[:], 0); err == nil && magic == [2]byte{0x1f, 0x8b} {
		if t.tail, err = gzip.NewReader(f); err != nil {
			f.Close()
			return nil, t.fail(err)
		}
	}
	t.tail = io.LimitReader(t.tail, maxArchive)
	t.tr = tar.NewReader(t.tail)
	return t, nil
}

// Close closes the file.
func (t *tarFile) Close() error { return t.f.Close() }

// next goes to the next regular file, or returns io.EOF after a whole archive.
func (t *tarFile) next() (*tar.Header, error) {
	for {
		h, err := t.tr.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, t.tail); err != nil {
				return nil, t.fail(err)
			}
			return nil, io.EOF
		}
		if err != nil {
			return nil, t.fail(err)
		}
		t.last = h.Name
		if strings.HasPrefix(h.Name, "/") || strings.Contains("/"+h.Name+"/", "/../") {
			return nil, t.fail(fmt.Errorf("%w: entry %.200q points outside the archive", data.ErrUnsafe, h.Name))
		}
		switch {
		case isSparse(h): // a few bytes could stand for any number of zeros
			return nil, t.fail(fmt.Errorf("%w: entry %.200q is a sparse file", data.ErrUnsupported, h.Name))
		case h.Typeflag == tar.TypeReg:
			return h, nil
		case h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeXGlobalHeader:
			return nil, t.fail(fmt.Errorf("%w: entry %.200q is a link or a device", data.ErrUnsafe, h.Name))
		}
	}
}

func isSparse(h *tar.Header) bool {
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// find goes to the next entry of that base name.
func (t *tarFile) find(base string) (*tar.Header, error) {
	for {
		h, err := t.next()
		if err != nil || path.Base(h.Name) == base {
			return h, err
		}
	}
}

// Read reads from the current entry.
func (t *tarFile) Read(p []byte) (int, error) {
	n, err := t.tr.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = t.fail(err)
	}
	return n, err
}

// fail gives an error of the archive its place and its class: what the unpackers find is bad data, what the operating
// system says stays what it is.
func (t *tarFile) fail(err error) error {
	if t.failed != nil {
		return t.failed
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: archive is cut off, or unpacks to more than %d bytes", data.ErrFormat, int64(maxArchive))
	case errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader),
		errors.As(err, &corrupt):
		err = fmt.Errorf("%w: %w", data.ErrFormat, err)
	}
	if t.last != "" {
		err = fmt.Errorf("at or after %.200q: %w", t.last, err)
	}
	t.failed = fmt.Errorf("%s: %w", t.path, err)
	return t.failed
}

// batch describes the current entry. A pickled one is read whole into buf, which must stay as it is while the batch is
// in use; a binary one is read record by record, in order.
func (t *tarFile) batch(h *tar.Header, p part, buf *bytes.Buffer, coarse bool) (*batch, error) {
	file := t.path + ": " + h.Name
	if !p.pickle {
		return binaryBatch(&inOrder{r: t}, file, p, h.Size, coarse)
	}
	if h.Size > maxPickle {
		return nil, fmt.Errorf("%w: pickle of %d bytes (allowed: %d)", data.ErrUnsupported, h.Size, maxPickle)
	}
	buf.Reset()
	if _, err := buf.ReadFrom(t); err != nil {
		return nil, err
	}
	return pickleBatch(buf.Bytes(), file, p, coarse)
}

// inOrder is an io.ReaderAt for callers that read a stream from its start without gaps.
type inOrder struct {
	r   io.Reader
	pos int64
}

// ReadAt reads len(p) bytes; it panics unless off is where the last read ended.
func (q *inOrder) ReadAt(p []byte, off int64) (int, error) {
	if off != q.pos {
		panic(fmt.Sprintf("cifar: read at %d of a stream at %d", off, q.pos))
	}
	n, err := io.ReadFull(q.r, p)
	q.pos += int64(n)
	return n, err
}
