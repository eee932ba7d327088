package wds

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
)

// TestSamples reads one shard that has every kind of entry, by index, as a stream and compressed.
func TestSamples(t *testing.T) {
	long := "long/" + strings.Repeat("x", 150) + "/" + strings.Repeat("y", 120)
	b := writeTar(t,
		file{"./a/0.jpg", "A0"}, file{"./a/0.cls", " 3\n"},
		file{"readme", "no sample"}, file{".hidden.png", "no sample"}, file{"__meta__/x.png", "no sample"},
		file{"a/1.json", `{"label": 2, "caption": "a"}`}, file{"a/1.PNG", "A1"},
		file{"a/2.webp", "A2"}, file{"a/2.txt", "caption"},
		file{"v1.0/b.seg.png", "mask"}, file{"v1.0/b.bmp", "B"}, file{"v1.0/b.cls", "1"}, file{"v1.0/b.json", `{"label": 0}`},
		file{"c.png", "C in PNG"}, file{"c.jpeg", "C in JPEG"}, file{"c.json", `{"label": 1}`}, file{"c.cls", "0"},
		file{"d.cls", "1"},
		file{"e.jpg", "E"}, file{"e.cls", "minus"},
		file{"f.jpg", "F"}, file{"f.cls", "4"},
		file{"g.jpg", "G"}, file{"g.json", `{"label": 1.5}`},
		file{"h.jpg", "H"}, file{"h.json", `{"label": `},
		file{"i.jpg", "I"}, file{"i.json", `{"name": "x"}`},
		file{"i2.jpg", "I2"}, file{"i2.json", `[[1, 2, 3, 4]]`},
		file{"j.jpg", "J"}, file{"j.jpg", "J again"},
		file{"k.jpg", ""}, file{"k.cls", strings.Repeat("1", 65)},
		file{long + ".jpg", "L"},
		file{"é/ü.jpg", "U"},
		file{"m.json", `{"label": "cat"}`}, file{"m.cls", "2"}, file{"m.jpg", "M"},
	)
	want := []string{
		"a/0 3 A0", "a/1 2 A1", "a/2 -1 A2", "v1.0/b 1 B", "c 0 C in JPEG", "error d", "error e", "error f", "error g",
		"error h", "i -1 I", "i2 -1 I2", "error j", "error k", long + " -1 L", "é/ü -1 U", "m 2 M",
	}
	classes := []byte("zero\none\ntwo\nthree\n")
	dir := folder(t, map[string][]byte{"x.tar": b, "classes.txt": classes})
	zipped := folder(t, map[string][]byte{"x.tar.gz": compress(t, b), "classes.txt": classes})
	for _, c := range []struct {
		path string
		o    Options
		len  int
	}{
		{filepath.Join(dir, "x.tar"), Options{}, len(want)},
		{dir, Options{Stream: true}, -1},
		{filepath.Join(zipped, "x.tar.gz"), Options{}, -1},
		{zipped, Options{}, -1},
	} {
		info, got := mustRead(t, c.path, c.o)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", c.path, got, want)
		}
		if info.Format != Name || info.Len != c.len || !slices.Equal(info.Classes, []string{"zero", "one", "two", "three"}) {
			t.Errorf("%s: %+v", c.path, info)
		}
	}
	lines, err := readAll(NewStream(bytes.NewReader(compress(t, b)), "pipe", Options{}))
	want[7] = "f 4 F" // no class names on a stream: any label can be
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("stream: %q, error %v", lines, err)
	}
}

