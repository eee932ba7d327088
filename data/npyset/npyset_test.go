package npyset_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

func open(path string) (data.Source, error) { return npyset.Open(path, npyset.Options{}) }

// isList names the file that cutting short leaves valid: a shorter list of classes.
func isList(name string) bool { return strings.HasSuffix(name, ".txt") }

func TestConformanceNPY(t *testing.T) {
	datatest.Suite{
		W: 6, H: 5, Target: "set.npy", Open: open, Indexed: true, Unlabeled: true, Skip: isList,
		Create: func(path string, classes []string, state []byte) (data.Sink, error) {
			return npyset.CreateNPY(path, classes, npyset.SinkOptions{}, state)
		},
	}.Run(t)
}

func TestConformanceNPZ(t *testing.T) {
	datatest.Suite{
		W: 6, H: 5, Target: "set.npz", Open: open, Indexed: true, Unlabeled: true, Skip: isList,
		Create: func(path string, classes []string, state []byte) (data.Sink, error) {
			return npyset.CreateNPZ(path, classes, npyset.SinkOptions{}, state)
		},
	}.Run(t)
}

func TestConformanceCompressedNPZ(t *testing.T) {
	datatest.Suite{
		W: 6, H: 5, Target: "set.npz", Open: open, Unlabeled: true, Skip: isList,
		Create: func(path string, classes []string, state []byte) (data.Sink, error) {
			return npyset.CreateNPZ(path, classes, npyset.SinkOptions{Deflate: true}, state)
		},
	}.Run(t)
}

// pixels returns n bytes that count up.
func pixels(n int) []uint8 {
	b := make([]uint8, n)
	for i := range b {
		b[i] = uint8(i)
	}
	return b
}

