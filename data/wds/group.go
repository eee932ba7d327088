package wds

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// kinds are the kinds of image entries, the preferred first.
var kinds = []string{"jpg", "jpeg", "png", "webp", "bmp", "gif", "tif", "tiff"}

// Limits on the entries of a sample.
const (
	maxImage = 1 << 28 // in a compressed shard a thousandth of it suffices to say so much
	maxJSON  = 1 << 20
	maxCls   = 64
)

// group gathers the entries of one sample.
type group struct {
	key    string
	kinds  []string // seen
	rank   int      // of the image in kinds, len(kinds) without one
	views  []view   // by number; they count where there is no image
	bytes  int64    // of the views
	label  int
	hasCls bool
	err    error // what is wrong with this sample alone
	noJSON error // what is wrong with its entry of kind json, which does not count where there is a cls
	small  []byte
}

func (g *group) begin(key string) {
	*g = group{key: key, kinds: g.kinds[:0], rank: len(kinds), views: g.views[:0], label: data.NoLabel, small: g.small}
}

// view is one of several images of a sample.
type view struct {
	number, rank int
	kind         string // of the image alone: "jpg" of "v0.jpg"
	off, size    int64  // of an indexed shard
	data         []byte // of a stream
}

// maxViews is the most views of a sample.
const maxViews = 64

// viewOf returns the number of the view and the kind of its image that a kind such as v0.jpg says.
func viewOf(kind string) (number int, image string, ok bool) {
	digits, image, found := strings.Cut(strings.TrimPrefix(kind, "v"), ".")
	if !found || digits == kind {
		return 0, "", false
	}
	n, err := strconv.Atoi(digits)
	return n, image, kind[0] == 'v' && err == nil && n >= 0 && n < maxViews && strconv.Itoa(n) == digits
}

// use is what an entry is to its sample.
type use int8

const (
	noImage  use = iota
	theImage     // the sample's image as far as is known
	aView        // the last of group.views
)

// add takes the entry that r reads and says whether it is an image that the caller is to read. An error is one of the shard;
// what is wrong with the sample alone is kept for wrong.
func (g *group) add(e entry, r io.Reader) (use, error) {
	if slices.Contains(g.kinds, e.kind) {
		g.fail(fmt.Errorf("%w: two entries of kind %q", data.ErrFormat, e.kind))
		return noImage, nil
	}
	g.kinds = append(g.kinds, e.kind)
	switch e.kind {
	case "cls":
		return noImage, g.cls(e, r)
	case "json":
		return noImage, g.json(e, r)
	}
	if number, kind, ok := viewOf(e.kind); ok {
		return g.addView(number, kind, e), nil
	}
	rank := slices.Index(kinds, e.kind)
	if rank < 0 || rank >= g.rank {
		return noImage, nil
	}
	if g.rank = rank; e.size > maxImage {
		g.fail(fmt.Errorf("%w: image of %d bytes (allowed: %d)", data.ErrFormat, e.size, int64(maxImage)))
		return noImage, nil
	}
	return theImage, nil
}

// addView takes the image of a view, of several formats the preferred one.
func (g *group) addView(number int, kind string, e entry) use {
	rank := slices.Index(kinds, kind)
	had := slices.IndexFunc(g.views, func(v view) bool { return v.number == number })
	if rank < 0 || had >= 0 && g.views[had].rank < rank {
		return noImage
	}
	// All views of a sample are in memory at once where it is streamed.
	if g.bytes += e.size; g.bytes > maxImage {
		g.fail(fmt.Errorf("%w: views of more than %d bytes together", data.ErrFormat, int64(maxImage)))
		return noImage
	}
	if had >= 0 {
		g.views = slices.Delete(g.views, had, had+1)
	}
	g.views = append(g.views, view{number: number, rank: rank, kind: kind})
	return aView
}

// viewed reports whether the sample is its views, and sorts them by number.
func (g *group) viewed() bool {
	slices.SortFunc(g.views, func(a, b view) int { return a.number - b.number })
	return g.rank == len(kinds) && len(g.views) > 0
}

// viewKey is the key of a view of the sample of that key.
func viewKey(key string, number int) string { return key + "-v" + strconv.Itoa(number) }