// TestSampleErrors: what is wrong with one sample has its class and its place.
func TestSampleErrors(t *testing.T) {
	for _, c := range []struct {
		files []file
		is    error
		text  string
	}{
		{[]file{{"k.cls", "1"}}, data.ErrFormat, "k: bad data: no image"},
		{[]file{{"k.jpg", "x"}, {"k.cls", "-1"}}, data.ErrLabel, `holds "-1"`},
		{[]file{{"k.jpg", "x"}, {"k.cls", "2"}}, data.ErrLabel, "2 (allowed: 0 to 1)"},
		{[]file{{"k.jpg", "x"}, {"k.json", `{"label":"cat"}`}}, data.ErrLabel, `"cat"`},
		{[]file{{"k.jpg", "x"}, {"k.json", "[1"}}, data.ErrLabel, "json"},
		{[]file{{"k.jpg", "x"}, {"k.jpg", "x"}}, data.ErrFormat, "two entries"},
	} {
		dir := folder(t, map[string][]byte{"s.tar": writeTar(t, c.files...), "classes.txt": []byte("a\nb\n")})
		for _, stream := range []bool{false, true} {
			src, err := Open(dir, Options{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			err = src.Next(new(data.Sample))
			var one *data.SampleError
			if !errors.As(err, &one) || one.Key != "k" || !isErr(err, c.is, c.text, "s.tar: k") {
				t.Errorf("error %v, want %v with %q", err, c.is, c.text)
			}
			if err := src.Next(new(data.Sample)); err != io.EOF {
				t.Errorf("%v after it", err)
			}
		}
	}
}

func TestShards(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"b.tar": nil, "a.tar.gz": nil, "c.tgz": nil, "d.tar.partial": nil, ".e.tar": nil, "f.txt": nil, "{1..2}.tar": nil,
	})
	in := func(names ...string) []string {
		for i, n := range names {
			names[i] = filepath.Join(dir, n)
		}
		return names
	}
	for spec, want := range map[string][]string{
		dir:                              in("a.tar.gz", "b.tar", "c.tgz", "{1..2}.tar"),
		filepath.Join(dir, "b.tar"):      in("b.tar"),
		"x-{008..011}.tar":               {"x-008.tar", "x-009.tar", "x-010.tar", "x-011.tar"},
		"{8..11}":                        {"8", "9", "10", "11"},
		"{a,b}/{1..2}.tar":               {"a/1.tar", "a/2.tar", "b/1.tar", "b/2.tar"},
		"x.tar::y-{1..2}.tar":            {"x.tar", "y-1.tar", "y-2.tar"},
		filepath.Join(dir, "{1..2}.tar"): in("{1..2}.tar"),
	} {
		got, err := Shards(spec)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, error %v, want %q", spec, got, err, want)
		}
	}
	for _, spec := range []string{
		"{2..1}.tar", "{a..b}.tar", "x{1.tar", "{{1..2}..3}", "{0..99999999}", "{0..9999}{0..9999}", "{-1..2}",
		"{1..99999999999}",
	} {
		if got, err := Shards(spec); !isErr(err, data.ErrUnsupported, spec) {
			t.Errorf("%s: %d shards, error %v", spec, len(got), err)
		}
	}
	if _, err := Shards(t.TempDir()); !errors.Is(err, data.ErrFormat) {
		t.Errorf("empty folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "n-{1..2}.tar"), Options{}); !isErr(err, fs.ErrNotExist, "n-1.tar") {
		t.Errorf("shards that are not there: %v", err)
	}
}

// TestManyShards reads more shards than may be open at once, from several goroutines.
func TestManyShards(t *testing.T) {
	const n = 2*maxOpen + 3
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("s-%03d.tar", i)] = writeTar(t, file{fmt.Sprint(i) + ".jpg", fmt.Sprint("image ", i)})
	}
	dir := folder(t, files)
	src, err := Open(filepath.Join(dir, fmt.Sprintf("s-{000..%03d}.tar", n-1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := src.(*Set)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var s data.Sample
			for i := range 3 * n {
				k := (i*(2*g+1) + g) % n
				if err := set.Read(k, &s); err != nil || summary(&s) != fmt.Sprintf("%d -1 image %d", k, k) {
					t.Errorf("Read(%d) gives %q, error %v", k, summary(&s), err)
				}
			}
		})
	}
	wg.Wait()
	if open := len(set.shards.open); open > maxOpen {
		t.Errorf("%d shards are open", open)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	if err := set.Read(0, new(data.Sample)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read after Close: %v", err)
	}
}