func write(t *testing.T, path string, shape []int, elements any) {
	t.Helper()
	if err := npy.WriteFile(path, &npy.Array{Shape: shape, Data: elements}); err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, src data.Source) []data.Sample {
	t.Helper()
	var out []data.Sample
	for {
		var s data.Sample
		err := src.Next(&s)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
}

func TestLayouts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct {
		shape  []int
		layout npyset.Layout
		form   data.Form
		w, h   int
	}{
		{[]int{2, 5, 4, 3}, npyset.LayoutAuto, data.RGB, 4, 5},
		{[]int{2, 5, 4, 1}, npyset.LayoutAuto, data.GrayForm, 4, 5},
		{[]int{2, 5, 4}, npyset.LayoutAuto, data.GrayForm, 4, 5},
		{[]int{2, 5, 3}, npyset.LayoutAuto, data.GrayForm, 3, 5},
		{[]int{2, 3, 5, 4}, npyset.LayoutAuto, data.Planar, 4, 5},
		{[]int{2, 1, 5, 4}, npyset.LayoutAuto, data.GrayForm, 4, 5},
		{[]int{2, 3, 5, 3}, npyset.LayoutAuto, data.RGB, 5, 3}, // could be either
		{[]int{2, 3, 5, 3}, npyset.LayoutNCHW, data.Planar, 3, 5},
		{[]int{2, 3, 5, 1}, npyset.LayoutAuto, data.GrayForm, 5, 3},
		{[]int{2, 3, 5, 1}, npyset.LayoutNCHW, data.Planar, 1, 5},
		{[]int{2, 3, 5, 3}, npyset.LayoutNHWC, data.RGB, 5, 3},
	} {
		n := 1
		for _, d := range c.shape {
			n *= d
		}
		write(t, path, c.shape, pixels(n))
		src, err := npyset.Open(path, npyset.Options{Layout: c.layout})
		if err != nil {
			t.Errorf("%v: %v", c.shape, err)
			continue
		}
		s := all(t, src)
		if len(s) != 2 || s[1].Form != c.form || s[1].W != c.w || s[1].H != c.h ||
			!bytes.Equal(s[1].Data, pixels(n)[n/2:]) {
			t.Errorf("%v: %d samples, form %d, %dx%d, %d bytes", c.shape, len(s), s[1].Form, s[1].W, s[1].H,
				len(s[1].Data))
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct {
		name   string
		shape  []int
		data   any
		layout npyset.Layout
		want   error
		word   string
	}{
		{"floats", []int{1, 2, 2, 3}, make([]float32, 12), 0, data.ErrUnsupported, "uint8"},
		{"signed bytes", []int{1, 2, 2, 3}, make([]int8, 12), 0, data.ErrUnsupported, "uint8"},
		{"alpha", []int{1, 2, 2, 4}, pixels(16), 0, data.ErrFormat, "[N,H,W,3]"},
		{"two axes", []int{1, 2}, pixels(2), 0, data.ErrFormat, "[N,H,W,3]"},
		{"not channels first", []int{1, 2, 2, 3}, pixels(12), npyset.LayoutNCHW, data.ErrFormat, "[N,3,H,W]"},
		{"not channels last", []int{1, 3, 2, 2}, pixels(12), npyset.LayoutNHWC, data.ErrFormat, "[N,H,W,3]"},
		{"no width", []int{1, 2, 0, 3}, pixels(0), 0, data.ErrFormat, "0x2"},
	} {
		write(t, path, c.shape, c.data)
		_, err := npyset.Open(path, npyset.Options{Layout: c.layout})
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.word) ||
			!strings.Contains(fmt.Sprint(err), path) {
			t.Errorf("%s: %v, want %v that names the file and says %s", c.name, err, c.want, c.word)
		}
	}
	// A header may declare anything: what counts is how long the file is.
	var b bytes.Buffer
	h := npy.Header{DType: "|u1", Shape: []int{1 << 30, 1 << 10, 1 << 10, 3}}
	if _, err := npy.WriteHeader(&b, h); err != nil {
		t.Fatal(err)
	}
	b.Write(make([]byte, 1000))
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := npyset.Open(path, npyset.Options{}); !errors.Is(err, data.ErrFormat) {
		t.Errorf("declared terabytes: %v", err)
	}
	fortran := []byte("\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n",
		"{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2, 2, 3), }") + "012345678901")
	if err := os.WriteFile(path, fortran, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := npyset.Open(path, npyset.Options{}); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("Fortran order: %v", err)
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name   string
		shape  []int
		labels any
		want   error // nil: the labels are 2, 0, 1
	}{
		{"bytes", []int{3}, []uint8{2, 0, 1}, nil},
		{"a column of 64 bits", []int{3, 1}, []int64{2, 0, 1}, nil},
		{"signed bytes", []int{3}, []int8{2, 0, 1}, nil},
		{"16 bits", []int{3}, []uint16{2, 0, 1}, nil},
		{"signed 16 bits", []int{3}, []int16{2, 0, 1}, nil},
		{"32 bits", []int{3}, []uint32{2, 0, 1}, nil},
		{"signed 32 bits", []int{3}, []int32{2, 0, 1}, nil},
		{"unsigned 64 bits", []int{3}, []uint64{2, 0, 1}, nil},
		{"too few", []int{2}, []int64{2, 0}, data.ErrFormat},
		{"one-hot", []int{3, 3}, make([]int64, 9), data.ErrFormat},
		{"floats", []int{3}, []float64{2, 0, 1}, data.ErrUnsupported},
		{"negative", []int{3}, []int64{2, -2, 1}, data.ErrLabel},
		{"far out", []int{3}, []int64{2, math.MaxInt64, 1}, data.ErrLabel},
		{"far out, unsigned", []int{3}, []uint64{2, math.MaxUint64, 1}, data.ErrLabel},
		{"beyond the classes", []int{3}, []int64{2, 3, 1}, data.ErrLabel},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.npy")
		write(t, path, []int{3, 1, 1, 3}, pixels(9))
		write(t, filepath.Join(dir, "labels.npy"), c.shape, c.labels)
		if err := os.WriteFile(filepath.Join(dir, "classes.txt"), []byte("a\nb\nc\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := npyset.Open(path, npyset.Options{})
		if c.want != nil {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "labels.npy") {
				t.Errorf("%s: %v, want %v that names the file", c.name, err, c.want)
			}
			if c.name == "beyond the classes" && !strings.Contains(err.Error(), "allowed: 0 to 2, the classes of "+filepath.Join(dir, "classes.txt")) {
				t.Errorf("%v does not say where the classes are from", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := all(t, src)
		if s[0].Label != 2 || s[1].Label != 0 || s[2].Label != 1 {
			t.Errorf("%s: %d %d %d", c.name, s[0].Label, s[1].Label, s[2].Label)
		}
	}
}

func TestLabelFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fog.npy")
	write(t, path, []int{2, 1, 1, 3}, pixels(6))
	label := func(want int, o npyset.Options) {
		t.Helper()
		src, err := npyset.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if s := all(t, src); s[0].Label != want {
			t.Errorf("label %d, want %d", s[0].Label, want)
		}
	}
	label(data.NoLabel, npyset.Options{})
	write(t, filepath.Join(dir, "labels.npy"), []int{2}, []uint8{1, 1})
	label(1, npyset.Options{})
	write(t, filepath.Join(dir, "fog_labels.npy"), []int{2}, []uint8{2, 2})
	label(2, npyset.Options{})
	write(t, filepath.Join(dir, "mine.npy"), []int{2}, []uint8{3, 3})
	label(3, npyset.Options{Labels: filepath.Join(dir, "mine.npy")})
	if _, err := npyset.Open(path, npyset.Options{Labels: filepath.Join(dir, "none.npy")}); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("labels that are named but not there: %v", err)
	}
}

func TestArchiveNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npz")
	z, err := npy.CreateZip(path, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []struct {
		name  string
		value uint8
	}{{"test_images", 9}, {"x", 5}, {"other", 1}} {
		if err := z.Write(a.name, &npy.Array{Shape: []int{1, 1, 1, 3}, Data: []uint8{a.value, 0, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]int64{"y": 4, "test_labels": 7} {
		if err := z.Write(name, &npy.Array{Shape: []int{1}, Data: []int64{v}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o            npyset.Options
		value, label int
	}{
		{npyset.Options{}, 5, 4},
		{npyset.Options{ImagesName: "test_images", LabelsName: "test_labels"}, 9, 7},
	} {
		src, err := npyset.Open(path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if s := all(t, src); int(s[0].Data[0]) != c.value || s[0].Label != c.label {
			t.Errorf("%+v: pixel %d, label %d", c.o, s[0].Data[0], s[0].Label)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, o := range []npyset.Options{{ImagesName: "none"}, {LabelsName: "none"}} {
		if _, err := npyset.Open(path, o); !errors.Is(err, data.ErrFormat) ||
			!strings.Contains(err.Error(), "test_images") {
			t.Errorf("%+v: %v, want an error that lists the names there are", o, err)
		}
	}
	if z, err = npy.CreateZip(path, false); err != nil {
		t.Fatal(err)
	}
	if err := z.Write("weights", &npy.Array{Shape: []int{1}, Data: []float32{1}}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := npyset.Open(path, npyset.Options{}); !errors.Is(err, data.ErrFormat) ||
		!strings.Contains(err.Error(), "weights") {
		t.Errorf("no images: %v", err)
	}
}

// TestUnreadArrays: an archive whose labels have another name says which arrays were passed over.
func TestUnreadArrays(t *testing.T) {
	for _, deflate := range []bool{false, true} {
		for _, test := range []struct {
			labels, note string
			o            npyset.Options
		}{
			{"target", "arrays not read: target; the images have no labels (looked for: labels, y, ", npyset.Options{}},
			{"target", "", npyset.Options{Unlabeled: true}},
			{"target", "", npyset.Options{LabelsName: "target"}},
			{"y", "", npyset.Options{}},
		} {
			path := filepath.Join(t.TempDir(), "x.npz")
			z, err := npy.CreateZip(path, deflate)
			if err != nil {
				t.Fatal(err)
			}
			if err := z.Write("data", &npy.Array{Shape: []int{2, 1, 1, 3}, Data: pixels(6)}); err != nil {
				t.Fatal(err)
			}
			if err := z.Write(test.labels, &npy.Array{Shape: []int{2}, Data: []int64{0, 1}}); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			src, err := npyset.Open(path, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if note := src.Info().Note; !strings.HasPrefix(note, test.note) || test.note == "" && note != "" {
				t.Errorf("deflate %v, %+v: note %q, want %q", deflate, test, note, test.note)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestStream(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "l.npy"), []int{3}, []uint8{1, 0, 2})
	var b bytes.Buffer
	if err := npy.Write(&b, &npy.Array{Shape: []int{3, 1, 2, 3}, Data: pixels(18)}); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	src, err := npyset.NewStream(&b, "standard input", npyset.Options{Labels: filepath.Join(dir, "l.npy")})
	if err != nil {
		t.Fatal(err)
	}
	s := all(t, src)
	if len(s) != 3 || s[2].Label != 2 || s[2].Data[0] != 12 || s[1].Key != "000001" ||
		s[1].Name != "standard input row 000001" {
		t.Errorf("%+v", s)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if src, err = npyset.NewStream(bytes.NewReader(file[:len(file)-1]), "standard input",
		npyset.Options{}); err != nil {
		t.Fatal(err)
	}
	var sample data.Sample
	for range 2 {
		if err := src.Next(&sample); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // again and again
		if err := src.Next(&sample); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "row 000002") {
			t.Errorf("cut short: %v", err)
		}
	}
}

// TestStreamDeclaresMuch: a header alone does not make room for an image.
func TestStreamDeclaresMuch(t *testing.T) {
	src, err := npyset.NewStream(strings.NewReader(header("|u1", "(1, 8192, 16384, 3)")+"abc"), "standard input",
		npyset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s data.Sample
	err = src.Next(&s)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, data.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<26 {
		t.Errorf("%d bytes allocated for a stream of 131", n)
	}
}

// TestPixelLimit: images in arrays have the limit of those in files, before anything of them is read.
func TestPixelLimit(t *testing.T) {
	const wide = "(1, 8193, 16384, 3)" // below the limit of package raster
	for _, o := range []npyset.Options{{}, {EveryChannel: true}, {Channels: []int{1}}} {
		_, err := npyset.NewStream(strings.NewReader(header("|u1", wide)), "x.npy", o)
		if !errors.Is(err, data.ErrLimit) || !strings.Contains(err.Error(), "x.npy: ") || !strings.Contains(err.Error(), "16384x8193 (allowed: at most 134217728 pixels)") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestSizes: all images have the size of the first, and the error says which has not.
func TestSizes(t *testing.T) {
	sink, err := npyset.CreateNPY(filepath.Join(t.TempDir(), "x.npy"), nil, npyset.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Put(&data.Item{Key: "a", Image: raster.New(4, 3)}); err != nil {
		t.Fatal(err)
	}
	err = sink.Put(&data.Item{Key: "part/b", Image: raster.New(5, 3)})
	for _, word := range []string{"part/b", "5x3", "4x3", "x.npy"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v does not say %s", err, word)
		}
	}
	if err := sink.Abort(); err != nil {
		t.Error(err)
	}
}

// TestSharedLabels: the arrays of a -C data set share one labels.npy; other labels get a file of their own.
func TestSharedLabels(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, labels []int, o npyset.SinkOptions) error {
		sink, err := npyset.CreateNPY(filepath.Join(dir, name), []string{"a", "b"}, o, nil)
		if err != nil {
			return err
		}
		for _, l := range labels {
			if err := sink.Put(&data.Item{Key: "k", Label: l, Image: raster.New(1, 1)}); err != nil {
				return err
			}
		}
		return sink.Close()
	}
	for _, c := range []struct {
		name   string
		labels []int
	}{{"fog.npy", []int{0, 1}}, {"snow.npy", []int{0, 1}}, {"other.npy", []int{1, 1}}} {
		if err := put(c.name, c.labels, npyset.SinkOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"classes.txt", "fog.npy", "labels.npy", "other.npy", "other_labels.npy", "snow.npy"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if err := put("fog.npy", []int{0, 0}, npyset.SinkOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing file: %v", err)
	}
	// Overwriting an array that has labels of its own changes those.
	if err := put("other.npy", []int{0, 1}, npyset.SinkOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	src, err := npyset.Open(filepath.Join(dir, "other.npy"), npyset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if s := all(t, src); s[0].Label != 0 || s[1].Label != 1 {
		t.Errorf("labels %d %d", s[0].Label, s[1].Label)
	}
}

// TestNumPyBytes: the file is what numpy.save writes for the same array.
func TestNumPyBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	sink, err := npyset.CreateNPY(path, nil, npyset.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(1, 1)
	m.Fill(raster.RGB{R: 'r', G: 'g', B: 'b'})
	for range 2 {
		if err := sink.Put(&data.Item{Key: "k", Label: 1, Image: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x.npy":      header("|u1", "(2, 1, 1, 3)") + "rgbrgb",
		"labels.npy": header("<i8", "(2,)") + "\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, want %q (%v)", name, got, want, err)
		}
	}
}

// header is what NumPy 1.23 and later write: 128 bytes in all.
func header(dtype, shape string) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape)
	return "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", text)
}

func TestDamagedCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, state := range []string{
		`{"format":"npy","state":{"count":5,"w":2,"h":2,"labels":{"seen":true,"labeled":true}}}`,
		`{"format":"npy","state":{"count":-1,"w":2,"h":2,"labels":{"seen":true,"labeled":true}}}`,
		`{"format":"npy","state":{"count":9000000000000000000,"w":20000,"h":2,"labels":{"seen":true,"labeled":true}}}`,
		`{"format":"npy","state":{"count":5,"w":-2,"h":2,"labels":{"seen":true,"labeled":true}}}`,
		`{"format":"npz","state":{"count":5,"w":2,"h":2,"labels":{"seen":true,"labeled":true}}}`,
	} {
		for _, leftover := range []bool{false, true} {
			if leftover {
				if err := os.WriteFile(path+storage.TempSuffix, make([]byte, 10), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := npyset.CreateNPY(path, nil, npyset.SinkOptions{}, []byte(state)); err == nil ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", state, err)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	var b bytes.Buffer
	if err := npy.Write(&b, &npy.Array{Shape: []int{2, 1, 2, 3}, Data: pixels(12)}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(f.TempDir(), "x.npz")
		sink, err := npyset.CreateNPZ(path, nil, npyset.SinkOptions{Deflate: deflate}, nil)
		if err != nil {
			f.Fatal(err)
		}
		if err := sink.Put(&data.Item{Key: "k", Label: 1, Image: raster.New(2, 2)}); err != nil {
			f.Fatal(err)
		}
		if err := sink.Close(); err != nil {
			f.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	path := filepath.Join(f.TempDir(), "set")
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := npyset.Open(path, npyset.Options{})
		if err != nil {
			if !errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsupported) &&
				!errors.Is(err, data.ErrLabel) {
				t.Fatalf("%v wraps no sentinel", err)
			}
			return
		}
		defer src.Close()
		var s data.Sample
		var m raster.Image
		for range 4 {
			if err := src.Next(&s); err != nil {
				break
			}
			if err := s.Decode(&m); err != nil {
				t.Fatalf("what was read cannot be decoded: %v", err)
			}
		}
	})
}

func Example() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "fog.npy")

	sink, err := npyset.CreateNPY(path, []string{"cat", "dog"}, npyset.SinkOptions{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for label := range 2 {
		if err := sink.Put(&data.Item{Key: "k", Label: label, Image: raster.New(32, 32)}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}

	src, err := npyset.Open(path, npyset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	var s data.Sample
	for src.Next(&s) == nil {
		fmt.Println(s.Key, s.W, s.H, src.Info().Classes[s.Label])
	}
	// Output:
	// 000000 32 32 cat
	// 000001 32 32 dog
}

// benchmarkFiles are the same images without checksum and with one.
func benchmarkFiles(b *testing.B, n int) []string {
	array := &npy.Array{Shape: []int{n, 32, 32, 3}, Data: make([]uint8, n*3072)}
	dir := b.TempDir()
	npyPath, npzPath := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.npz")
	z, err := npy.CreateZip(npzPath, false)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(npy.WriteFile(npyPath, array), z.Write("images", array), z.Close()); err != nil {
		b.Fatal(err)
	}
	return []string{npyPath, npzPath}
}

func BenchmarkRead(b *testing.B) {
	for _, path := range benchmarkFiles(b, 10_000) {
		b.Run(filepath.Ext(path), func(b *testing.B) { benchmarkRead(b, path) })
	}
}

func benchmarkRead(b *testing.B, path string) {
	src, err := npyset.Open(path, npyset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	ix := src.(data.Indexed)
	var s data.Sample
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := ix.Read(i%10_000, &s); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkPut(b *testing.B) {
	sink, err := npyset.CreateNPY(filepath.Join(b.TempDir(), "x.npy"), nil, npyset.SinkOptions{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	m := raster.New(32, 32)
	b.ReportAllocs()
	for b.Loop() {
		if err := sink.Put(&data.Item{Key: "k", Label: 1, Image: m}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	if err := sink.Close(); err != nil {
		b.Fatal(err)
	}
}

// TestLabelsOfData: CIFAR-10.1 calls its files cifar10.1_v6_data.npy and cifar10.1_v6_labels.npy.
func TestLabelsOfData(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cifar10.1_v6_data.npy")
	for name, a := range map[string]*npy.Array{
		path: {Shape: []int{2, 2, 2, 3}, Data: pixels(24)},
		filepath.Join(dir, "cifar10.1_v6_labels.npy"): {Shape: []int{2}, Data: []int32{7, 3}},
	} {
		if err := npy.WriteFile(name, a); err != nil {
			t.Fatal(err)
		}
	}
	src, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, want := range []int{7, 3} {
		var s data.Sample
		if err := src.Next(&s); err != nil || s.Label != want {
			t.Errorf("label %d, %v; want %d", s.Label, err, want)
		}
	}
}

// An archive without images names the first of its arrays, however many there are.
func TestManyArrays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.npz")
	z, err := npy.CreateZip(path, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		if err := z.Write(fmt.Sprintf("array%04d", i), &npy.Array{Shape: []int{1}, Data: []uint8{1}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []npyset.Options{{}, {ImagesName: "none"}} {
		_, err := npyset.Open(path, o)
		if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "array0009 and 1990 more") || len(err.Error()) > 400+len(path) {
			t.Errorf("%+v: %.600v", o, err)
		}
	}
}

// TestManyLabels: labels of an archive that are more than its images are not read, however many they say they are.
func TestManyLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, h := range map[string]npy.Header{
		"images.npy": {DType: "|u1", Shape: []int{4, 2, 2, 3}}, "labels.npy": {DType: "<i8", Shape: []int{400_000_000}},
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := npy.WriteHeader(w, h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 64<<20)); err != nil { // which deflates to little
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = npyset.Open(path, npyset.Options{})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), `400000000 labels in array "labels" for 4 samples`) {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d MiB for labels that are not read", n>>20)
	}
}