func (g *group) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// wrong returns what is wrong with the sample once all entries are added; classes is the number of names, 0 for none.
func (g *group) wrong(classes int) error {
	switch {
	case g.err != nil:
		return g.err
	case g.noJSON != nil && !g.hasCls:
		return g.noJSON
	case g.rank == len(kinds) && len(g.views) == 0:
		return fmt.Errorf("%w: no image (wanted an entry of kind %s)", data.ErrFormat, strings.Join(kinds, ", "))
	case classes > 0 && g.label >= classes:
		return fmt.Errorf("%w: %d (allowed: 0 to %d)", data.ErrLabel, g.label, classes-1)
	}
	return nil
}

// extension is that of an image entry of a kind, "" without one.
func extension(kind string) string {
	if kind == "" {
		return ""
	}
	return "." + kind
}

// sampleName names a sample for messages; kind is that of its image, "" without one.
func sampleName(shard, key, kind string) string {
	if kind == "" {
		return shard + ": " + key
	}
	return shard + ": " + key + "." + kind
}

// tooLong is the error of an entry of more than limit bytes, nil for another.
func tooLong(e entry, limit int64) error {
	if e.size <= limit {
		return nil
	}
	return fmt.Errorf("%w: entry of kind %q has %d bytes (allowed: %d)", data.ErrLabel, e.kind, e.size, limit)
}

func (g *group) cls(e entry, r io.Reader) (err error) {
	if long := tooLong(e, maxCls); long != nil {
		g.fail(long)
		return nil
	}
	if g.small, err = readInto(g.small, r, e.size); err != nil {
		return err
	}
	g.hasCls = true
	n, perr := strconv.Atoi(strings.TrimSpace(string(g.small)))
	if perr != nil || n < 0 {
		g.fail(fmt.Errorf("%w: entry of kind cls holds %q (allowed: a number from 0)", data.ErrLabel, g.small))
		return nil
	}
	g.label = n
	return nil
}

// json takes the label of a JSON entry unless there is one already; an object without "label" holds other things, and so does
// what is no object: a list of boxes, a caption.
func (g *group) json(e entry, r io.Reader) (err error) {
	if g.hasCls {
		return nil
	}
	if g.noJSON = tooLong(e, maxJSON); g.noJSON != nil {
		return nil
	}
	if g.small, err = readInto(g.small, r, e.size); err != nil {
		return err
	}
	var v struct {
		Label *json.RawMessage `json:"label"`
	}
	if err := json.Unmarshal(g.small, &v); err != nil && json.Valid(g.small) {
		return nil
	} else if err != nil {
		g.noJSON = fmt.Errorf("%w: entry of kind json: %w", data.ErrLabel, err)
		return nil
	}
	if v.Label == nil {
		return nil
	}
	n, perr := strconv.Atoi(string(*v.Label))
	if perr != nil || n < 0 {
		g.noJSON = fmt.Errorf("%w: the JSON label is %.40s (allowed: an integer from 0)", data.ErrLabel, *v.Label)
		return nil
	}
	g.label = n
	return nil
}

// readInto reads size bytes into the memory of dst. It grows dst as the bytes arrive, not as size promises.
func readInto(dst []byte, r io.Reader, size int64) ([]byte, error) {
	const step = 1 << 16
	dst = dst[:0]
	for int64(len(dst)) < size {
		n := int(min(size-int64(len(dst)), int64(max(step, len(dst)))))
		have := len(dst)
		dst = slices.Grow(dst, n)[:have+n]
		if _, err := io.ReadFull(r, dst[have:]); err != nil {
			return dst[:have], err
		}
	}
	return dst, nil
}

// keySet remembers keys by a hash of 128 bits, so that millions of them take little memory.
type keySet struct {
	seeds [2]maphash.Seed
	keys  map[[2]uint64]struct{}
}

func newKeySet() *keySet {
	return &keySet{
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		keys:  map[[2]uint64]struct{}{},
	}
}

// add puts a key into the set and reports whether it was not there.
func (s *keySet) add(key string) bool {
	id := s.id(key)
	if _, there := s.keys[id]; there {
		return false
	}
	s.keys[id] = struct{}{}
	return true
}

func (s *keySet) has(key string) bool {
	_, there := s.keys[s.id(key)]
	return there
}

func (s *keySet) id(key string) [2]uint64 {
	return [2]uint64{maphash.String(s.seeds[0], key), maphash.String(s.seeds[1], key)}
}
