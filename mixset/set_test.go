package mixset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
)

var _ mix.MixingSet = (*mixset.Set)(nil)

func open(t testing.TB, spec string, o mixset.Options) *mixset.Set {
	t.Helper()
	s, err := mixset.Open(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSide(t *testing.T) {
	for size, want := range map[int]int{8: 9, 32: 36, 64: 72, 96: 110, 224: 256, 299: 342} {
		if got := mixset.Side(size); got != want {
			t.Errorf("Side(%d) = %d, want %d", size, got, want)
		}
	}
	for size := mixset.MinSize; size <= mixset.MaxSize; size++ {
		if s := mixset.Side(size); s <= size || s > mixset.MaxSide || s < mixset.MinSide {
			t.Errorf("Side(%d) = %d", size, s)
		}
	}
}

// TestOrder: the same images in any order, by any number of goroutines and workers, in memory and through a cache.
func TestOrder(t *testing.T) {
	const n = 12
	want := open(t, fmt.Sprintf("mixed-n%d", n), mixset.Options{Size: 16, Seed: 4})
	if want.Len() != n || want.String() != "mixed-n12" {
		t.Fatalf("%s has %d images", want, want.Len())
	}
	for i := range n {
		if p := want.Image(i); p.W != 18 || p.H != 18 || p != want.Image(i) {
			t.Fatalf("image %d is %dx%d", i, p.W, p.H)
		}
	}
	same := func(name string, s *mixset.Set) {
		t.Helper()
		var wg sync.WaitGroup
		for g := range 5 {
			wg.Go(func() {
				for k := range n {
					i := (n - 1 - k + 3*g) % n
					if !raster.Equal(s.Image(i), want.Image(i)) {
						t.Errorf("%s: image %d differs", name, i)
					}
				}
			})
		}
		wg.Wait()
	}
	same("memory", open(t, "mixed", mixset.Options{Size: 16, Seed: 4, Count: n}))
	for _, workers := range []int{1, 2, 7} {
		dir := t.TempDir()
		last := 0
		o := mixset.Options{Size: 16, Seed: 4, Workers: workers, Cache: dir, Report: func(done, total int) {
			if done <= last || total != n {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
		}}
		same("cache being made", open(t, "mixed-n12", o))
		if last != n {
			t.Errorf("reported %d of %d", last, n)
		}
		o.Report = func(int, int) { t.Error("made again") }
		same("cache", open(t, "mixed-n12", o))
	}
	other := open(t, "mixed-n12", mixset.Options{Size: 16, Seed: 5})
	if raster.Equal(other.Image(0), want.Image(0)) {
		t.Error("the seed makes no difference")
	}
}

func TestBadSpecs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct {
		spec string
		o    mixset.Options
		is   error
		says string
	}{
		{"fractalz", mixset.Options{Size: 32}, mixset.ErrSpec, "kinds: fractals, escape"},
		{"", mixset.Options{Size: 32}, mixset.ErrSpec, "neither a kind nor a file"},
		{"fractals-n0", mixset.Options{Size: 32}, mixset.ErrSpec, "allowed: 1 to 16777216"},
		{"fractals-n", mixset.Options{Size: 32}, mixset.ErrSpec, "allowed: 1 to"},
		{"fractals-n+5", mixset.Options{Size: 32}, mixset.ErrSpec, "allowed: 1 to"},
		{"fractals-n99999999999999999999", mixset.Options{Size: 32}, mixset.ErrSpec, "allowed: 1 to"},
		{"fractals", mixset.Options{Size: 7}, mixset.ErrSpec, "size 7 (allowed: 8 to 2048)"},
		{"fractals", mixset.Options{}, mixset.ErrSpec, "size 0 (allowed: 8 to 2048)"},
		{"fractals", mixset.Options{Size: 32, Count: -1}, mixset.ErrSpec, "-1 images"},
		{"no/such/folder", mixset.Options{Size: 32}, fs.ErrNotExist, "no/such/folder"},
		{"fractals-n4+", mixset.Options{Size: 32}, mixset.ErrSpec, `"" is neither a kind`},
		{"fractals-n4+fvis.npy", mixset.Options{Size: 32}, mixset.ErrSpec, "no fvis.npy: feature visualizations are made"},
		{dir, mixset.Options{Size: 32}, mixset.ErrEmpty, "allowed: a folder or data set with at least one"},
	} {
		_, err := mixset.Open(t.Context(), tt.spec, tt.o)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line of %v with %q", tt.spec, err, tt.is, tt.says)
		}
	}
}

// TestJoined: the images of several sets, one set after the other, in memory and from cache files.
func TestJoined(t *testing.T) {
	folder := own(t, [2]int{40, 40}, [2]int{50, 40})
	plus := folder + "+more" // a path with a plus sign is one set
	if err := os.Rename(folder, plus); err != nil {
		t.Fatal(err)
	}
	parts := []string{"fractals-n3", plus, "escape-n2"}
	for _, cache := range []string{"", t.TempDir()} {
		o := mixset.Options{Size: 32, Seed: 4, Cache: cache}
		for _, spec := range [][]string{{"fractals-n3", "escape-n2"}, {plus}} {
			joined := open(t, strings.Join(spec, "+"), o)
			if joined.String() != strings.Join(spec, "+") {
				t.Errorf("%q", joined)
			}
			at := 0
			for _, one := range spec {
				part := open(t, one, o)
				for i := range part.Len() {
					if !raster.Equal(joined.Image(at), part.Image(i)) {
						t.Errorf("%s: image %d is not image %d of %s", joined, at, i, one)
					}
					at++
				}
			}
			if joined.Generated() != (len(spec) == 2) {
				t.Errorf("%s is generated: %v", joined, joined.Generated())
			}
			if joined.Len() != at {
				t.Errorf("%s: %d images, want %d", joined, joined.Len(), at)
			}
		}
	}
	// What cannot be told apart is an error that names the part.
	_, err := mixset.Open(t.Context(), strings.Join(parts, "+"), mixset.Options{Size: 32})
	if err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("%v", err)
	}
	if err := mixset.Check("fractals+spectrum-n5"); err != nil {
		t.Error(err)
	}
	if err := mixset.Check("fractals+spektrum"); !errors.Is(err, mixset.ErrSpec) {
		t.Error(err)
	}
}

