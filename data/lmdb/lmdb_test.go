package lmdb

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/raster"
)

const pageSize = 4096

var le = binary.LittleEndian

// entry is a key with its value.
type entry struct {
	key   string
	value []byte
}

// database is a file of one leaf whose values are all in pages of their own.
func database(entries []entry) []byte {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.key, b.key) })
	file := make([]byte, 3*pageSize)
	leaf := file[2*pageSize:]
	le.PutUint64(leaf, 2)
	le.PutUint16(leaf[10:], 2)
	le.PutUint16(leaf[12:], uint16(16+2*len(entries)))
	end := pageSize
	for i, e := range entries {
		run := len(file) / pageSize
		pages := (16 + len(e.value) + pageSize - 1) / pageSize
		head := make([]byte, 16)
		le.PutUint64(head, uint64(run))
		le.PutUint16(head[10:], 4)
		le.PutUint32(head[12:], uint32(pages))
		file = append(append(file, head...), e.value...)
		file = append(file, make([]byte, (run+pages)*pageSize-len(file))...)
		leaf = file[2*pageSize:]
		end -= (16 + len(e.key) + 1) &^ 1
		le.PutUint16(leaf[16+2*i:], uint16(end))
		node := leaf[end:]
		le.PutUint32(node, uint32(len(e.value)))
		le.PutUint16(node[4:], 1)
		le.PutUint16(node[6:], uint16(len(e.key)))
		copy(node[8:], e.key)
		le.PutUint64(node[8+len(e.key):], uint64(run))
	}
	le.PutUint16(leaf[14:], uint16(end))
	for page := range 2 {
		b := file[page*pageSize:]
		le.PutUint64(b, uint64(page))
		le.PutUint16(b[10:], 8)
		le.PutUint32(b[16:], 0xBEEFC0DE)
		le.PutUint32(b[20:], 1)
		le.PutUint32(b[40:], pageSize)
		le.PutUint64(b[40+40:], 1<<64-1)
		main := b[88:]
		le.PutUint16(main[6:], 1)
		le.PutUint64(main[32:], uint64(len(entries)))
		le.PutUint64(main[40:], 2)
		le.PutUint64(b[144:], uint64(page))
	}
	return file
}

