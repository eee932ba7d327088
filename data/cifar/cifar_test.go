package cifar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// set10 is a small CIFAR-10 with batches of different lengths, by stem.
func set10() map[string][]record {
	m := map[string][]record{"test_batch": records(99, 4, 10)}
	for i := 1; i <= batchFiles; i++ {
		m[fmt.Sprintf("data_batch_%d", i)] = records(uint64(i), i, 10)
	}
	return m
}

var order10 = []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"}

func files10(set map[string][]record, st *style) map[string][]byte {
	files := map[string][]byte{}
	for stem, recs := range set {
		if st != nil {
			files[stem] = pickleFile(CIFAR10, recs, *st)
		} else {
			files[stem+".bin"] = binaryFile(CIFAR10, recs)
		}
	}
	return files
}

// checkAll compares samples with the files of a set in order.
func checkAll(t *testing.T, got []data.Sample, set map[string][]record, stems []string) {
	t.Helper()
	for _, stem := range stems {
		n := min(len(set[stem]), len(got))
		check(t, got[:n], stem, set[stem], false)
		got = got[n:]
	}
	if len(got) > 0 {
		t.Errorf("%d samples too many", len(got))
	}
}

func TestFolder10(t *testing.T) {
	set := set10()
	versions := []*style{nil}
	for i := range styles {
		versions = append(versions, &styles[i])
	}
	for _, st := range versions {
		name := "binary"
		if st != nil {
			name = st.name
		}
		t.Run(name, func(t *testing.T) {
			dir := write(t, t.TempDir(), files10(set, st))
			for split, stems := range map[Split][]string{Train: order10[:5], Test: order10[5:], All: order10} {
				info, got := read(t, dir, Options{Split: split})
				checkAll(t, got, set, stems)
				if info.Format != "cifar10" || info.Len != len(got) || !slices.Equal(info.Classes, Classes10()) {
					t.Errorf("split %s: Info is %+v", split, info)
				}
			}
		})
	}
}

func TestFolder100(t *testing.T) {
	train, test := records(1, 7, 100), records(2, 3, 100)
	for _, coarse := range []bool{false, true} {
		classes := map[bool][]string{false: Classes100(), true: Coarse100()}[coarse]
		dirs := []string{write(t, t.TempDir(), map[string][]byte{
			"train.bin": binaryFile(CIFAR100, train), "test.bin": binaryFile(CIFAR100, test),
		})}
		for _, st := range styles {
			dirs = append(dirs, write(t, t.TempDir(), map[string][]byte{
				"train": pickleFile(CIFAR100, train, st), "test": pickleFile(CIFAR100, test, st),
			}))
		}
		for _, dir := range dirs {
			info, got := read(t, dir, Options{Split: All, Coarse: coarse})
			check(t, got[:7], "train", train, coarse)
			check(t, got[7:], "test", test, coarse)
			if info.Format != "cifar100" || !slices.Equal(info.Classes, classes) {
				t.Errorf("Info is %+v", info)
			}
		}
	}
}

func TestMeta(t *testing.T) {
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	recs := records(3, 2, 10)
	text := []byte(strings.Join(names, "\n") + "\n\n")
	fine := append(slices.Clone(names), Classes100()[10:]...)
	dirs := map[string]Options{
		write(t, t.TempDir(), map[string][]byte{
			"test_batch.bin": binaryFile(CIFAR10, recs), "batches.meta.txt": text,
		}): {},
		write(t, t.TempDir(), map[string][]byte{
			"test_batch": pickleFile(CIFAR10, recs, styles[0]),
			"batches.meta": pickleMeta(styles[0], map[string][]string{
				"label_names": names, "num_vis": nil,
			}),
		}): {},
		write(t, t.TempDir(), map[string][]byte{
			"test.bin":             binaryFile(CIFAR100, recs),
			"fine_label_names.txt": []byte(strings.Join(fine, "\r\n")),
		}): {},
		write(t, t.TempDir(), map[string][]byte{
			"test": pickleFile(CIFAR100, recs, styles[4]),
			"meta": pickleMeta(styles[4], map[string][]string{"fine_label_names": fine, "coarse_label_names": names}),
		}): {},
	}
	for dir, o := range dirs {
		info, _ := read(t, dir, o)
		if !slices.Equal(info.Classes[:10], names) {
			t.Errorf("%s: classes %q", dir, info.Classes)
		}
	}
}

