package mixset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/raster"
)

// TestHostileCache: whatever lies under the name of a cache file that is not that file, whole, is replaced.
func TestHostileCache(t *testing.T) {
	dir := t.TempDir()
	o := Options{Size: 16, Seed: 3, Workers: 1, Cache: dir}
	made := 0
	o.Report = func(done, total int) { made = done }
	const spec = "deadleaves-n5"
	first, err := Open(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]*raster.Image, first.Len())
	for i := range want {
		want[i] = first.Image(i).Clone()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.mixset"))
	if err != nil || len(names) != 1 {
		t.Fatalf("cache files %v, %v", names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, b ...byte) []byte {
		f := bytes.Clone(whole)
		copy(f[at:], b)
		return f
	}
	idLen := int(binary.LittleEndian.Uint32(whole[20:]))
	for name, file := range map[string][]byte{
		"empty":             {},
		"text":              []byte("hello"),
		"foreign":           change(0, []byte("\x89PNG\r\n\x1a\n")...),
		"another version":   change(16, cacheVersion+1),
		"no identity":       change(20, 0, 0, 0, 0),
		"huge identity":     change(20, 0xff, 0xff, 0xff, 0xff),
		"huge count":        change(24, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"no images":         change(24, 0),
		"fewer images":      change(24, 4),
		"another checksum":  change(32, ^whole[32]),
		"another identity":  change(cacheHeader+3, 'x'),
		"another width":     change(cacheHeader+idLen, 200),
		"cut in the header": whole[:30],
		"cut in the table":  whole[:cacheHeader+idLen+5],
		"cut in images":     whole[:len(whole)-1],
		"longer":            append(bytes.Clone(whole), 0),
	} {
		if err := os.WriteFile(names[0], file, 0o666); err != nil {
			t.Fatal(err)
		}
		made = 0
		s, err := Open(t.Context(), spec, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if made != len(want) {
			t.Errorf("%s: %d images made anew", name, made)
		}
		for i := range want {
			if !raster.Equal(s.Image(i), want[i]) {
				t.Errorf("%s: image %d differs", name, i)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if now, _ := os.ReadFile(names[0]); !bytes.Equal(now, whole) {
			t.Errorf("%s: the file is not what it was", name)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// TestIdentity: everything that images depend on tells cache files apart, by name and by content.
func TestIdentity(t *testing.T) {
	base := identity{Kind: "fractals", Version: procedural.Version, Seed: 1, Side: 36, Count: 10}
	others := []identity{base, base, base, base, base, base, base}
	others[0].Kind = "escape"
	others[1].Version++
	others[2].Seed++
	others[3].Side++
	others[4].Count++
	others[5].Path = "/x"
	others[6].State = "abc"
	for _, o := range others {
		if o.name() == base.name() {
			t.Errorf("%+v has the name of %+v", o, base)
		}
		b := header(base, [][2]int{{1, 1}})
		b = append(b, 0, 0, 0, 255)
		if _, _, err := readHeader(bytes.NewReader(b), int64(len(b)), base); err != nil {
			t.Error(err)
		}
		if _, _, err := readHeader(bytes.NewReader(b), int64(len(b)), o); !errors.Is(err, errStale) {
			t.Errorf("%+v read as %+v: %v", base, o, err)
		}
	}
	if n := base.name(); !strings.HasPrefix(n, "fractals-36-seed1-") {
		t.Errorf("name %s", n)
	}
}

// FuzzHeader: no file makes readHeader panic, allocate much or claim images beyond its end.
func FuzzHeader(f *testing.F) {
	id := identity{Kind: "fractals", Side: 36, Count: 2}
	good := append(header(id, [][2]int{{2, 1}, {1, 3}}), make([]byte, 20)...)
	f.Add(good)
	f.Add(good[:40])
	f.Add([]byte(cacheMagic))
	f.Fuzz(func(t *testing.T, file []byte) {
		sizes, start, err := readHeader(bytes.NewReader(file), int64(len(file)), id)
		if err != nil {
			if !errors.Is(err, errStale) {
				t.Errorf("%v does not wrap errStale", err)
			}
			return
		}
		n := start
		for _, wh := range sizes {
			n += 4 * int64(wh[0]) * int64(wh[1])
		}
		if n != int64(len(file)) {
			t.Errorf("images end at %d of %d bytes", n, len(file))
		}
	})
}

// FuzzParse: a spec is a kind and a number within bounds, a path, or an error; what is written out reads as itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"fractals", "fractals-n5000", "deadleaves-squares", "deadleaves-squares-n3",
		"mixed-n0", "mixed-n-1", "./fractals",
		"escape-n1e3", "-n", "fractals-nn5", "x/{0..9}.tar",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		p, err := parse(spec, 7)
		switch {
		case err != nil:
			if !errors.Is(err, ErrSpec) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", spec, err)
			}
		case p.path != "":
			if p.kind != nil || p.String() != spec {
				t.Errorf("%q: %+v", spec, p)
			}
		default:
			again, err := parse(p.String(), 0)
			if err != nil || again != p || p.count < 1 || p.count > MaxCount {
				t.Errorf("%q is %+v, written out %+v (%v)", spec, p, again, err)
			}
		}
	})
}