// TestKeysTwice: keys that are not distinct are rejected where they can be compared, and made distinct on request.
func TestKeysTwice(t *testing.T) {
	a, b := file{"0.jpg", "a"}, file{"0.jpg", "b"}
	apart := folder(t, map[string][]byte{"x.tar": writeTar(t, a, file{"1.jpg", "-"}, file{"0.cls", "1"})})
	for _, o := range []Options{{}, {Stream: true}, {ShardKeys: true}} {
		src, err := Open(apart, o)
		if err == nil {
			_, err = readAll(src)
			src.Close()
		}
		if !isErr(err, data.ErrFormat, `"0.cls"`) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	dir := folder(t, map[string][]byte{"x.tar": writeTar(t, a), "y.tar": writeTar(t, b)})
	if _, err := Open(dir, Options{}); !isErr(err, data.ErrFormat, "y.tar") {
		t.Errorf("two shards with one key: %v", err)
	}
	for _, stream := range []bool{false, true} {
		_, got := mustRead(t, dir, Options{ShardKeys: true, Stream: stream})
		if !slices.Equal(got, []string{"x/0 -1 a", "y/0 -1 b"}) {
			t.Errorf("ShardKeys: %q", got)
		}
	}
}

// hostileShards are shards that are rejected whole.
func hostileShards(t testing.TB) []struct {
	name string
	b    []byte
	is   error
	text string
} {
	one := func(h tar.Header) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	reg := func(name string) []byte { return one(tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 1}) }
	good := writeTar(t, file{"a.jpg", "image"}, file{"b.jpg", "image"})
	cut := func(n int) []byte { return good[:n] }
	huge := bytes.Clone(reg("a.jpg"))
	copy(huge[124:136], "\x80\x00\x00\x00\x3f\xff\xff\xff\xff\xff\xff\xff") // size in base 256
	fixSum(huge)
	most := bytes.Clone(reg("a.jpg"))
	copy(most[124:136], "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff")
	fixSum(most)
	sum := bytes.Clone(good)
	sum[0] ^= 1
	return []struct {
		name string
		b    []byte
		is   error
		text string
	}{
		{"absolute", reg("/etc/x.jpg"), data.ErrUnsafe, `"/etc/x.jpg" has an absolute name`},
		{"drive", reg(`C:\x.jpg`), data.ErrUnsafe, "absolute"},
		{"above", reg("a/../../x.jpg"), data.ErrUnsafe, "points above"},
		{"above by backslash", reg(`a\..\x.jpg`), data.ErrUnsafe, "points above"},
		{"above, no sample", reg("../readme"), data.ErrUnsafe, "points above"},
		{"control character", reg("a\nb.jpg"), data.ErrUnsafe, "control"},
		{"not UTF-8", reg("a\xff.jpg"), data.ErrUnsafe, "UTF-8"},
		{"symbolic link", one(tar.Header{Name: "a.jpg", Linkname: "/x", Typeflag: tar.TypeSymlink}), data.ErrUnsafe, "link"},
		{"hard link", one(tar.Header{Name: "a.jpg", Linkname: "b.jpg", Typeflag: tar.TypeLink}), data.ErrUnsafe, "link"},
		{"device", one(tar.Header{Name: "a.jpg", Typeflag: tar.TypeBlock}), data.ErrUnsafe, "device"},
		{"pipe", one(tar.Header{Name: "a.jpg", Typeflag: tar.TypeFifo}), data.ErrUnsafe, "special"},
		{"huge", huge, data.ErrFormat, "cut off; no entry is complete"},
		{"beyond every file", most, data.ErrFormat, `"a.jpg" declares 9223372036854775807 bytes`},
		{"check sum", sum, data.ErrFormat, "no entry is complete"},
		{"empty", nil, data.ErrFormat, "no entry is complete"},
		{"cut in the second header", cut(1024 + 100), data.ErrFormat, `the last complete entry is "a.jpg"`},
		{"cut in the second entry", cut(1024 + 512 + 3), data.ErrFormat, `the last complete entry is "a.jpg"`},
		{"cut before the padding", cut(1024 + 512 + 7), data.ErrFormat, `the last complete entry is "b.jpg"`},
		{"cut between entries", cut(1024), data.ErrFormat, `the last complete entry is "a.jpg"`},
		{"cut after the last entry", cut(2048), data.ErrFormat, `the last complete entry is "b.jpg"`},
		{"joined", append(bytes.Clone(good), good...), data.ErrFormat, "data after the end"},
	}
}

