package cifar

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
)

// recordsOf returns the known samples of the conformance suite as records.
func recordsOf(k Kind, samples []datatest.Known, classes []string) []record {
	table := coarseOf()
	out := make([]record, len(samples))
	for i, s := range samples {
		out[i] = record{label: byte(s.Label), pix: s.Image.AppendPlanar(nil)}
		if k == CIFAR100 {
			out[i].coarse = table[classes[s.Label]]
		}
	}
	return out
}

// TestConformance runs the suite over the sink's two splits and two kinds, and over the containers that are only read.
func TestConformance(t *testing.T) {
	isMeta := func(name string) bool {
		return metaNames[filepath.Base(name)] || strings.HasPrefix(filepath.Base(name), "data_batch_") &&
			!strings.HasPrefix(filepath.Base(name), "data_batch_1")
	}
	fine := []string{"apple", "bear", "worm"}
	for _, c := range []struct {
		kind    Kind
		split   Split
		classes []string
	}{{CIFAR10, Train, nil}, {CIFAR10, Test, nil}, {CIFAR100, Train, fine}, {CIFAR100, Test, fine}} {
		t.Run(fmt.Sprintf("%v %s", c.kind, c.split), func(t *testing.T) {
			datatest.Suite{
				W: Side, H: Side, Classes: c.classes, Indexed: true, PrefixOK: true, Skip: isMeta,
				Open: func(path string) (data.Source, error) { return Open(path, Options{}) },
				Create: func(path string, classes []string, state []byte) (data.Sink, error) {
					return Create(path, classes, SinkOptions{Kind: c.kind, Split: c.split}, state)
				},
			}.Run(t)
		})
	}
	for _, st := range styles {
		t.Run("pickle "+st.name, func(t *testing.T) {
			datatest.Suite{
				W: Side, H: Side, Indexed: true,
				Open: func(path string) (data.Source, error) { return Open(path, Options{}) },
				Build: func(t testing.TB, dir string, samples []datatest.Known, classes []string) string {
					return write(t, dir, map[string][]byte{
						"test_batch":   pickleFile(CIFAR10, recordsOf(CIFAR10, samples, classes), st),
						"batches.meta": pickleMeta(st, map[string][]string{"label_names": classes}),
					})
				},
			}.Run(t)
		})
	}
	for _, st := range []*style{nil, &styles[0]} {
		t.Run(fmt.Sprintf("archive of pickles %t", st != nil), func(t *testing.T) {
			datatest.Suite{
				W: Side, H: Side,
				Open: func(path string) (data.Source, error) { return Open(path, Options{}) },
				Build: func(t testing.TB, dir string, samples []datatest.Known, classes []string) string {
					return buildArchive(t, dir, recordsOf(CIFAR10, samples, classes), classes, st)
				},
			}.Run(t)
		})
	}
}

func buildArchive(t testing.TB, dir string, recs []record, classes []string, st *style) string {
	entries := []entryOf{
		{"c/test_batch.bin", binaryFile(CIFAR10, recs)}, {"c/batches.meta.txt", []byte(strings.Join(classes, "\n"))},
	}
	if st != nil {
		entries = []entryOf{
			{"c/test_batch", pickleFile(CIFAR10, recs, *st)},
			{"c/batches.meta", pickleMeta(*st, map[string][]string{"label_names": classes})},
		}
	}
	write(t, dir, map[string][]byte{"set.tar.gz": tarGz(t, entries)})
	return filepath.Join(dir, "set.tar.gz")
}

// item returns an image whose bytes follow from i.
func item(i, classes int) *data.Item {
	m := raster.New(Side, Side)
	for p := range Side * Side {
		m.Pix[4*p], m.Pix[4*p+1], m.Pix[4*p+2] = byte(i), byte(i>>8), byte(p)
	}
	return &data.Item{Key: fmt.Sprint("k", i), Label: i % classes, Image: m}
}