// TestSingle opens single files: by their published name, by their length, by their content, by the kind given.
func TestSingle(t *testing.T) {
	r10, r100 := records(5, 3, 10), records(6, 3, 100)
	dir := write(t, t.TempDir(), map[string][]byte{
		"data_batch_2.bin": binaryFile(CIFAR10, r10),
		"test.bin":         binaryFile(CIFAR100, r100),
		"mine.bin":         binaryFile(CIFAR10, r10),
		"other.dat":        binaryFile(CIFAR100, r100),
		"ten.pkl":          pickleFile(CIFAR10, r10, styles[1]),
		"hundred":          pickleFile(CIFAR100, r100, styles[0]),
	})
	for name, stem := range map[string]string{
		"data_batch_2.bin": "data_batch_2", "test.bin": "test", "mine.bin": "mine", "other.dat": "other",
		"ten.pkl": "ten", "hundred": "hundred",
	} {
		info, got := read(t, filepath.Join(dir, name), Options{})
		want := r10
		if info.Format == "cifar100" {
			want = r100
		}
		check(t, got, stem, want, false)
	}
	if _, err := Open(filepath.Join(dir, "mine.bin"), Options{Kind: CIFAR100}); !errors.Is(err, data.ErrFormat) {
		t.Errorf("records of the wrong kind: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "mine.bin"), Options{Split: Test}); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("split of a file: %v", err)
	}
}

// TestArchive reads archives whose entries lie in an order of their own, and expects the data set's.
func TestArchive(t *testing.T) {
	set := set10()
	stems := []string{"data_batch_4", "test_batch", "data_batch_3", "data_batch_2", "data_batch_5", "data_batch_1"}
	for _, st := range []*style{nil, &styles[0], &styles[6]} {
		entries := []entryOf{{"cifar-10/readme.html", []byte("<html>")}}
		files := files10(set, st)
		for _, stem := range stems {
			name := stem
			if st == nil {
				name += ".bin"
			}
			entries = append(entries, entryOf{"cifar-10/" + name, files[name]})
		}
		path := filepath.Join(write(t, t.TempDir(), map[string][]byte{"set": tarGz(t, entries)}), "set")
		for split, stems := range map[Split][]string{Train: order10[:5], Test: order10[5:], All: order10} {
			info, got := read(t, path, Options{Split: split})
			checkAll(t, got, set, stems)
			if info.Len != len(got) {
				t.Errorf("Len is %d, want %d", info.Len, len(got))
			}
		}
	}
}

func TestArchive100(t *testing.T) {
	train, test := records(1, 7, 100), records(2, 3, 100)
	b := tarGz(t, []entryOf{
		{"c/fine_label_names.txt", []byte(strings.Join(Classes100(), "\n"))},
		{"c/test.bin", binaryFile(CIFAR100, test)},
		{"c/train.bin", binaryFile(CIFAR100, train)},
	})
	path := filepath.Join(write(t, t.TempDir(), map[string][]byte{"c.tgz": b}), "c.tgz")
	info, got := read(t, path, Options{Split: All, Coarse: true})
	check(t, got[:7], "train", train, true)
	check(t, got[7:], "test", test, true)
	if !slices.Equal(info.Classes, Coarse100()) {
		t.Errorf("classes %q", info.Classes)
	}
}

// TestPublishedFolderBelow opens the folder that an archive was unpacked in.
func TestPublishedFolderBelow(t *testing.T) {
	set, dir := set10(), t.TempDir()
	write(t, filepath.Join(dir, "cifar-10-batches-bin"), files10(set, nil))
	_, got := read(t, dir, Options{Split: Train})
	checkAll(t, got, set, order10[:5])
	write(t, filepath.Join(dir, "cifar-100-python"), nil)
	if _, err := Open(dir, Options{Split: Train}); !errors.Is(err, data.ErrFormat) {
		t.Errorf("two data sets: %v", err)
	}
}

func TestRandomAccessEqualsNext(t *testing.T) {
	dir := write(t, t.TempDir(), files10(set10(), nil))
	_, want := read(t, dir, Options{Split: All})
	src, err := Open(dir, Options{Split: All})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var s data.Sample
	for i := len(want) - 1; i >= 0; i-- {
		if err := src.(data.Indexed).Read(i, &s); err != nil {
			t.Fatal(err)
		}
		if s.Key != want[i].Key || s.Label != want[i].Label || s.Index != i || !bytes.Equal(s.Data, want[i].Data) {
			t.Errorf("Read(%d) gives %s, Next gave %s", i, s.Key, want[i].Key)
		}
	}
}

// TestErrors opens what cannot be read; every error has its sentinel and names what is wrong.
func TestErrors(t *testing.T) {
	five := files10(set10(), nil)
	with := func(change func(m map[string][]byte)) map[string][]byte {
		m := map[string][]byte{}
		for k, v := range five {
			m[k] = v
		}
		change(m)
		return m
	}
	cases := []struct {
		name  string
		files map[string][]byte
		o     Options
		is    error
		text  string
	}{
		{"both splits", five, Options{}, data.ErrSplit, "choose split"},
		{
			"missing batch", with(func(m map[string][]byte) { delete(m, "data_batch_3.bin") }),
			Options{Split: Train},
			data.ErrFormat, "data_batch_3.bin is missing",
		},
		{
			"gap", with(func(m map[string][]byte) { m["data_batch_7.bin"] = nil }),
			Options{Split: All},
			data.ErrFormat, "data_batch_6.bin is missing",
		},
		{
			"no test", with(func(m map[string][]byte) { delete(m, "test_batch.bin") }),
			Options{Split: All},
			data.ErrFormat, "no test file (allowed: split train)",
		},
		{"no training", map[string][]byte{"test.bin": nil}, Options{Split: All}, data.ErrFormat, "no training file (allowed: split test)"},
		{
			"cut", with(func(m map[string][]byte) { m["data_batch_4.bin"] = m["data_batch_4.bin"][:3073+5] }),
			Options{Split: Train},
			data.ErrFormat, "data_batch_4.bin: bad data: 3078 bytes, record 1 is cut after 5 of 3073",
		},
		{
			"two kinds", with(func(m map[string][]byte) { m["test.bin"] = nil }),
			Options{Split: Test},
			data.ErrFormat, "both CIFAR-10 and CIFAR-100",
		},
		{"nothing", map[string][]byte{"a.png": nil}, Options{}, data.ErrFormat, "no CIFAR files"},
		{"bad split", five, Options{Split: "validation"}, data.ErrUnsupported, `"validation"`},
		{"coarse labels of ten", five, Options{Split: Test, Coarse: true}, data.ErrUnsupported, "no coarse"},
		{
			"class names", with(func(m map[string][]byte) { m["batches.meta.txt"] = []byte("\n\n") }),
			Options{Split: Test},
			data.ErrFormat, "batches.meta.txt",
		},
	}
	for _, c := range cases {
		dir := write(t, t.TempDir(), c.files)
		_, err := Open(dir, c.o)
		if !isErr(err, c.is, c.text, dir) {
			t.Errorf("%s: error %v, want %v with %q and the folder's name", c.name, err, c.is, c.text)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}

// TestBadLabel: one wrong label byte is an error of that sample alone.
func TestBadLabel(t *testing.T) {
	recs := records(8, 3, 10)
	recs[1].label = 10
	for name, b := range map[string][]byte{
		"test_batch.bin": binaryFile(CIFAR10, recs), "test_batch": pickleFile(CIFAR10, recs, styles[0]),
		"test.tar.gz": tarGz(t, []entryOf{{"test_batch.bin", binaryFile(CIFAR10, recs)}}),
	} {
		dir := write(t, t.TempDir(), map[string][]byte{name: b})
		src, err := Open(filepath.Join(dir, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var s data.Sample
		for i := range 3 {
			err := src.Next(&s)
			var one *data.SampleError
			if i != 1 {
				if err != nil || s.Label != int(recs[i].label) {
					t.Errorf("%s: record %d: label %d, error %v", name, i, s.Label, err)
				}
				continue
			}
			if !errors.As(err, &one) || !errors.Is(err, data.ErrLabel) || one.Key != "test_batch/0001" ||
				!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "record 1") {
				t.Errorf("%s: record 1: error %v", name, err)
			}
		}
		if err := src.Next(&s); err != io.EOF {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
}

// TestFileShrinks: a file that is cut after it was opened is an error, not a wrong image.
func TestFileShrinks(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{"test_batch.bin": binaryFile(CIFAR10, records(1, 2, 10))})
	src, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := os.Truncate(filepath.Join(dir, "test_batch.bin"), 4000); err != nil {
		t.Fatal(err)
	}
	err = src.(data.Indexed).Read(1, new(data.Sample))
	if !isErr(err, data.ErrFormat, "record 1") {
		t.Errorf("error %v", err)
	}
}

func TestKeyWidth(t *testing.T) {
	for n, want := range map[int]string{
		1: "train/0000", 10000: "train/0000", 10001: "train/00000", 100001: "train/000000",
	} {
		if k := newBatch("", part{stem: "train"}, n).key(0); k != want {
			t.Errorf("first key of %d records is %q, want %q", n, k, want)
		}
	}
	if k := newBatch("", part{stem: "train"}, 50000).key(49999); k != "train/49999" {
		t.Errorf("last key of 50000 records is %q", k)
	}
}

// TestCoarseTable holds the superclass table against the label map that is in wide use, fine label to coarse label.
func TestCoarseTable(t *testing.T) {
	want := [100]byte{
		4, 1, 14, 8, 0, 6, 7, 7, 18, 3, 3, 14, 9, 18, 7, 11, 3, 9, 7, 11,
		6, 11, 5, 10, 7, 6, 13, 15, 3, 15, 0, 11, 1, 10, 12, 14, 16, 9, 11, 5,
		5, 19, 8, 8, 15, 13, 14, 17, 18, 10, 16, 4, 17, 4, 2, 0, 17, 4, 18, 17,
		10, 3, 2, 12, 12, 16, 12, 1, 9, 19, 2, 10, 0, 1, 16, 12, 9, 13, 15, 13,
		16, 19, 2, 4, 6, 19, 5, 5, 8, 19, 18, 1, 2, 15, 6, 0, 17, 8, 14, 13,
	}
	fine, table := Classes100(), coarseOf()
	if len(fine) != 100 || len(table) != 100 || !slices.IsSorted(fine) || !slices.IsSorted(Coarse100()) {
		t.Fatalf("%d fine names, %d with a coarse one; both lists are alphabetical", len(fine), len(table))
	}
	for i, name := range fine {
		if c, ok := table[name]; !ok || c != want[i] {
			t.Errorf("%s: coarse label %d (%t), want %d", name, c, ok, want[i])
		}
	}
}

func TestHostileArchive(t *testing.T) {
	good := binaryFile(CIFAR10, records(1, 2, 10))
	whole := tarGz(t, []entryOf{{"x/test_batch.bin", good}})
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 1 // the check sum
	cases := []struct {
		name string
		b    []byte
		is   error
		text string
	}{
		{"outside", tarGz(t, []entryOf{{"../test_batch.bin", good}}), data.ErrUnsafe, "../test_batch.bin"},
		{"absolute", tarGz(t, []entryOf{{"/test_batch.bin", good}}), data.ErrUnsafe, "/test_batch.bin"},
		{"twice", tarGz(t, []entryOf{{"a/test_batch.bin", good}, {"b/test_batch.bin", good}}), data.ErrFormat, "two entries"},
		{"cut", whole[:len(whole)-20], data.ErrFormat, "cut off"},
		{"check sum", broken, data.ErrFormat, "checksum"},
		{"other", tarGz(t, []entryOf{{"x/readme.html", nil}}), data.ErrFormat, "no CIFAR files"},
		{"records", tarGz(t, []entryOf{{"x/test_batch.bin", good[1:]}}), data.ErrFormat, "test_batch.bin"},
		{"empty", nil, data.ErrFormat, ""},
	}
	for _, c := range cases {
		path := filepath.Join(write(t, t.TempDir(), map[string][]byte{"a.tar.gz": c.b}), "a.tar.gz")
		_, err := Open(path, Options{})
		if !isErr(err, c.is, c.text, path) {
			t.Errorf("%s: error %v, want %v with %q and the path", c.name, err, c.is, c.text)
		}
	}
}

// FuzzBinary: no file makes the reader panic, and a file that opens gives as many samples as it says, each whole or
// rejected by itself.
func FuzzBinary(f *testing.F) {
	f.Add("test_batch.bin", binaryFile(CIFAR10, records(1, 2, 10)))
	f.Add("train.bin", binaryFile(CIFAR100, records(1, 2, 100)))
	f.Add("x", []byte{0x80, 2, '}', '.'})
	f.Add("batches.meta.txt", []byte("a\nb\n"))
	f.Add("a.tar.gz", tarGz(f, []entryOf{{"c/test.bin", binaryFile(CIFAR100, records(1, 1, 100))}}))
	f.Add("a.tar", []byte("x"))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		if name == "." || name != filepath.Base(name) || !filepath.IsLocal(name) || len(name) > 100 ||
			strings.ContainsAny(name, "\x00\\") {
			t.Skip("no name of a file in one folder")
		}
		path := filepath.Join(write(t, t.TempDir(), map[string][]byte{name: b}), name)
		src, err := Open(path, Options{})
		if err != nil {
			return
		}
		defer src.Close()
		var s data.Sample
		n := 0
		for {
			err := src.Next(&s)
			if err == io.EOF {
				break
			}
			var one *data.SampleError
			if err != nil && !errors.As(err, &one) {
				return
			}
			if err == nil && (len(s.Data) != pixels || s.Label < 0 || s.Label >= len(src.Info().Classes) || s.Index != n) {
				t.Fatalf("sample %d: %d bytes, label %d, index %d", n, len(s.Data), s.Label, s.Index)
			}
			n++
		}
		if n != src.Info().Len {
			t.Fatalf("%d samples, Info says %d", n, src.Info().Len)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	dir := write(b, b.TempDir(), map[string][]byte{"test_batch.bin": binaryFile(CIFAR10, records(1, 1000, 10))})
	src, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var s data.Sample
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := src.(data.Indexed).Read(i%1000, &s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