// fixSum sets the check sum of the first header.
func fixSum(b []byte) {
	copy(b[148:156], "        ")
	sum := 0
	for _, c := range b[:512] {
		sum += int(c)
	}
	copy(b[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func TestHostileShards(t *testing.T) {
	for _, h := range hostileShards(t) {
		for _, zip := range []bool{false, true} {
			for _, stream := range []bool{false, true} {
				b := h.b
				if zip {
					b = compress(t, b)
				}
				path := filepath.Join(folder(t, map[string][]byte{"shard-7.tar": b}), "shard-7.tar")
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				src, err := Open(path, Options{Stream: stream})
				if err == nil {
					_, err = readAll(src)
					src.Close()
				}
				runtime.ReadMemStats(&after)
				if !isErr(err, h.is, h.text, "shard-7.tar") {
					t.Errorf("%s, gzip %t, stream %t: error %v, want %v with %q and the shard", h.name, zip, stream, err, h.is, h.text)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
					t.Errorf("%s, gzip %t, stream %t: %d bytes allocated", h.name, zip, stream, used)
				}
			}
		}
	}
}

// TestLargeMember: an entry above the limit is skipped without taking memory for it, as a .tar.gz of a megabyte may hold one
// of a gigabyte.
func TestLargeMember(t *testing.T) {
	const size = maxImage + 1
	var head, end bytes.Buffer
	w := tar.NewWriter(&head)
	if err := w.WriteHeader(&tar.Header{Name: "a.png", Size: size, Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	end.Write(make([]byte, block-size%block))
	end.Write(writeTar(t, file{"b.png", "small"}))
	s := NewStream(io.MultiReader(&head, io.LimitReader(zeros{}, size), &end), "x.tar", Options{})
	var sample data.Sample
	var one *data.SampleError
	err := s.Next(&sample)
	if !errors.As(err, &one) || !isErr(err, data.ErrFormat, "268435457 bytes", "allowed: 268435456") {
		t.Errorf("an entry of %d bytes: %v", size, err)
	}
	if n := cap(sample.Data); n > 1<<16 {
		t.Errorf("%d bytes were taken for it", n)
	}
	if err := s.Next(&sample); err != nil || string(sample.Data) != "small" {
		t.Errorf("the sample after it: %q, %v", sample.Data, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestSparse: GNU's sparse files, of either header form, are rejected.
func TestSparse(t *testing.T) {
	pax := func(key, val string) string {
		for n := len(key) + len(val) + 3; ; n++ {
			if rec := fmt.Sprintf("%d %s=%s\n", n, key, val); len(rec) == n {
				return rec
			}
		}
	}
	records := pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0") + pax("GNU.sparse.name", "a.jpg") +
		pax("GNU.sparse.realsize", "1000000000")
	b := writeTar(t, file{"PaxHeaders/a", records}, file{"a.jpg", "0\n" + strings.Repeat("\x00", 510)})
	b[156] = 'x'
	fixSum(b)
	path := filepath.Join(folder(t, map[string][]byte{"s.tar": b}), "s.tar")
	if _, err := Open(path, Options{}); !isErr(err, data.ErrUnsupported, "sparse") {
		t.Errorf("error %v", err)
	}
}

// TestCutStream: a damaged gzip file gives the samples before the damage, then an error.
func TestCutStream(t *testing.T) {
	var files []file
	for i := range 200 {
		files = append(files, file{fmt.Sprintf("%03d.jpg", i), fmt.Sprint("image ", i*i)})
	}
	b := compress(t, writeTar(t, files...))
	src := NewStream(bytes.NewReader(b[:len(b)/2]), "pipe", Options{})
	lines, err := readAll(src)
	if !isErr(err, data.ErrFormat, "pipe") || len(lines) == 0 || len(lines) == 200 {
		t.Errorf("%d samples, then %v", len(lines), err)
	}
	if again := src.Next(new(data.Sample)); again != err {
		t.Errorf("then %v", again)
	}
	b[len(b)-8] ^= 1 // check sum
	if _, err := readAll(NewStream(bytes.NewReader(b), "pipe", Options{})); !errors.Is(err, data.ErrFormat) {
		t.Errorf("wrong check sum: %v", err)
	}
}

// TestPipe reads a named pipe, which cannot be opened twice.
func TestPipe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pipes by /dev/fd")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := writeTar(t, file{"a.jpg", "image"})
	go func() {
		w.Write(b)
		w.Close()
	}()
	_, got := mustRead(t, fmt.Sprintf("/dev/fd/%d", r.Fd()), Options{})
	if !slices.Equal(got, []string{"a -1 image"}) {
		t.Errorf("%q", got)
	}
}

// TestConformanceRead runs the suite over shards that other programs could have written.
func TestConformanceRead(t *testing.T) {
	for _, c := range []struct {
		name string
		zip  bool
		o    Options
	}{{"plain", false, Options{}}, {"stream", false, Options{Stream: true}}, {"gzip", true, Options{}}} {
		t.Run(c.name, func(t *testing.T) {
			datatest.Suite{
				Indexed: c.name == "plain", PrefixOK: true,
				Open: func(path string) (data.Source, error) { return Open(path, c.o) },
				Key:  func(k datatest.Known, _ []string) string { return k.Key },
				Skip: func(name string) bool { return filepath.Base(name) == classesFile },
				Build: func(t testing.TB, dir string, samples []datatest.Known, classes []string) string {
					var shards [2][]file
					for i, k := range samples {
						half := 2 * i / len(samples)
						shards[half] = append(shards[half], file{k.Key + ".json", fmt.Sprintf(`{"label":%d}`, k.Label)},
							file{k.Key + ".png", encode(t, k)})
					}
					for i, files := range shards {
						b := writeTar(t, files...)
						if c.zip {
							b = compress(t, b)
						}
						if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%d.tar", i)), b, 0o666); err != nil {
							t.Fatal(err)
						}
					}
					text := strings.Join(classes, "\n")
					if err := os.WriteFile(filepath.Join(dir, classesFile), []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
					return dir
				},
			}.Run(t)
		})
	}
}

// FuzzTar: no shard makes the reader panic or give what it should not, and the index and the stream agree.
func FuzzTar(f *testing.F) {
	f.Add(writeTar(f, file{"a.jpg", "x"}, file{"a.cls", "1"}, file{"b/c.json", `{"label":3}`}, file{"b/c.png", "y"}), true)
	f.Add(compress(f, writeTar(f, file{"a.jpg", "x"})), false)
	for _, h := range hostileShards(f) {
		f.Add(h.b, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, repair bool) {
		if b = bytes.Clone(b); repair { // check sums, which would keep most mutations from getting far
			for at := 0; at+block <= len(b); at += block {
				if b[at] != 0 && (b[at+156] == 0 || b[at+156] >= '0' && b[at+156] <= 'x') {
					fixSum(b[at:])
				}
			}
		}
		stream, serr := readAll(NewStream(bytes.NewReader(b), "x", Options{}))
		path := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path, Options{})
		var lines []string
		if err == nil {
			defer src.Close()
			lines, err = readAll(src)
		}
		if (err == nil) != (serr == nil) {
			t.Fatalf("by index: %v; as a stream: %v", err, serr)
		}
		if err != nil {
			if !errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsafe) && !errors.Is(err, data.ErrUnsupported) {
				t.Fatalf("error without a sentinel: %v", err)
			}
			return
		}
		if !slices.Equal(lines, stream) {
			t.Fatalf("by index:\n%q\nas a stream:\n%q", lines, stream)
		}
	})
}

// FuzzShards: no pattern makes Shards panic or return more than it may.
func FuzzShards(f *testing.F) {
	for _, s := range []string{"a-{000..010}.tar", "{a,b}{1..3}", "x::y", "{", "}", "{}", "{..}", "{1..}", "a{,}b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 100 || strings.HasPrefix(s, "/") || strings.Contains(s, ".") && !strings.Contains(s, "{") {
			t.Skip("long, or a path of the machine")
		}
		if names, err := expand(s); err == nil && len(names) > maxShards {
			t.Fatalf("%d names", len(names))
		}
	})
}

func benchShard(b *testing.B) string {
	var files []file
	for i := range 1000 {
		key := fmt.Sprintf("%06d", i)
		files = append(files, file{key + ".jpg", strings.Repeat("x", 8000)}, file{key + ".cls", "7"})
	}
	return filepath.Join(folder(b, map[string][]byte{"x.tar": writeTar(b, files...)}), "x.tar")
}

func BenchmarkRead(b *testing.B) {
	src, err := Open(benchShard(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var s data.Sample
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := src.(*Set).Read(i%1000, &s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkIndex(b *testing.B) {
	path := benchShard(b)
	for b.Loop() {
		src, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		src.Close()
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkStream(b *testing.B) {
	path := benchShard(b)
	var s data.Sample
	for b.Loop() {
		src, err := Open(path, Options{Stream: true})
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			err = src.Next(&s)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		src.Close()
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
