package formats_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/raster"
)

// sets is a path for every format that is written.
var sets = map[string]string{
	"npy": "x.npy", "npz": "x.npz", "medmnist": "pathmnist.npz", "file": "x.png", "cifar10": "c10", "cifar100": "c100", "wds": "shards",
	"folder": "set",
}

// fill writes n images of 32x32 into a sink.
func fill(t *testing.T, sink data.Sink, n, classes int) {
	t.Helper()
	for _, k := range datatest.Samples(n, 32, 32, classes) {
		if err := sink.Put(&data.Item{Key: k.Key, Label: k.Label, Image: k.Image}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
}

// count reads a source to its end and returns the number of samples.
func count(t *testing.T, src data.Source) int {
	t.Helper()
	var s data.Sample
	var m raster.Image
	n := 0
	for {
		err := src.Next(&s)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.Decode(&m)
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	return n
}

// TestEveryFormat: what a row writes is told from all others by looking, and read.
func TestEveryFormat(t *testing.T) {
	for _, f := range formats.Table() {
		if f.Name == "" || f.Doc == "" || f.Detect == nil || !f.Read && !f.Write {
			t.Errorf("row %+v is not complete", f)
		}
		if !f.Write {
			continue
		}
		path := filepath.Join(t.TempDir(), sets[f.Name])
		sink, err := formats.Create(path, formats.SinkOptions{Format: f.Name}, nil)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		n, classes := 5, 10
		if f.Name == "file" {
			n, classes = 1, 0
		}
		fill(t, sink, n, classes)
		for _, o := range []formats.Options{{}, {Format: f.Name}} {
			src, err := formats.Open(path, o)
			if err != nil {
				t.Errorf("%s, format %q: %v", f.Name, o.Format, err)
				continue
			}
			if got := src.Info().Format; got != f.Name {
				t.Errorf("%s is taken for %s", f.Name, got)
			}
			if got := count(t, src); got != n {
				t.Errorf("%s: %d samples, want %d", f.Name, got, n)
			}
		}
	}
}

// TestNamed: the name of a path says what is written.
func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"x.npy": "npy", "x.NPZ": "npz", "x.png": "file", "x.jpeg": "file", "x": "folder", "x.webp": "", "x.tar": "",
	} {
		path := filepath.Join(t.TempDir(), name)
		sink, err := formats.Create(path, formats.SinkOptions{}, nil)
		if want == "" {
			if !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(),
				"npy, medmnist, npz, file, cifar10, cifar100, wds, folder") {
				t.Errorf("%s: %v, want ErrUnsupported with a list of formats", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		state, err := sink.Checkpoint()
		if err != nil || !bytes.Contains(state, []byte(`"`+want+`"`)) {
			t.Errorf("%s: checkpoint %s (%v), want one of %s", name, state, err, want)
		}
		if err := sink.Abort(); err != nil {
			t.Error(err)
		}
	}
}

func touch(t *testing.T, root string, names ...string) string {
	t.Helper()
	for _, n := range names {
		path := filepath.Join(root, filepath.FromSlash(n))
		dir := strings.HasSuffix(n, "/")
		if !dir {
			path, n = filepath.Dir(path), path
		}
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if dir {
			continue
		}
		if err := os.WriteFile(n, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestDetect: which row claims a path first.
func TestDetect(t *testing.T) {
	tarHead := make([]byte, 512)
	copy(tarHead[257:], "ustar")
	for _, c := range []struct {
		look formats.Probe
		want string
	}{
		{formats.Probe{Path: "any", Head: []byte("\x93NUMPY\x01\x00")}, "npy"},
		{formats.Probe{Path: "any", Head: []byte("PK\x03\x04")}, "npz"},
		{formats.Probe{Path: "any", Head: []byte("\xff\xd8\xff")}, "file"},
		{formats.Probe{Path: "any", Head: tarHead}, "wds"},
		{formats.Probe{Path: "any.tgz", Head: []byte{0x1f, 0x8b}}, "wds"},
		{formats.Probe{Path: "data-{00..10}.tar"}, "wds"},
		{formats.Probe{Path: "cifar-10-python.tar.gz", Head: []byte{0x1f, 0x8b}}, "cifar10"},
		{formats.Probe{Path: "cifar-100-binary.tar.gz", Head: []byte{0x1f, 0x8b}}, "cifar100"},
		{formats.Probe{Path: "data_batch_3.bin"}, "cifar10"},
		{formats.Probe{Path: "test_batch", Head: []byte("\x80\x02}q")}, "cifar10"},
		{formats.Probe{Path: "train", Head: []byte("\x80\x02}q")}, "cifar100"},
		{formats.Probe{Path: "train.bin"}, "cifar100"},
		{formats.Probe{Path: "notes.txt", Head: []byte("hello")}, ""},
		{formats.Probe{Path: touch(t, t.TempDir(), "cat/"), Dir: true}, "folder"},
		{formats.Probe{Path: touch(t, t.TempDir(), "train/", "test/", "val.tar"), Dir: true}, "folder"},
		{formats.Probe{Path: touch(t, t.TempDir(), "a-000.tar", "a-001.tar"), Dir: true}, "wds"},
		{formats.Probe{Path: touch(t, t.TempDir(), "data_batch_1.bin"), Dir: true}, "cifar10"},
		{formats.Probe{Path: touch(t, t.TempDir(), "test_batch"), Dir: true}, "cifar10"},
		{formats.Probe{Path: touch(t, t.TempDir(), "meta", "train", "test"), Dir: true}, "cifar100"},
		{formats.Probe{Path: touch(t, t.TempDir(), "cifar-100-python/train"), Dir: true}, "cifar100"},
	} {
		got := ""
		for _, f := range formats.Table() {
			if f.Detect(c.look) {
				got = f.Name
				break
			}
		}
		if got != c.want {
			t.Errorf("%+v is taken for %q, want %q", c.look, got, c.want)
		}
	}
}

func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	for name, n := range map[string]int{"npy": 4, "file": 1, "wds": 4} {
		path := filepath.Join(dir, sets[name])
		sink, err := formats.Create(path, formats.SinkOptions{Format: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, sink, n, 0)
		if name == "wds" {
			path = filepath.Join(path, "data-000000.tar")
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"", name} {
			src, err := formats.Open(formats.Standard, formats.Options{Format: format, Stdin: bytes.NewReader(file)})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := count(t, src); got != n {
				t.Errorf("%s: %d samples from standard input, want %d", name, got, n)
			}
		}
	}
	for _, c := range []struct {
		o    formats.Options
		want error
	}{
		{formats.Options{Stdin: strings.NewReader("hello")}, data.ErrFormat},
		{formats.Options{Stdin: strings.NewReader("")}, data.ErrFormat},
		{formats.Options{Stdin: strings.NewReader("PK\x03\x04")}, data.ErrUnsupported},
		{formats.Options{Stdin: strings.NewReader("x"), Format: "folder"}, data.ErrUnsupported},
		{formats.Options{Stdin: strings.NewReader("x"), Format: "nope"}, data.ErrUnsupported},
	} {
		if _, err := formats.Open(formats.Standard, c.o); !errors.Is(err, c.want) ||
			!strings.Contains(err.Error(), "allowed: ") {
			t.Errorf("%+v: %v, want %v with what is allowed", c.o, err, c.want)
		}
	}
}

func TestStandardOutput(t *testing.T) {
	var out bytes.Buffer
	sink, err := formats.Create(formats.Standard, formats.SinkOptions{Stdout: &out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, sink, 1, 0)
	src, err := formats.Open(formats.Standard, formats.Options{Stdin: &out})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, src); n != 1 {
		t.Errorf("%d samples", n)
	}
	if _, err := formats.Create(formats.Standard, formats.SinkOptions{Format: "folder"}, nil); !errors.Is(err,
		data.ErrUnsupported) {
		t.Errorf("a folder on standard output: %v", err)
	}
}

func TestErrors(t *testing.T) {
	dir := touch(t, t.TempDir(), "notes.txt")
	for _, c := range []struct {
		path string
		o    formats.Options
		want error
		word string
	}{
		{filepath.Join(dir, "notes.txt"), formats.Options{}, data.ErrFormat, "npy, medmnist, npz, file"},
		{filepath.Join(dir, "none"), formats.Options{}, fs.ErrNotExist, "none"},
		{filepath.Join(dir, "x-{0..1}.tar"), formats.Options{}, fs.ErrNotExist, "x-0.tar"},
		{dir, formats.Options{Format: "imagefolder"}, data.ErrUnsupported, "folder"},
		{dir, formats.Options{Format: "npy", Layout: "hwc"}, data.ErrUnsupported, "nhwc, nchw"},
		{dir, formats.Options{Layout: "nchw"}, data.ErrUnsupported, "layout of axes for the format folder (allowed with: npy, medmnist, npz)"},
		{dir, formats.Options{Channels: []int{1}}, data.ErrUnsupported, "channels for the format folder (allowed with: npy, medmnist, npz)"},
		{dir, formats.Options{Coarse: true}, data.ErrUnsupported, "coarse classes for the format folder (allowed with: cifar10, cifar100)"},
		{"-", formats.Options{Format: "wds", EveryChannel: true}, data.ErrUnsupported, "one by one for the format wds (allowed with: npy, npz)"},
	} {
		if _, err := formats.Open(c.path, c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s %+v: %v, want %v with %q in it", c.path, c.o, err, c.want, c.word)
		}
	}
	if _, err := formats.Create(dir, formats.SinkOptions{Format: "nope"}, nil); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("unknown format: %v", err)
	}
}

// TestSplit: a folder of parts is opened as the part that is chosen, or that a command takes by itself.
func TestSplit(t *testing.T) {
	png, err := (data.Encoding{}).Append(nil, raster.New(2, 2))
	if err != nil {
		t.Fatal(err)
	}
	set := func(parts ...string) string {
		root := t.TempDir()
		for i, part := range parts {
			for _, class := range []string{"cat", "dog"} {
				for k := range i + 1 { // the part with n images of each class is part n
					name := fmt.Sprintf("%s/%s/%d.png", part, class, k)
					touch(t, root, name)
					if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), png, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		return touch(t, root, "README", ".cache/")
	}
	for _, c := range []struct {
		name  string
		path  string
		split string // of Options
		want  string // of OpenSplit
		taken string
		n     int // images; 0: an error
	}{
		{"train of both", set("train", "test"), "", "train", "train", 2},
		{"test of both", set("train", "test"), "", "test", "test", 4},
		{"test by name", set("train", "test"), "test", "train", "test", 4},
		{"ImageNet's", set("train", "val"), "", "test", "test", 4},
		{"of three the test part", set("train", "val", "test"), "", "test", "test", 6},
		{"of three the validation part", set("train", "val", "test"), "val", "test", "val", 4},
		{"no validation part", set("train", "test"), "val", "test", "", 0},
		{"no part all", set("train", "test"), "all", "test", "", 0},
		{"classes, not parts", set("train", "test", "plane"), "", "train", "", 12},
		{"one part alone", set("train"), "", "test", "train", 2},
		{"no train part", set("test", "val"), "", "test", "test", 2},
		{"other cases", set("Test", "Train"), "", "train", "train", 4},
		{"other names", set("Training", "Testing"), "", "test", "test", 4},
		{"another name of validation", set("train", "Validation"), "", "test", "test", 4},
		{"one part of another name", set("VALIDATION"), "", "test", "val", 2},
		{"one part alone, and another asked for", set("train"), "test", "test", "", 0},
	} {
		src, taken, err := formats.OpenSplit(c.path, formats.Options{Split: c.split}, c.want)
		if c.n == 0 {
			if !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), "allowed: train, test, val") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || taken != c.taken {
			t.Errorf("%s: took %q, %v", c.name, taken, err)
			continue
		}
		if n := count(t, src); n != c.n {
			t.Errorf("%s: %d images, want %d", c.name, n, c.n)
		}
	}
	for _, c := range []struct{ path, part, want string }{
		{set("train", "val"), "test", "the test part, the folder val"},
		{set("train", "val", "test"), "test", "the test part"},
		{set("train", "Validation"), "val", "the val part"},
		{t.TempDir(), "test", "the test part"},
	} {
		if got := formats.PartName(c.path, c.part); got != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
	flat := touch(t, t.TempDir(), "train/a.png", "train/b.png") // a class of trains
	if src, taken, err := formats.OpenSplit(flat, formats.Options{}, "test"); err != nil || taken != "" || len(src.Info().Classes) != 1 {
		t.Errorf("a class: took %q, %v", taken, err)
	}
	for _, split := range []string{"", "train"} {
		_, err := formats.Open(set("Train", "test", "training"), formats.Options{Split: split})
		if !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), "Train and training are both the train part") {
			t.Errorf("two folders of one part: %v", err)
		}
	}
	if _, err := formats.Open(set("train", "val"), formats.Options{}); !errors.Is(err, data.ErrSplit) ||
		!strings.Contains(err.Error(), "train, val") {
		t.Errorf("no part chosen: %v", err)
	}
}

// TestSplitOfCIFAR: both parts of a CIFAR set lie in one folder.
func TestSplitOfCIFAR(t *testing.T) {
	dir := t.TempDir()
	for split, n := range map[string]int{"train": 7, "test": 3} {
		sink, err := formats.Create(dir, formats.SinkOptions{Format: "cifar10", Split: split}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, sink, n, 10)
	}
	for split, n := range map[string]int{"train": 7, "test": 3} {
		src, taken, err := formats.OpenSplit(dir, formats.Options{}, split)
		if err != nil || taken != split {
			t.Fatalf("%s: took %q, %v", split, taken, err)
		}
		if got := count(t, src); got != n {
			t.Errorf("%s: %d images, want %d", split, got, n)
		}
	}
	if src, taken, err := formats.OpenSplit(dir, formats.Options{Split: "all"}, "test"); err != nil || taken != "all" || count(t, src) != 10 {
		t.Errorf("all: took %q, %v", taken, err)
	}
}

// TestLayout: the option reaches the format.
func TestLayout(t *testing.T) {
	header := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3, 2, 3), }")
	for layout, want := range map[string][2]int{"": {2, 3}, "nhwc": {2, 3}, "NCHW": {3, 2}} {
		in := strings.NewReader(header + "012345678901234567")
		src, err := formats.Open(formats.Standard, formats.Options{Layout: layout, Stdin: in})
		if err != nil {
			t.Fatal(err)
		}
		var s data.Sample
		if err := src.Next(&s); err != nil || s.W != want[0] || s.H != want[1] {
			t.Errorf("layout %q: %dx%d (%v), want %v", layout, s.W, s.H, err, want)
		}
	}
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "images.npz")
	sink, err := formats.Create(path, formats.SinkOptions{Classes: []string{"cat", "dog"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := sink.Put(&data.Item{Key: "a", Label: 1, Image: raster.New(4, 4)}); err != nil {
		fmt.Println(err)
		return
	}
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}

	src, err := formats.Open(path, formats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	info := src.Info()
	fmt.Println(info.Format, info.Len, info.Classes)
	// Output: npz 1 [cat dog]
}

func ExampleTable() {
	var names []string
	for _, f := range formats.Table() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	fmt.Println(names)
	// Output: [annotated cifar10 cifar100 file folder lmdb medmnist npy npz scenes svhn wds]
}

// TestChoose: samples are chosen by fine class before classes are joined, and the error of a choice names the data.
func TestChoose(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c100")
	sink, err := formats.Create(dir, formats.SinkOptions{Format: "cifar100"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, sink, 200, 100)
	src, err := formats.Open(dir, formats.Options{Classes: "cifar100-superclasses", Without: []string{"class:beaver", "class:apple"}})
	if err != nil {
		t.Fatal(err)
	}
	info := src.Info()
	if len(info.Classes) != 20 || info.Classes[0] != "aquatic_mammals" || info.Len != 196 {
		t.Errorf("%+v", info)
	}
	coarse, err := formats.Open(dir, formats.Options{Coarse: true})
	if err != nil {
		t.Fatal(err)
	}
	// Without a choice the map does what the format's own coarse labels say. The written files have none: 0.
	if !slices.Equal(coarse.Info().Classes, info.Classes) {
		t.Errorf("%q, of the format %q", info.Classes, coarse.Info().Classes)
	}
	if err := errors.Join(src.Close(), coarse.Close()); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		o    formats.Options
		is   error
		says string
	}{
		{formats.Options{Only: []string{"class:wolfe"}}, data.ErrFilter, "c100: bad choice of samples: there is no class"},
		{formats.Options{Classes: "nowhere.txt"}, fs.ErrNotExist, "built in: cifar100-superclasses"},
	} {
		if _, err := formats.Open(dir, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.says)
		}
	}
}

// TestLMDB: a file and its folder are known by what they are.
func TestLMDB(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "lmdb", "testdata", "real.mdb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data.mdb"), content, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "data.mdb")} {
		src, err := formats.Open(path, formats.Options{})
		if err != nil || src.Info().Format != "lmdb" || src.Info().Len != 259 {
			t.Fatalf("%s: %v", path, err)
		}
		src.Close()
	}
}

// Images of a CT scanner: values from -160 to 240 become gray, and what is made of them stays gray.
func ExampleOptions_HowRead() {
	window, err := data.ParseWindow("-160:240")
	if err != nil {
		panic(err)
	}
	o := formats.Options{Reading: data.Reading{Gray: true, Window: &window}, Channels: []int{1}}
	fmt.Println(o.HowRead())
	// Output: gray, window -160:240, channels 1
}

// A part that no format has is refused where the data set has no parts too.
func TestMistypedSplit(t *testing.T) {
	_, err := formats.Open(t.TempDir(), formats.Options{Split: "tes"})
	const says = `split "tes", did you mean "test"? (allowed: train, test, val, all, extra)`
	if !errors.Is(err, formats.ErrOption) || !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}

// The sum of a class map is that of its pairs in their order, wherever it lies and whatever comments it has; of a pipe there is none.
func TestClassMapSum(t *testing.T) {
	dir := t.TempDir()
	sum := func(name string) string {
		t.Helper()
		s, err := formats.ClassMapSum(name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	list := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return sum(path)
	}
	first := list("a.txt", "cat animal\ntruck machine\n")
	if again := list("b.txt", "# classes\ncat\tanimal\n\ntruck,machine\n"); again != first || len(first) != 64 {
		t.Errorf("%s and %s for the same pairs", first, again)
	}
	for _, text := range []string{"dog animal\ntruck machine\n", "cat machine\ntruck animal\n", "truck machine\ncat animal\n", "cat animal\n"} {
		if list("a.txt", text) == first {
			t.Errorf("%q has the sum of another", text)
		}
	}
	if s := sum(formats.ClassMaps()[0]); len(s) != 64 || s == first {
		t.Errorf("built in: %q", s)
	}
	if s := sum(dir); s != "" { // as of a pipe: it is no file
		t.Errorf("a folder: %q", s)
	}
	if _, err := formats.ClassMapSum(filepath.Join(dir, "none.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestCheckPart: a part of a set that has none is refused, one of a set that has parts is not, whether it is there or not.
func TestCheckPart(t *testing.T) {
	dir := t.TempDir()
	for _, class := range []string{"plain/a", "plain/b", "parts/train/a", "parts/val/a"} {
		path := filepath.Join(dir, filepath.FromSlash(class))
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "x.png"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		set, split string
		refused    bool
	}{
		{"plain", "train", true},
		{"plain", "val", true},
		{"plain", "extra", true},
		{"plain", "", false},
		{"plain", "all", false},
		{"parts", "train", false},
		{"parts", "val", false},
		{"parts", "extra", false},
		{"none", "train", false},
	} {
		err := formats.CheckPart(filepath.Join(dir, c.set), formats.Options{Split: c.split}, "val-split")
		if c.refused != errors.Is(err, data.ErrUnsupported) || c.refused != (err != nil) {
			t.Errorf("split %q of %s: %v", c.split, c.set, err)
		}
	}
}

// TestOtherCompressions: of a tar file that is compressed in a way that is not read the error says which.
func TestOtherCompressions(t *testing.T) {
	for magic, want := range map[string]string{"BZh9": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd"} {
		path := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(path, []byte(magic+strings.Repeat("x", 600)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := formats.Open(path, formats.Options{})
		_, piped := formats.Open(formats.Standard, formats.Options{Stdin: strings.NewReader(magic)})
		for _, err := range []error{err, piped} {
			if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "is compressed by "+want+" (allowed: tar files") {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}