// own writes a folder of images at several depths.
func own(t testing.TB, sizes ...[2]int) string {
	t.Helper()
	dir := t.TempDir()
	for i, wh := range sizes {
		file, err := data.Encoding{}.Append(nil, datatest.Samples(i+1, wh[0], wh[1], 0)[i].Image)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "set", []string{"a", "b/deep/er", "a/deep"}[i%3], fmt.Sprintf("%02d.png", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "set")
}

// TestFolder: images at any depth, their shorter side resized as Pillow does it, the longer side truncated.
func TestFolder(t *testing.T) {
	dir := own(t, [2]int{40, 50}, [2]int{100, 50}, [2]int{36, 36}, [2]int{33, 90})
	cache := t.TempDir()
	for _, o := range []mixset.Options{{Size: 32}, {Size: 32, Workers: 1, Cache: cache}, {Size: 32, Cache: cache}} {
		s := open(t, dir, o)
		if s.Len() != 4 || s.String() != dir {
			t.Fatalf("%s has %d images", s, s.Len())
		}
		src, err := folder.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, wh := range [][2]int{{36, 45}, {36, 98}, {36, 36}, {72, 36}} {
			var one data.Sample
			var m, want raster.Image
			if err := src.Read(i, &one); err != nil {
				t.Fatal(err)
			}
			if err := one.Decode(&m); err != nil {
				t.Fatal(err)
			}
			new(augment.Resizer).Resize(&want, &m, wh[0], wh[1], augment.Bilinear)
			if !raster.Equal(s.Image(i), &want) {
				t.Errorf("image %d (%s) is %dx%d, want %v by Pillow's bilinear filter", i, one.Key,
					s.Image(i).W, s.Image(i).H, wh)
			}
		}
	}
	// Images beside the folders count too, and a change makes the cache anew.
	beside, err := os.ReadFile(filepath.Join(dir, "a", "00.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "beside.png"), beside, 0o666); err != nil {
		t.Fatal(err)
	}
	if s := open(t, dir, mixset.Options{Size: 32, Cache: cache}); s.Len() != 5 {
		t.Errorf("%d images with one beside the folders", s.Len())
	}
	if err := os.Remove(filepath.Join(dir, "beside.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a", "00.png")); err != nil {
		t.Fatal(err)
	}
	if s := open(t, dir, mixset.Options{Size: 32, Cache: cache}); s.Len() != 3 {
		t.Errorf("%d images after one was removed", s.Len())
	}
}

// TestStrayLabels: labels of another array that lie beside the images of a set are not its own, and none are wanted.
func TestStrayLabels(t *testing.T) {
	dir := t.TempDir()
	for name, a := range map[string]*npy.Array{
		"set.npy":    {Shape: []int{2, 32, 32, 3}, Data: make([]uint8, 2*32*32*3)},
		"labels.npy": {Shape: []int{5}, Data: make([]int64, 5)},
	} {
		if err := npy.WriteFile(filepath.Join(dir, name), a); err != nil {
			t.Fatal(err)
		}
	}
	if s := open(t, filepath.Join(dir, "set.npy"), mixset.Options{Size: 32}); s.Len() != 2 {
		t.Errorf("%d images, want 2", s.Len())
	}
}

// A change behind a link to a folder makes the cache anew too.
func TestLinkedFolder(t *testing.T) {
	dir, cache, root := own(t, [2]int{40, 50}, [2]int{100, 50}), t.TempDir(), t.TempDir()
	for _, to := range []string{dir, root} { // and a loop
		if err := os.Symlink(to, filepath.Join(root, filepath.Base(to))); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for _, want := range []int{2, 1} {
		if s := open(t, root, mixset.Options{Size: 32, Cache: cache}); s.Len() != want {
			t.Errorf("%d images, want %d", s.Len(), want)
		}
		if err := os.Remove(filepath.Join(dir, "a", "00.png")); want == 2 && err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnErrors(t *testing.T) {
	small := own(t, [2]int{40, 40}, [2]int{31, 60})
	broken := own(t, [2]int{40, 40})
	if err := os.WriteFile(filepath.Join(broken, "a", "x.png"), []byte("\x89PNG\r\n\x1a\nno more"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{"", t.TempDir()} {
		_, err := mixset.Open(t.Context(), small, mixset.Options{Size: 32, Cache: cache})
		if !errors.Is(err, mixset.ErrSmall) ||
			!strings.Contains(err.Error(), "01.png is 31x60 (allowed: both sides at least 32") {
			t.Errorf("small: %v", err)
		}
		_, err = mixset.Open(t.Context(), broken, mixset.Options{Size: 32, Cache: cache})
		if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "x.png") {
			t.Errorf("broken: %v", err)
		}
		if cache != "" {
			if left, _ := os.ReadDir(cache); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		}
	}
}

// write puts n images into a sink.
func write(t testing.TB, sink data.Sink, err error, n, w, h int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range datatest.Samples(n, w, h, 0) {
		if err := sink.Put(&data.Item{Key: k.Key, Label: data.NoLabel, Image: k.Image}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestArray: an array of images of the training size gets a black border of 4; others are resized.
func TestArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "300k.npy")
	sink, err := npyset.CreateNPY(path, nil, npyset.SinkOptions{}, nil)
	write(t, sink, err, 5, 32, 32)
	s := open(t, path, mixset.Options{Size: 32})
	for i, k := range datatest.Samples(5, 32, 32, 0) {
		want := raster.New(40, 40)
		raster.CopyRect(want, image.Pt(4, 4), k.Image, k.Image.Bounds())
		if !raster.Equal(s.Image(i), want) {
			t.Errorf("image %d is not itself in a border", i)
		}
	}
	if p := open(t, path, mixset.Options{Size: 24}).Image(0); p.W != 27 || p.H != 27 {
		t.Errorf("for 24: %dx%d", p.W, p.H)
	}
	if _, err := mixset.Open(t.Context(), path, mixset.Options{Size: 48}); !errors.Is(err, mixset.ErrSmall) {
		t.Errorf("for 48: %v", err)
	}
}

// TestShards: a WebDataset, with random access and as a stream.
func TestShards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shards")
	sink, err := wds.Create(dir, nil, wds.SinkOptions{PerShard: 3}, nil)
	write(t, sink, err, 7, 40, 44)
	for _, path := range []string{dir, filepath.Join(dir, "data-{000000..000001}.tar")} {
		s := open(t, path, mixset.Options{Size: 32, Cache: t.TempDir()})
		if want := map[string]int{dir: 7}[path]; want > 0 && s.Len() != want || want == 0 && s.Len() != 6 {
			t.Errorf("%s has %d images", path, s.Len())
		}
		if p := s.Image(1); p.W != 36 || p.H != 39 {
			t.Errorf("%s: %dx%d", path, p.W, p.H)
		}
	}
}

// TestCancel: the cause comes back and nothing is left.
func TestCancel(t *testing.T) {
	stop := errors.New("enough")
	cache := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	report := func(done, _ int) {
		if done > 30 {
			cancel(stop)
		}
	}
	o := mixset.Options{Size: 16, Workers: 2, Cache: cache, Report: report}
	_, err := mixset.Open(ctx, "deadleaves-n5000", o)
	if !errors.Is(err, stop) {
		t.Errorf("%v, want the cause", err)
	}
	if left, _ := os.ReadDir(cache); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestCacheFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := mixset.Open(t.Context(), "deadleaves-n2", mixset.Options{Size: 16, Cache: file}); err == nil ||
		!strings.Contains(err.Error(), "cache folder") {
		t.Errorf("a file for a folder: %v", err)
	}
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	open(t, "deadleaves-n2", mixset.Options{Size: 16, Cache: mixset.UserCache})
	found := 0
	_ = filepath.WalkDir(home, func(name string, e fs.DirEntry, _ error) error {
		begin := filepath.Join("augmix", "mixset", "deadleaves-18-seed0-")
		if strings.HasSuffix(name, ".mixset") && strings.Contains(name, begin) {
			found++
		}
		return nil
	})
	if found != 1 {
		t.Errorf("%d cache files in the user's folder", found)
	}
}

// TestSource: what package data promises of a source with random access.
func TestSource(t *testing.T) {
	src, err := mixset.NewSource("mixed", 9, 12, 1)
	if err != nil {
		t.Fatal(err)
	}
	var all []data.Sample
	for {
		var s data.Sample
		err := src.Next(&s)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	info := src.Info()
	if len(all) != 9 || src.Len() != 9 || info.Len != 9 || info.Format != "mixed" || info.Classes != nil {
		t.Fatalf("%d samples, %+v", len(all), info)
	}
	if err := src.Next(new(data.Sample)); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			var s data.Sample // reused
			for k := range 9 {
				i := (4*k + g) % 9
				if err := src.Read(i, &s); err != nil {
					t.Error(err)
				}
				w := &all[i]
				if s.Key != w.Key || s.Index != i || w.Index != i || s.Label != data.NoLabel ||
					!bytes.Equal(s.Data, w.Data) {
					t.Errorf("sample %d: %q %d", i, s.Key, s.Index)
				}
			}
		})
	}
	wg.Wait()
	var m, want raster.Image
	if err := all[4].Decode(&m); err != nil {
		t.Fatal(err)
	}
	kind, err := procedural.ByName("mixed")
	if err != nil {
		t.Fatal(err)
	}
	new(procedural.Generator).Generate(&want, kind, 1, 4, 12)
	if !raster.Equal(&m, &want) || all[4].Key != "000004" {
		t.Errorf("sample 4, %q, is not image 4", all[4].Key)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		kind    string
		n, side int
		is      error
	}{
		{"no", 1, 32, procedural.ErrKind},
		{"mixed", 0, 32, mixset.ErrSpec},
		{"mixed", mixset.MaxCount + 1, 32, mixset.ErrSpec},
		{"mixed", 1, mixset.MinSide - 1, mixset.ErrSpec},
		{"mixed", 1, mixset.MaxSide + 1, mixset.ErrSpec},
	} {
		_, err := mixset.NewSource(tt.kind, tt.n, tt.side, 0)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// Glance tells a set of the user's from what it was, and not from a copy; a generated one, which its spec says, has none.
func TestGlance(t *testing.T) {
	glance := func(spec string) string {
		t.Helper()
		sum, err := mixset.Glance(spec)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	dir, other := own(t, [2]int{20, 20}, [2]int{24, 30}), own(t, [2]int{20, 20}, [2]int{30, 24})
	was := glance(dir)
	if copied := own(t, [2]int{20, 20}, [2]int{24, 30}); was == "" || glance(copied) != was {
		t.Errorf("%q, and %q of a copy", was, glance(copied))
	}
	if glance(other) == was {
		t.Error("another set has the same digest")
	}
	if got, want := glance(dir+"+fractals-n3+"+other), was+"+"+glance(other); got != want {
		t.Errorf("of several: %q, want %q", got, want)
	}
	if got := glance("fractals-n3"); got != "" {
		t.Errorf("of a generated one: %q", got)
	}
	if err := os.Rename(filepath.Join(other, "b/deep/er/01.png"), filepath.Join(dir, "b/deep/er/01.png")); err != nil {
		t.Fatal(err)
	}
	if glance(dir) == was {
		t.Error("another image was not seen")
	}
	if _, err := mixset.Glance(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