// TestManyBatches crosses the border between training files, with a crash in the second, and reads six files back.
func TestManyBatches(t *testing.T) {
	const n = 5*perBatch + 30
	dir := t.TempDir()
	put := func(s *Sink, from, to int) {
		t.Helper()
		it := item(0, 10)
		for i := from; i < to; i++ {
			it.Label = i % 7
			for p := range Side * Side {
				it.Image.Pix[4*p], it.Image.Pix[4*p+1], it.Image.Pix[4*p+2] = byte(i), byte(i>>8), byte(p)
			}
			if err := s.Put(it); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := Create(dir, nil, SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	put(s, 0, perBatch+5)
	state, err := s.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	put(s, perBatch+5, 3*perBatch+1) // lost
	if s, err = Create(dir, nil, SinkOptions{}, state); err != nil {
		t.Fatal(err)
	}
	put(s, perBatch+5, 5*perBatch)
	if state, err = s.Checkpoint(); err != nil { // between two files
		t.Fatal(err)
	}
	put(s, 5*perBatch, n)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Create(dir, nil, SinkOptions{}, state); err != nil { // a crash just after Close
		t.Fatal(err)
	}
	put(s, 5*perBatch, n)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if src.Info().Len != n {
		t.Fatalf("%d samples, want %d", src.Info().Len, n)
	}
	var smp data.Sample
	for i := range n {
		if err := src.Next(&smp); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("data_batch_%d/%04d", i/perBatch+1, i%perBatch)
		if smp.Label != i%7 || smp.Data[0] != byte(i) || smp.Data[1024] != byte(i>>8) || smp.Data[3071] != 255 {
			t.Fatalf("sample %d: label %d, bytes %d %d", i, smp.Label, smp.Data[0], smp.Data[1024])
		}
		if i < 5*perBatch && smp.Key != key || i >= 5*perBatch && smp.Key != fmt.Sprintf("data_batch_6/%04d", i%perBatch) {
			t.Fatalf("sample %d has key %s", i, smp.Key)
		}
	}
}

// TestRoundTrip: any records, any checkpoints; what the sink writes is what the published form says, byte for byte.
func TestRoundTrip(t *testing.T) {
	root := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{CIFAR10, CIFAR100}).Draw(t, "kind")
		split := rapid.SampledFrom([]Split{Train, Test}).Draw(t, "split")
		n := rapid.IntRange(0, 12).Draw(t, "n")
		classes := map[Kind]int{CIFAR10: 10, CIFAR100: 100}[kind]
		recs := records(rapid.Uint64().Draw(t, "seed"), n, classes)
		table, fine := coarseOf(), Classes100()
		runs++
		dir := filepath.Join(root, fmt.Sprint(runs))
		var state []byte
		s, err := Create(dir, nil, SinkOptions{Kind: kind, Split: split}, nil)
		for i := range recs {
			if kind == CIFAR100 {
				recs[i].coarse = table[fine[recs[i].label]]
			}
			if err != nil {
				t.Fatal(err)
			}
			var m raster.Image
			m.SetPlanar(Side, Side, recs[i].pix)
			if err = s.Put(&data.Item{Label: int(recs[i].label), Image: &m}); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "checkpoint") {
				if state, err = s.Checkpoint(); err != nil {
					t.Fatal(err)
				}
				if rapid.Bool().Draw(t, "crash") {
					s, err = Create(dir, nil, SinkOptions{Kind: kind, Split: split}, state)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(s.path(0))
		if err != nil || string(b) != string(binaryFile(kind, recs)) {
			t.Fatalf("file of %d bytes, error %v, want %d", len(b), err, len(binaryFile(kind, recs)))
		}
	})
}

func TestSinkRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		o       SinkOptions
		classes []string
	}{
		{"all", SinkOptions{Split: All}, nil},
		{"kind", SinkOptions{Kind: 7}, nil},
		{"no classes", SinkOptions{}, []string{}},
		{"name", SinkOptions{}, []string{"a\nb"}},
		{"space", SinkOptions{}, []string{" a"}},
		{"many", SinkOptions{}, make([]string, 257)},
		{"fine", SinkOptions{Kind: CIFAR100}, []string{"apple", "pebble"}},
	} {
		name := c.name
		_, err := Create(dir, c.classes, c.o, nil)
		if !errors.Is(err, data.ErrUnsupported) && !errors.Is(err, data.ErrLabel) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s, err := Create(dir, nil, SinkOptions{Split: Test}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := &data.Item{Key: "some/key", Label: 1, Image: raster.New(32, 31)}
	if err := s.Put(wrong); !isErr(err, data.ErrUnsupported, `"some/key" is 32x31`) {
		t.Errorf("wrong size: %v", err)
	}
	bad := item(3, 10)
	bad.Label = 10
	if err := s.Put(bad); !isErr(err, data.ErrLabel, `"k3" has label 10`) {
		t.Errorf("wrong label: %v", err)
	}
	if err := s.Put(item(4, 10)); err != nil { // the sink is as it was
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(item(5, 10)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if _, got := read(t, dir, Options{}); len(got) != 1 || got[0].Label != 4 {
		t.Errorf("%d samples", len(got))
	}
	if _, err := Create(dir, nil, SinkOptions{Split: Test}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second data set in the folder: %v", err)
	}
	if _, err := Create(dir, []string{"x"}, SinkOptions{}, nil); !errors.Is(err, data.ErrLabel) {
		t.Errorf("other classes in the folder: %v", err)
	}
	if _, err := Create(dir, nil, SinkOptions{Split: Train}, nil); err != nil { // the other split may join
		t.Errorf("other split: %v", err)
	}
}

// TestShortCheckpoint: files that lost bytes since the checkpoint are not gone on with.
func TestShortCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, nil, SinkOptions{Split: Test}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := s.Put(item(i, 10)); err != nil {
			t.Fatal(err)
		}
	}
	state, err := s.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, nil, SinkOptions{Split: Train}, state); !errors.Is(err, data.ErrFormat) {
		t.Errorf("state of the other split: %v", err)
	}
	name := filepath.Join(dir, "test_batch.bin"+storage.TempSuffix)
	if err := os.Truncate(name, 5000); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, nil, SinkOptions{Split: Test}, state); !errors.Is(err, data.ErrFormat) {
		t.Errorf("short file: %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, nil, SinkOptions{Split: Test}, state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestOverwrite replaces a longer data set by a shorter one, under other class names.
func TestOverwrite(t *testing.T) {
	dir := write(t, t.TempDir(), files10(set10(), nil))
	write(t, dir, map[string][]byte{"data_batch_6.bin": nil, "batches.meta.txt": []byte("x\n")})
	_, err := Create(dir, []string{"a", "b"}, SinkOptions{Overwrite: true}, nil)
	if !errors.Is(err, data.ErrLabel) { // the test split would change its names
		t.Fatalf("error %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "test_batch.bin")); err != nil {
		t.Fatal(err)
	}
	s, err := Create(dir, []string{"a", "b"}, SinkOptions{Overwrite: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(item(1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, got := read(t, dir, Options{})
	if len(got) != 1 || len(info.Classes) != 2 || info.Classes[1] != "b" {
		t.Errorf("%d samples, classes %q", len(got), info.Classes)
	}
	if _, err := os.Stat(filepath.Join(dir, "data_batch_6.bin")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the longer set's sixth file: %v", err)
	}
}

func BenchmarkPut(b *testing.B) {
	s, err := Create(b.TempDir(), nil, SinkOptions{Split: Test}, nil)
	if err != nil {
		b.Fatal(err)
	}
	it := item(1, 10)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Put(it); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	if err := s.Abort(); err != nil {
		b.Fatal(err)
	}
}
