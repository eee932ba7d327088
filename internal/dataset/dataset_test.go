package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// files is a data set of JPEG images that counts how often it is read.
type files struct {
	list [][]byte
	bad  int // sample that cannot be decoded; -1: none
	next int
	read atomic.Int64
}

func newFiles(t testing.TB, n int) *files {
	t.Helper()
	f := &files{bad: -1}
	for i := range n {
		m := raster.New(40, 30)
		r := rng.NewKey(uint64(i)).Rand()
		for p := range 40 * 30 {
			m.Set(p%40, p/40, raster.RGB{R: uint8(6 * (p % 40)), G: uint8(r.IntN(50)), B: uint8(8 * (p / 40))})
		}
		file, err := data.Encoding{JPEG: true, Quality: 90}.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		f.list = append(f.list, file)
	}
	return f
}

func (f *files) Info() data.Info { return data.Info{Format: "files", Len: len(f.list)} }
func (f *files) Len() int        { return len(f.list) }
func (f *files) Close() error    { return nil }

func (f *files) Read(i int, s *data.Sample) error {
	f.read.Add(1)
	s.Key, s.Index, s.Label, s.Name, s.Form = fmt.Sprint(i), i, i%4, fmt.Sprintf("files[%d]", i), data.Encoded
	s.Data = append(s.Data[:0], f.list[i]...)
	if i == f.bad {
		s.Data = s.Data[:20]
	}
	return nil
}

func (f *files) Next(s *data.Sample) error {
	if f.next == len(f.list) {
		return io.EOF
	}
	f.next++
	return f.Read(f.next-1, s)
}

// TestOpen: images are the same whether they are all read first, kept as they come, kept in part, or read each time; kept
// ones are read once.
func TestOpen(t *testing.T) {
	crop, err := transform.ParseCrop("rrc:16")
	if err != nil {
		t.Fatal(err)
	}
	const n, whole = 12, 40 * 30 * 4
	images := func(d *Set, workers int) []*raster.Image {
		out := make([]*raster.Image, 3*n) // three rounds
		fetchers := make([]*Fetcher, workers)
		for w := range fetchers {
			fetchers[w] = d.Fetcher(&transform.Pipeline{Crop: crop, Flip: true, Epoch: 1}, nil)
		}
		parallel.Do(len(out), workers, func(w, i int) {
			out[i] = new(raster.Image)
			if s, err := fetchers[w].Fetch(out[i], i%n, 4, rng.NewKey(1)); err != nil || s.Label != i%4 || s.Key != fmt.Sprint(i%n) {
				t.Error(s, err)
			}
		})
		return out
	}
	loaded, err := Load(t.Context(), newFiles(t, n), 1<<20, 2)
	if err != nil || !loaded.InMemory() {
		t.Fatal(err)
	}
	want := images(loaded, 1)
	for limit, reads := range map[int64]int{1 << 20: n, 0: 3 * n, n * whole: n, n*whole - 1: 3 * n} {
		for _, workers := range []int{1, 3} {
			src := newFiles(t, n)
			d := Open(src, limit)
			src.read.Store(0)
			if !slices.EqualFunc(images(d, workers), want, raster.Equal) {
				t.Errorf("other images with a limit of %d", limit)
			}
			if got := int(src.read.Load()); got != reads && workers == 1 {
				t.Errorf("%d reads with a limit of %d, want %d", got, limit, reads)
			}
		}
	}
}

// TestLimitHolds: no more is kept than the limit, even where the first guess was wrong.
func TestLimitHolds(t *testing.T) {
	src := newFiles(t, 12)
	d := Open(src, 1<<20)
	d.left.Store(5*40*30*4 + 7)
	f := d.Fetcher(nil, nil)
	for i := range 12 {
		if _, _, err := f.Image(i, rng.NewKey(1)); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for i := range d.kept {
		if d.kept[i].Load() != nil {
			kept++
		}
	}
	if kept != 5 {
		t.Errorf("%d images are kept, want 5", kept)
	}
}

func TestBadSample(t *testing.T) {
	for _, limit := range []int64{0, 1 << 20} {
		src := newFiles(t, 4)
		src.bad = 2
		f := Open(src, limit).Fetcher(nil, nil)
		var bad *data.SampleError
		if _, _, err := f.Image(2, rng.NewKey(1)); !errors.As(err, &bad) || bad.Key != "2" {
			t.Errorf("limit %d: error %v", limit, err)
		}
		if m, _, err := f.Image(3, rng.NewKey(1)); err != nil || m.W != 40 {
			t.Errorf("limit %d: the next: %v", limit, err)
		}
	}
}

func TestCountClasses(t *testing.T) {
	if n, err := Open(newFiles(t, 12), 0).CountClasses(t.Context()); n != 4 || err != nil {
		t.Errorf("%d classes, %v", n, err)
	}
	if _, err := Open(newFiles(t, 1), 0).CountClasses(t.Context()); !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), "one class") {
		t.Errorf("one class: %v", err)
	}
}