func write(t testing.TB, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConformance(t *testing.T) {
	datatest.Suite{
		Classes: []string{}, Indexed: true, Unlabeled: true, Key: func(k datatest.Known, _ []string) string { return k.Key },
		Open: func(path string) (data.Source, error) { return Open(path) },
		Build: func(t testing.TB, dir string, samples []datatest.Known, _ []string) string {
			var entries []entry
			for _, k := range samples {
				b, err := data.Encoding{}.Append(nil, k.Image)
				if err != nil {
					t.Fatal(err)
				}
				entries = append(entries, entry{k.Key, b})
			}
			if err := os.WriteFile(filepath.Join(dir, File), database(entries), 0o666); err != nil {
				t.Fatal(err)
			}
			return dir
		},
	}.Run(t)
}

// real is a database that liblmdb 0.9.24 wrote in three transactions: 300 values of formula, of which every seventh was deleted, and two
// images in WebP.
func realFile(t testing.TB) []byte {
	f, err := os.Open(filepath.Join("testdata", "real.mdb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReal(t *testing.T) {
	src, err := Open(write(t, realFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := map[string][]byte{}
	for i := range 300 {
		n := 11 * (i % 9)
		if i%97 == 5 {
			n = 7000
		}
		if i%7 != 0 {
			want[fmt.Sprintf("%06d", i*7919%1000003)] = bytes.Repeat(fmt.Appendf(nil, "value %d ", i), n/8+1)[:n]
		}
	}
	var s data.Sample
	last, images := "", 0
	for i := range src.Len() {
		if err := src.Read(i, &s); err != nil {
			t.Fatal(err)
		}
		if s.Key <= last || s.Label != data.NoLabel {
			t.Errorf("%s after %s, label %d", s.Key, last, s.Label)
		}
		last = s.Key
		if value, ok := want[s.Key]; ok {
			if !bytes.Equal(s.Data, value) {
				t.Errorf("%s has %d bytes %.40q", s.Key, len(s.Data), s.Data)
			}
			delete(want, s.Key)
			continue
		}
		var m raster.Image
		if err := s.Decode(&m); err != nil || m.W != 8 || m.H != 6 || s.Key != "lossy" && s.Key != "lossless" {
			t.Errorf("%s: %dx%d, %v", s.Key, m.W, m.H, err)
		}
		if c := m.At(3, 2); s.Key == "lossless" && c != (raster.RGB{R: 90, G: 80, B: 128}) {
			t.Error(c)
		}
		images++
	}
	if len(want) > 0 || images != 2 {
		t.Errorf("%d values are missing, %d images", len(want), images)
	}
}

// TestHostile: what a file says of pages, nodes and sizes is refused in one line that names the file.
func TestHostile(t *testing.T) {
	good := database([]entry{{"a", []byte("A")}, {"b", make([]byte, 5000)}, {"c", nil}})
	with := func(at int, bytes ...byte) []byte {
		return slices.Replace(slices.Clone(good), at, at+len(bytes), bytes...)
	}
	const leaf, main = 2 * pageSize, 88
	first := leaf + int(le.Uint16(good[leaf+16:])) // node a
	overlap := with(leaf+2000+6, 0xd0, 7)          // three nodes at byte 2000, with a key of 2000 bytes
	copy(overlap[leaf+16:], []byte{0xd0, 7, 0xd0, 7, 0xd0, 7})
	twice := with(first, 0x88, 0x13) // 5000 bytes of a where those of b lie
	twice[first+9] = 4
	for want, file := range map[string][]byte{
		"more pages than the file":    twice,
		"within the first page":       good[:100],
		"within the second":           good[:pageSize+50],
		"no meta page":                with(16, 1),
		"version 2":                   with(20, 2),
		"pages of 5000 bytes":         with(40, 0x88, 0x13),
		"pages of 1048576 bytes":      with(40, 0, 0, 16),
		"flags 0x4":                   with(pageSize+main+4, 4),
		"depth 999":                   with(pageSize+main+6, 0xe7, 3),
		"head says 4":                 with(pageSize+main+32, 4),
		"page 1 of 7":                 with(pageSize+main+40, 1),
		"page 9 of 7":                 with(pageSize+main+40, 9),
		"says that it is page 3":      with(leaf, 3),
		"has the flags 0x4":           with(leaf+10, 4),
		"at level 1 of 2":             with(pageSize+main+6, 2),
		"nodes up to byte 5000":       with(leaf+12, 0x88, 0x13),
		"nodes up to byte 3":          with(leaf+12, 3, 0),
		"node 1 of page 2 begins at":  with(leaf+18, 5, 0),
		"node 2 of page 2 begins at":  with(leaf+20, 0xfe, 0x0f),
		"overlap":                     overlap,
		"is not after the one before": with(first+8, 'z'),
		"key 0 of page 2 is empty":    database([]entry{{"", []byte("A")}, {"", []byte("B")}}),
		"a database within":           with(first+4, 2),
		"1 bytes from page 1 of 7":    with(first+9, 1),
		"1 bytes from page 70 of 7":   with(first+9, 70),
		"16777217 bytes from page":    with(first, 1, 0, 0, 1),
		"allowed: 268435456":          with(first, 0, 0, 0, 0xff),
		"not begin a long value":      with(3*pageSize+10, 2),
	} {
		path := write(t, file)
		src, err := Open(path)
		if err == nil {
			var s data.Sample
			err = src.Read(0, &s)
			src.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsupported) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestLoop: a tree whose branch is its own child ends.
func TestLoop(t *testing.T) {
	file := database(nil)
	for page := range 2 {
		le.PutUint16(file[page*pageSize+88+6:], 30)
	}
	branch := file[2*pageSize:]
	le.PutUint16(branch[10:], 1)
	le.PutUint16(branch[12:], 16+2*200)
	for i := range 200 {
		at := 2000 + 10*i
		le.PutUint16(branch[16+2*i:], uint16(at))
		le.PutUint32(branch[at:], 2)
	}
	if _, err := Open(write(t, file)); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "more pages than the file") {
		t.Error(err)
	}
}

// FuzzOpen: whatever a file says, it is read or refused.
func FuzzOpen(f *testing.F) {
	f.Add(database([]entry{{"a", []byte("A")}, {"b", make([]byte, 5000)}}))
	f.Add(realFile(f))
	f.Add(database([]entry{{"", nil}, {"", nil}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, r := new(Source), bytes.NewReader(file)
		if s.index(r, r.Size()) != nil {
			return
		}
		for _, v := range s.values {
			_, _ = v.read(r, nil)
		}
	})
}
