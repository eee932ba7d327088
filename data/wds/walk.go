package wds

import (
	"archive/tar"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// block is the unit of a tar file.
const block = 512

// entry is a file of a sample.
type entry struct {
	name string // as in the shard
	key  string
	kind string // lower case
	size int64
	off  int64 // of its data within the tar file
}

// positioned is a reader that knows how many bytes of the tar file lie before it. It may also be an [io.Seeker], in
// which case the tar reader does not read what it skips.
type positioned interface {
	io.Reader
	position() int64
}

// walker goes through the entries of one shard. Between two calls of next it is the reader of the current entry.
type walker struct {
	shard  string
	prefix string // of the keys
	src    positioned
	tr     *tar.Reader
	began  string // current entry
	whole  string // last entry that was there to its end
	end    int64  // where the data of the current entry ends
}

func newWalker(shard string, src positioned, o Options) *walker {
	w := &walker{shard: shard, src: src, tr: tar.NewReader(src)}
	if o.ShardKeys {
		w.prefix = shardStem(shard) + "/"
	}
	return w
}

// next goes to the next entry that belongs to a sample. It returns io.EOF at the end of a whole shard.
func (w *walker) next() (entry, error) {
	for {
		h, err := w.tr.Next()
		if w.src.position() >= w.end {
			w.whole = w.began
		}
		if errors.Is(err, io.EOF) {
			return entry{}, w.finish()
		}
		if err != nil {
			return entry{}, w.fail(err)
		}
		if w.began = h.Name; h.Size > math.MaxInt64/2 { // positions behind it would overflow
			return entry{}, w.reject(data.ErrFormat, fmt.Sprintf("declares %d bytes", h.Size))
		}
		w.end = w.src.position() + h.Size
		e, ok, err := w.check(h)
		if ok || err != nil {
			return e, err
		}
	}
}

// check rejects entries that must not be and says whether the others belong to a sample.
func (w *walker) check(h *tar.Header) (e entry, ok bool, err error) {
	if why := unsafeName(h.Name); why != "" {
		return e, false, w.reject(data.ErrUnsafe, why)
	}
	switch {
	case isSparse(h): // a few bytes could stand for any number of zeros
		return e, false, w.reject(data.ErrUnsupported, "is a sparse file")
	case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader:
		return e, false, nil
	case h.Typeflag != tar.TypeReg:
		return e, false, w.reject(data.ErrUnsafe, "is a link, a device or another special file")
	}
	key, kind := splitName(path.Clean(h.Name))
	if key == "" {
		return e, false, nil
	}
	key = w.prefix + unescape(key)
	if err := data.CheckKey(key); err != nil {
		return e, false, fmt.Errorf("%s: entry %.200q: %w", w.shard, h.Name, err)
	}
	return entry{name: h.Name, key: key, kind: kind, size: h.Size, off: w.src.position()}, true, nil
}

func (w *walker) reject(is error, why string) error {
	return fmt.Errorf("%s: %w: entry %.200q %s", w.shard, is, w.began, why)
}

// unsafeName says why an entry's name is rejected, "" if it is not. Backslashes count as separators, for they are on
// some systems.
func unsafeName(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case strings.HasPrefix(slashed, "/"), len(slashed) > 1 && slashed[1] == ':':
		return "has an absolute name"
	case strings.Contains("/"+slashed+"/", "/../"):
		return "points above its folder"
	}
	return ""
}

func isSparse(h *tar.Header) bool {
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// splitName cuts a clean name at the first dot of its base name. The key is "" for a name that belongs to no sample.
func splitName(name string) (key, kind string) {
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot <= 0 || isMeta(name) {
		return "", ""
	}
	at := slash + 1 + dot
	return name[:at], strings.ToLower(name[at+1:])
}

// isMeta reports whether the first element of a name is like __this__, which WebDataset keeps for itself.
func isMeta(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return len(first) >= 4 && strings.HasPrefix(first, "__") && strings.HasSuffix(first, "__")
}

// finish checks, at what the tar reader takes for the end, that it is one: a block of zeros after the last entry (tar
// writes two, and some readers of a shard cut between two entries would not notice), and nothing but zeros after that.
func (w *walker) finish() error {
	if padded := (w.end + block - 1) / block * block; w.src.position() < padded+block {
		return w.fail(io.ErrUnexpectedEOF)
	}
	var buf [8 * block]byte
	for {
		n, err := w.src.Read(buf[:])
		for _, b := range buf[:n] {
			if b != 0 {
				return fmt.Errorf("%s: %w: data after the end of the archive (tar files joined without --concatenate?)",
					w.shard, data.ErrFormat)
			}
		}
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return w.fail(err)
		}
	}
}

// Read reads from the current entry.
func (w *walker) Read(p []byte) (int, error) {
	n, err := w.tr.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.fail(err)
	}
	return n, err
}

// fail gives an error its place and its class: what the unpackers find is bad data, what the operating system says
// stays what it is.
func (w *walker) fail(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: the shard is cut off", data.ErrFormat)
	case errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader),
		errors.As(err, &corrupt):
		err = fmt.Errorf("%w: %w", data.ErrFormat, err)
	}
	if w.whole == "" {
		return fmt.Errorf("%s: %w; no entry is complete", w.shard, err)
	}
	return fmt.Errorf("%s: %w; the last complete entry is %.200q", w.shard, err, w.whole)
}