// TestLoadAgain: an indexed source is read whole, also where it was read from front to end before, and by any number of workers.
func TestLoadAgain(t *testing.T) {
	src := newFiles(t, loadBatch+3)
	var sum string
	for workers := range 4 {
		d, err := Load(t.Context(), src, 1<<30, workers)
		if err != nil || d.Len() != loadBatch+3 {
			t.Fatal(err)
		}
		if got, err := d.Sign(t.Context()); err != nil || sum != "" && sum != got+d.Content() {
			t.Errorf("%d workers: %s, not %s: %v", workers, got+d.Content(), sum, err)
		} else {
			sum = got + d.Content()
		}
		var s data.Sample
		for src.Next(&s) == nil {
			continue
		}
	}
	if _, err := Load(t.Context(), newFiles(t, 0), 1<<30, 1); !errors.Is(err, data.ErrFormat) {
		t.Error(err)
	}
}

// unlabeledFiles is files of no class.
type unlabeledFiles struct{ *files }

func (f unlabeledFiles) Read(i int, s *data.Sample) error {
	err := f.files.Read(i, s)
	s.Label = data.NoLabel
	return err
}

func TestUnlabeled(t *testing.T) {
	src := unlabeledFiles{newFiles(t, 3)}
	loaded, err := Load(t.Context(), src, 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, inMemory := loaded.Classes()
	_, read := Open(src, 0).CountClasses(t.Context())
	for _, err := range []error{inMemory, read} {
		if !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), "no sample has a label (allowed: ") {
			t.Error(err)
		}
	}
}

// TestCheckSizes: every image is looked at, in memory and on disk, and files are not decoded for it.
func TestCheckSizes(t *testing.T) {
	src := newFiles(t, 12)
	loaded, err := Load(t.Context(), src, 1<<20, 2)
	if err != nil {
		t.Fatal(err)
	}
	src.list[7] = src.list[7][:len(src.list[7])*2/3] // whose header is whole
	small := errors.New("small")
	for _, d := range []*Set{loaded, Open(src, 0)} {
		var seen atomic.Int64
		check := func(w, h int) error {
			seen.Add(1)
			if w != 40 || h != 30 {
				t.Errorf("%dx%d", w, h)
			}
			return nil
		}
		if err := d.CheckSizes(t.Context(), 3, check); err != nil || seen.Load() != 12 {
			t.Error(err, seen.Load())
		}
		var bad *data.SampleError
		if err := d.CheckSizes(t.Context(), 3, func(int, int) error { return small }); !errors.Is(err, small) || !errors.As(err, &bad) || bad.Key == "" {
			t.Error(err)
		}
	}
	src.list[3] = []byte("no image")
	if err := Open(src, 0).CheckSizes(t.Context(), 1, func(int, int) error { return nil }); !errors.Is(err, data.ErrFormat) {
		t.Error(err)
	}
}

// TestLoadLittle: of a set that is larger than the limit little more is decoded than the limit.
func TestLoadLittle(t *testing.T) {
	const size = 40 * 30 * 4 // of an image
	for _, c := range []struct {
		limit int64
		most  int64 // readings
	}{
		{0, probes},
		{20 * size, 40},
	} {
		src := newFiles(t, 100)
		d, err := Load(t.Context(), src, c.limit, 4)
		if err != nil || d.InMemory() {
			t.Fatal(d, err)
		}
		if n := src.read.Load(); n > c.most {
			t.Errorf("limit of %d bytes: %d samples of %d bytes were read, want at most %d", c.limit, n, size, c.most)
		}
	}
}
