package predictions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
)

// sample is a small set of predictions; labels and ids go with it.
type sample struct {
	classes int
	rows    []float32
	labels  []int64
}

func newSample(rows, classes int) sample {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(classes)))
	s := sample{classes: classes}
	for range rows {
		for range classes {
			s.rows = append(s.rows, float32(math.Round(64*r.NormFloat64())/16)) // float16 holds them
		}
		s.labels = append(s.labels, int64(r.IntN(classes)))
	}
	return s
}

func (s *sample) n() int { return len(s.labels) }

func (s *sample) row(i int) []float32 { return s.rows[i*s.classes:][:s.classes] }

// file writes something below a test's folder.
func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func array(t testing.TB, name string, data any, shape ...int) string {
	t.Helper()
	path := file(t, name, nil)
	if err := npy.WriteFile(path, &npy.Array{Shape: shape, Data: data}); err != nil {
		t.Fatal(err)
	}
	return path
}

func archive(t testing.TB, arrays map[string]*npy.Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.npz")
	z, err := npy.CreateZip(path, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range arrays {
		if err := z.Write(name, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *sample) csv(sep string) string {
	var b strings.Builder
	b.WriteString("id" + sep + "note" + sep + "label")
	for j := s.classes - 1; j >= 0; j-- { // in any order
		fmt.Fprintf(&b, "%slogit_%d", sep, j)
	}
	for i := range s.n() {
		fmt.Fprintf(&b, "\nk%d%sx%s%d", i, sep, sep, s.labels[i])
		for j := s.classes - 1; j >= 0; j-- {
			fmt.Fprintf(&b, "%s%v", sep, s.row(i)[j])
		}
	}
	return b.String() + "\n"
}

func (s *sample) jsonl() string {
	var b strings.Builder
	for i := range s.n() {
		text := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.row(i)), "[]"), " ", ",")
		fmt.Fprintf(&b, "{\"id\":\"k%d\", \"logits\":[%s], \"label\":%d, \"more\":{\"a\":[1]}}\n", i, text, s.labels[i])
	}
	return b.String()
}

type listRow struct {
	ID     string    `parquet:"id"`
	Logits []float32 `parquet:"logits,list"`
	Label  int32     `parquet:"label"`
}

func (s *sample) parquetList(t testing.TB) string {
	t.Helper()
	var rows []listRow
	for i := range s.n() {
		rows = append(rows, listRow{fmt.Sprint("k", i), s.row(i), int32(s.labels[i])})
	}
	path := filepath.Join(t.TempDir(), "p.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[listRow](f, parquet.MaxRowsPerRowGroup(17), parquet.PageBufferSize(256))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

type columnRow struct {
	P1    float64  `parquet:"prob_1"`
	P0    float32  `parquet:"prob_0"`
	Y     int64    `parquet:"y"`
	Maybe *float64 `parquet:"maybe,optional"`
}

func parquetFile[T any](t testing.TB, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns everything of a file; rows as float64.
func read(path string, opt Options) (rows []float64, labels []int, ids []uint64, r *Reader, err error) {
	r, err = Open(path, opt)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	defer r.Close()
	var b Batch
	for next := 0; ; {
		err := r.Next(&b)
		if err == io.EOF {
			return rows, labels, ids, r, nil
		}
		if err != nil {
			return nil, nil, nil, r, err
		}
		if b.First != next || b.Rows < 1 {
			return nil, nil, nil, r, fmt.Errorf("batch of %d rows from %d, want from %d", b.Rows, b.First, next)
		}
		if opt.Block > 0 && b.First/opt.Block != (b.First+b.Rows-1)/opt.Block {
			return nil, nil, nil, r, fmt.Errorf("rows %d to %d are of two blocks", b.First, b.First+b.Rows)
		}
		next += b.Rows
		for _, v := range b.F32 {
			rows = append(rows, float64(v))
		}
		rows = append(rows, b.F64...)
		for _, v := range b.Pred {
			rows = append(rows, float64(v))
		}
		labels = append(labels, b.Labels...)
		ids = append(ids, b.IDs...)
	}
}

// The same predictions in every format are read as the same rows.
func TestFormats(t *testing.T) {
	s := newSample(300, 7)
	wide := make([]float64, len(s.rows))
	for i, v := range s.rows {
		wide[i] = float64(v)
	}
	n := []int{s.n(), s.classes}
	labels := &npy.Array{Shape: n[:1], Data: s.labels}
	for _, c := range []struct {
		name, path  string
		labels, ids bool
		kind        Kind
		rows        int
	}{
		{"npy float32", array(t, "a.npy", s.rows, n...), false, false, Logits, 300},
		{"npy float64", array(t, "a.npy", wide, n...), false, false, Logits, 300},
		{"npy without its extension", array(t, "a", wide, n...), false, false, Logits, 300},
		{"npy float16", file(t, "h.npy", halves(t, s.rows, n)), false, false, Logits, 300},
		{"npy big endian", file(t, "b.npy", bigEndian(t, s.rows, n)), false, false, Logits, 300},
		{"npy Fortran", file(t, "f.npy", fortran(t, s.rows, n)), false, false, Logits, 300},
		{
			"npz",
			archive(t, map[string]*npy.Array{
				"logits": {Shape: n, Data: s.rows}, "targets": labels, "epoch": {Data: []int64{3}},
			}),
			true, false, Logits, 300,
		},
		{
			"npz, one array", archive(t, map[string]*npy.Array{"Out": {Shape: n, Data: wide}, "Labels": labels}), true, false,
			Logits, 300,
		},
		{"csv", file(t, "a.csv", []byte(s.csv(","))), true, true, Logits, -1},
		{"csv with a mark", file(t, "a.csv", []byte("\ufeff"+s.csv(","))), true, true, Logits, -1},
		{"tsv", file(t, "a.tsv", []byte(s.csv("\t"))), true, true, Logits, -1},
		{"jsonl", file(t, "a.jsonl", []byte(s.jsonl())), true, true, Logits, -1},
		{"parquet", s.parquetList(t), true, true, Logits, 300},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, got, ids, r, err := read(c.path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rows, wide) {
				t.Errorf("%d numbers, want %d, or others", len(rows), len(wide))
			}
			if r.Kind() != c.kind || r.Classes() != 7 || r.Rows() != c.rows || r.Labeled() != c.labels ||
				r.Identified() != c.ids {
				t.Errorf("%v %d classes %d rows, labels %t, ids %t", r.Kind(), r.Classes(), r.Rows(), r.Labeled(), r.Identified())
			}
			if c.labels {
				if len(got) != s.n() {
					t.Fatalf("%d labels", len(got))
				}
				for i, l := range got {
					if int64(l) != s.labels[i] {
						t.Fatalf("label %d is %d, want %d", i, l, s.labels[i])
					}
				}
			}
			if c.ids && (len(ids) != s.n() || ids[3] != hashID([]byte("k3"))) {
				t.Errorf("%d ids", len(ids))
			}
			if n, err := Count(c.path, Options{}); n != 300 || err != nil {
				t.Errorf("Count = %d, %v", n, err)
			}
		})
	}
}

// raw makes an .npy file from bytes of elements.
func raw(t testing.TB, h npy.Header, data []byte) []byte {
	t.Helper()
	var b strings.Builder
	if _, err := npy.WriteHeader(&b, h); err != nil {
		t.Fatal(err)
	}
	return append([]byte(b.String()), data...)
}

// halves encodes numbers that float16 holds, normal ones and zero.
func halves(t testing.TB, rows []float32, shape []int) []byte {
	t.Helper()
	var data []byte
	for _, v := range rows {
		q, e := math.Frexp(math.Abs(float64(v)))
		var h uint16
		if v != 0 {
			h = uint16(e+14)<<10 | uint16(q*2048)&1023
		}
		if v < 0 {
			h |= 1 << 15
		}
		data = append(data, byte(h), byte(h>>8))
	}
	return raw(t, npy.Header{DType: "<f2", Shape: shape}, data)
}

func bigEndian(t testing.TB, rows []float32, shape []int) []byte {
	t.Helper()
	var data []byte
	for _, v := range rows {
		b := math.Float32bits(v)
		data = append(data, byte(b>>24), byte(b>>16), byte(b>>8), byte(b))
	}
	return raw(t, npy.Header{DType: ">f4", Shape: shape}, data)
}

func fortran(t testing.TB, rows []float32, shape []int) []byte {
	t.Helper()
	var data []byte
	for j := range shape[1] {
		for i := range shape[0] {
			b := math.Float32bits(rows[i*shape[1]+j])
			data = append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
		}
	}
	return raw(t, npy.Header{DType: "<f4", Shape: shape, Fortran: true}, data)
}

func TestKinds(t *testing.T) {
	probs := []float32{.25, .75, .5, .5, 1, 0}
	for _, c := range []struct {
		name string
		path string
		ask  Kind
		want Kind
		err  error
	}{
		{"by content, probabilities", array(t, "p.npy", probs, 3, 2), Unknown, Probs, nil},
		{"asked for logits", array(t, "p.npy", probs, 3, 2), Logits, Logits, nil},
		{"by content, logits", array(t, "p.npy", []float32{.5, .5, -1, 2}, 2, 2), Unknown, Logits, nil},
		{"rows of other sums", array(t, "p.npy", []float32{.5, .5, .5, .4}, 2, 2), Unknown, Unknown, ErrKind},
		{"sums of half precision", array(t, "p.npy", []float32{.5, .4995, .5, .5}, 2, 2), Unknown, Unknown, ErrKind},
		{
			"by name", archive(t, map[string]*npy.Array{"softmax": {Shape: []int{1, 2}, Data: []float32{3, 4}}}), Unknown,
			Probs, nil,
		},
		{
			"against the name", archive(t, map[string]*npy.Array{"logits": {Shape: []int{1, 2}, Data: probs[:2]}}), Probs,
			Unknown, ErrKind,
		},
		{"columns", file(t, "a.csv", []byte("p_0,p_1,y\n1,0,0\n")), Unknown, Probs, nil},
		{"counted columns", file(t, "a.csv", []byte("0,1,2\n0,1,0\n")), Unknown, Probs, nil},
		{"spaces", file(t, "a.csv", []byte("0.25, 0.75 \n 1,0\n")), Unknown, Probs, nil},
		{"both, logits win", file(t, "a.csv", []byte("p_0,p_1,z_0,z_1\n1,0,3,2\n")), Unknown, Logits, nil},
		{"both, asked", file(t, "a.csv", []byte("p_0,p_1,z_0,z_1\n1,0,3,2\n")), Probs, Probs, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, r, err := read(c.path, Options{Kind: c.ask})
			if c.err != nil {
				if !errors.Is(err, c.err) {
					t.Fatalf("error %v, want %v", err, c.err)
				}
				return
			}
			if err != nil || r.Kind() != c.want {
				t.Fatalf("%v, %v", r, err)
			}
		})
	}
	for text, want := range map[string]Kind{"": Unknown, "auto": Unknown, "logits": Logits, "probs": Probs} {
		if k, err := ParseKind(text); k != want || err != nil {
			t.Errorf("ParseKind(%q) = %v, %v", text, k, err)
		}
	}
	if _, err := ParseKind("odds"); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
}

// Every mistake is an error that names the file and what is wrong, and never rows.
func TestBadFiles(t *testing.T) {
	s := newSample(20, 3)
	whole := raw(t, npy.Header{DType: "<f4", Shape: []int{20, 3}}, make([]byte, 240))
	jsonl, csv := s.jsonl(), s.csv(",")
	pq, err := os.ReadFile(s.parquetList(t))
	if err != nil {
		t.Fatal(err)
	}
	null := 1.5
	for _, c := range []struct {
		name, path string
		want       error
		says       string
	}{
		{"empty", file(t, "a.npy", nil), ErrFormat, "empty"},
		{"unknown", file(t, "a.bin", []byte("hello world")), ErrFormat, ".parquet"},
		{"not what it is called", file(t, "a.npz", []byte("hello world")), ErrFormat, "npz"},
		{"npy cut short", file(t, "a.npy", whole[:len(whole)-1]), ErrFormat, "cut short"},
		{"npy too long", file(t, "a.npy", append(slices.Clone(whole), 0)), ErrFormat, "want 240"},
		{"npy header cut short", file(t, "a.npy", whole[:30]), ErrFormat, "header"},
		{"npy of integers", array(t, "a.npy", []int32{1, 2, 3}, 3), ErrKind, "integers"},
		{"npy of predicted classes", array(t, "a.npy", []int32{1, 2}, 1, 2), ErrKind, "predicted classes"},
		{"npy of booleans", array(t, "a.npy", []bool{true, false}, 1, 2), ErrContent, "b1"},
		{"npy of one axis", array(t, "a.npy", []float32{1, 2}, 2), ErrContent, "[2]"},
		{"npy of one class", array(t, "a.npy", []float32{1, 2}, 2, 1), ErrContent, "1 classes"},
		{"npy without rows", array(t, "a.npy", []float32{}, 0, 4), ErrContent, "no rows"},
		{"npy of no frames", array(t, "a.npy", []float32{}, 0, 0, 4), ErrContent, "frames"},
		{
			"npy of a huge shape", file(t, "a.npy", raw(t, npy.Header{DType: "<f4", Shape: []int{1 << 27, 3}}, nil)),
			ErrFormat, "want",
		},
		{
			"npy of huge rows", file(t, "a.npy", raw(t, npy.Header{DType: "<f4", Shape: []int{3, 1 << 25}}, nil)), ErrContent,
			"classes",
		},
		{
			"npz without scores", archive(t, map[string]*npy.Array{"labels": {Shape: []int{2}, Data: []int64{0, 1}}}),
			ErrContent, "labels",
		},
		{
			"npz with other labels",
			archive(t, map[string]*npy.Array{
				"logits": {Shape: []int{1, 3}, Data: s.rows[:3]}, "labels": {Shape: []int{2}, Data: []int64{0, 1}},
			}),
			ErrContent, "1 rows and 2 labels",
		},
		{
			"npz with labels of floats",
			archive(t, map[string]*npy.Array{
				"logits": {Shape: []int{1, 3}, Data: s.rows[:3]}, "labels": {Shape: []int{1}, Data: []float32{1}},
			}),
			ErrContent, "integers",
		},
		{
			"npz with labels twice",
			archive(t, map[string]*npy.Array{
				"logits": {Shape: []int{1, 3}, Data: s.rows[:3]}, "labels": {Shape: []int{1}, Data: []int64{0}},
				"targets": {Shape: []int{1}, Data: []int64{1}},
			}),
			ErrContent, "both labels",
		},
		{"csv without lines", file(t, "a.csv", []byte("\n\n")), ErrFormat, "no lines"},
		{"csv without rows", file(t, "a.csv", []byte("logit_0,logit_1\n")), ErrContent, "no rows"},
		{"csv of names or scores", file(t, "a.csv", []byte("0,1\n0,1\n")), ErrContent, "line 1: "},
		{"csv without scores", file(t, "a.csv", []byte("\nname,size\n1,2\n")), ErrContent, "line 2: "},
		{"csv without a class", file(t, "a.csv", []byte("logit_0,logit_2\n1,2\n")), ErrContent, "class 1"},
		{"csv with a class twice", file(t, "a.csv", []byte("logit_0,logit_1,logit_1\n1,2,3\n")), ErrContent, "logit_1"},
		{"csv of a far class", file(t, "a.csv", []byte("logit_0,logit_999999\n1,2\n")), ErrContent, "missing"},
		{"csv of two kinds alike", file(t, "a.csv", []byte("z_0,z_1,logit_0,logit_1\n1,2,3,4\n")), ErrContent, "which"},
		{"csv of a short line", file(t, "a.csv", []byte(csv+"k,x,1,2\n")), ErrFormat, "line 22"},
		{"csv cut short", file(t, "a.csv", []byte(csv[:len(csv)-20])), ErrFormat, "line 21"},
		{"csv of a word", file(t, "a.csv", []byte("logit_0,logit_1\n1,2\n1,two\n")), ErrFormat, "line 3, row 1"},
		{
			"csv of a bad label", file(t, "a.csv", []byte("logit_0,logit_1,label\n1,2,0.5\n")), metrics.ErrLabel,
			"line 2, row 0: label: ",
		},
		{"csv of a class beyond all", file(t, "a.csv", []byte("pred,label\n1,0\n9223372036854775807,0\n")), metrics.ErrLabel, "line 3, row 1: predicted class: "},
		{"jsonl of a class beyond all", file(t, "a.jsonl", []byte("{\"pred\":3000000000,\"label\":0}\n")), metrics.ErrLabel, "line 1"},
		{"csv of a bad quote", file(t, "a.csv", []byte("logit_0,logit_1\n1,\"2\n")), ErrFormat, "quote"},
		{"csv of lists", file(t, "a.csv", []byte("logits,label\n\"[1,2]\",0\n")), ErrContent, "column a class"},
		{"jsonl cut short", file(t, "a.jsonl", []byte(jsonl[:len(jsonl)-9])), ErrFormat, "line 20"},
		{"jsonl of NaN", file(t, "a.jsonl", []byte("{\"logits\":[1,NaN]}\n")), metrics.ErrLogit, "NaN"},
		{"jsonl of null", file(t, "a.jsonl", []byte("[1,2]\n[1,null]\n")), metrics.ErrLogit, "line 2"},
		{"jsonl of another length", file(t, "a.jsonl", []byte("[1,2]\n\n[1,2,3]\n")), ErrContent, "line 3, row 1"},
		{
			"jsonl of other fields", file(t, "a.jsonl", []byte("{\"logits\":[1,2],\"label\":0}\n{\"logits\":[1,2]}\n")),
			ErrContent, "line 2",
		},
		{"jsonl of another name", file(t, "a.jsonl", []byte("{\"logits\":[1,2]}\n{\"probs\":[1,0]}\n")), ErrContent, "probs"},
		{"jsonl of a name twice", file(t, "a.jsonl", []byte("{\"logits\":[1,2],\"logits\":[1,2]}\n")), ErrContent, "both"},
		{"jsonl of text", file(t, "a.jsonl", []byte("{\"logits\":\"high\"}\n")), ErrContent, "array"},
		{"jsonl of two objects", file(t, "a.jsonl", []byte("{\"logits\":[1,2]} {}\n")), ErrFormat, "follows"},
		{
			"jsonl of a label of text", file(t, "a.jsonl", []byte("{\"logits\":[1,2],\"label\":\"cat\"}\n")),
			metrics.ErrLabel, "cat",
		},
		{"parquet cut short", file(t, "a.parquet", pq[:len(pq)-100]), ErrFormat, ""},
		{"parquet without scores", parquetFile(t, []struct{ A int }{{1}}), ErrContent, "no scores"},
		{"parquet of text", parquetFile(t, []struct {
			L []string `parquet:"logits,list"`
		}{{[]string{"a"}}}), ErrContent, "logits"},
		{"parquet of nothing", parquetFile(t, []struct {
			L []*float64 `parquet:"logits,list"`
		}{{[]*float64{&null, nil}}}), ErrContent, "null"},
		{"parquet of an empty list", parquetFile(t, []listRow{{"a", nil, 0}}), ErrContent, ""},
		{
			"parquet of other lengths", parquetFile(t, []listRow{{"a", []float32{1, 2}, 0}, {"b", []float32{1, 2, 3}, 0}}),
			ErrContent, "row 1",
		},
		{
			"parquet of bad labels", parquetFile(t, []listRow{{"a", []float32{1, 2}, 0}, {"b", []float32{1, 2}, -1}}),
			metrics.ErrLabel, "row 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, _, err := read(c.path, Options{})
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if !strings.HasPrefix(err.Error(), c.path+": ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %q, which does not name the file or say %q", err, c.says)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.npy"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestTextIDs: an id is the same text in JSON, with escapes or without, as in other formats.
func TestTextIDs(t *testing.T) {
	lines := []string{`"id"`, `"caf\u00e9"`, `"café"`, `"a \"b\" \\c\/"`, `"\ud83d\ude00"`, `17`}
	texts := []string{`id`, `café`, `café`, `"a ""b"" \c/"`, `😀`, `17`}
	var b strings.Builder
	for _, id := range lines {
		fmt.Fprintf(&b, "{\"logits\":[1,2],\"id\":%s}\n", id)
	}
	table := "logit_0,logit_1,id\n"
	for _, id := range texts {
		table += "1,2," + id + "\n"
	}
	_, _, one, _, err := read(file(t, "a.jsonl", []byte(b.String())), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, two, _, err := read(file(t, "a.csv", []byte(table)), Options{})
	if err != nil || len(one) != len(lines) || !slices.Equal(one, two) {
		t.Errorf("%x and %x: %v", one, two, err)
	}
}

// TestIntegerLogits: integers are class numbers, and what is wrong says so where they were meant to be more.
func TestIntegerLogits(t *testing.T) {
	integers := &npy.Array{Shape: []int{2, 3}, Data: []int64{5, -1, 0, 2, 7, 1}}
	labels := &npy.Array{Shape: []int{2}, Data: []int64{0, 1}}
	beside := &Labels{Path: "labels.npy", Values: []int{0, 1}}
	alone := array(t, "a.npy", integers.Data, 2, 3)
	for _, c := range []struct {
		name, path string
		opt        Options
		want       error
		says       string
	}{
		{"named logits", archive(t, map[string]*npy.Array{"logits": integers, "labels": labels}), Options{}, ErrContent, "allowed: floats"},
		{"named outputs", archive(t, map[string]*npy.Array{"outputs": integers, "labels": labels}), Options{}, ErrContent, "sequences of 3 class numbers"},
		{"alone", alone, Options{Labels: beside}, ErrContent, "sequences of 3 class numbers"},
		{"asked for", alone, Options{Kind: Logits}, ErrKind, "asked for logits"},
	} {
		c.opt.Predicted = true
		if _, _, _, _, err := read(c.path, c.opt); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

func TestParquetColumns(t *testing.T) {
	rows, labels, _, r, err := read(parquetFile(t, []columnRow{{P0: .25, P1: .75, Y: 1}, {P0: 1, Y: 0}}), Options{})
	if err != nil || !slices.Equal(rows, []float64{.25, .75, 1, 0}) || !slices.Equal(labels, []int{1, 0}) ||
		r.Kind() != Probs {
		t.Error(rows, labels, err)
	}
}

func TestLabels(t *testing.T) {
	want := []int{3, 0, 2}
	i64 := []int64{3, 0, 2}
	for _, path := range []string{
		array(t, "l.npy", i64, 3),
		array(t, "l.npy", []uint8{3, 0, 2}, 3, 1),
		archive(t, map[string]*npy.Array{"labels": {Shape: []int{3}, Data: i64}, "x": {Shape: []int{1}, Data: []float32{1}}}),
		archive(t, map[string]*npy.Array{"anything": {Shape: []int{3}, Data: i64}}),
		file(t, "l.csv", []byte("file,target\na,3\nb,0\nc,2\n")),
		file(t, "l.csv", []byte("3\n0\n2\n")),
		file(t, "l.csv", []byte(" 3\n0 \n2\n")),
		file(t, "l.tsv", []byte("y\tz_0\n3\t0\n0\t0\n2\t0\n")),
		file(t, "l.txt", []byte("3\n0\n 2")),
		file(t, "l.jsonl", []byte("{\"label\":3}\n{\"label\":0}\n{\"label\":2}\n")),
		file(t, "l.jsonl", []byte("3\n0\n2\n")),
		parquetFile(t, []listRow{{"a", nil, 3}, {"b", nil, 0}, {"c", nil, 2}}),
	} {
		l, err := ReadLabels(path)
		if err != nil || !slices.Equal(l.Values, want) || l.Path != path {
			t.Errorf("%s: %v, %v", path, l, err)
		}
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{array(t, "l.npy", []int64{}, 0), ErrContent},
		{array(t, "l.npy", []int64{1, -1}, 2), metrics.ErrLabel},
		{array(t, "l.npy", []int64{1, 1 << 40}, 2), metrics.ErrLabel},
		{array(t, "l.npy", []float32{1}, 1), ErrContent},
		{array(t, "l.npy", []int64{1, 2, 3, 4}, 2, 2), ErrContent},
		{file(t, "l.txt", []byte("3\ncat\n")), ErrFormat},
		{file(t, "l.csv", []byte("a,b\n1,2\n")), ErrContent},
		{file(t, "l.csv", []byte("1,2\n1,2\n")), ErrContent},
		{file(t, "l.jsonl", []byte("{\"a\":3}\n")), ErrContent},
		{
			archive(t, map[string]*npy.Array{"a": {Shape: []int{1}, Data: i64[:1]}, "b": {Shape: []int{1}, Data: i64[:1]}}),
			ErrContent,
		},
	} {
		if l, err := ReadLabels(c.path); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, %v, want %v", c.path, l, err, c.want)
		}
	}
}

// TestOptionsRefused: options that no file fits are refused before a row is read.
func TestOptionsRefused(t *testing.T) {
	path := file(t, "p.csv", []byte("logit_0,logit_1\n1,2\n3,1\n"))
	two := []int{0, 1}
	for words, opt := range map[string]Options{
		"2 labels and 1 ids in labels.npy":     {Labels: &Labels{Path: "labels.npy", Values: two, IDs: []uint64{5}}},
		"2 labels and 0 ids in Options.Labels": {Labels: &Labels{Values: two, IDs: []uint64{}}},
		"2 labels and 3 ids":                   {Labels: &Labels{Values: two, IDs: []uint64{5, 6, 7}}},
		"-5 frames a video":                    {Frames: -5},
	} {
		_, err := Open(path, opt)
		if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), words) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

func TestLabelsBeside(t *testing.T) {
	s := newSample(30, 4)
	plain := array(t, "a.npy", s.rows, 30, 4)
	csv := file(t, "a.csv", []byte(s.csv(",")))
	of := func(n int) *Labels {
		l := &Labels{Path: "labels.npy"}
		for i := range n {
			l.Values = append(l.Values, int(s.labels[i]))
			l.IDs = append(l.IDs, hashID(fmt.Append(nil, "k", i)))
		}
		return l
	}
	for _, path := range []string{plain, csv} {
		if _, labels, _, r, err := read(path, Options{Labels: of(30)}); err != nil || len(labels) != 30 || !r.Labeled() {
			t.Errorf("%d labels, %v", len(labels), err)
		}
		for _, n := range []int{29, 1} {
			if _, _, _, _, err := read(path, Options{Labels: of(n)}); !errors.Is(err, ErrContent) {
				t.Errorf("%s with %d labels: %v", path, n, err)
			}
		}
	}
	_, labels, _, _, err := read(plain, Options{Labels: of(6), Repeat: 5, Block: 6})
	if err != nil || len(labels) != 30 || labels[0] != labels[24] || labels[5] != labels[11] {
		t.Errorf("repeated labels %v, %v", labels, err)
	}
	other := of(30)
	other.Values[7] = (other.Values[7] + 1) % 4
	_, _, _, _, err = read(csv, Options{Labels: other})
	if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "row 7") {
		t.Errorf("labels that contradict: %v", err)
	}
	other = of(30)
	other.IDs[8]++
	_, _, _, _, err = read(csv, Options{Labels: other})
	if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "row 8") {
		t.Errorf("ids that contradict: %v", err)
	}
	more := of(30)
	more.Values, more.IDs = append(more.Values, 1), append(more.IDs, 1)
	if _, _, _, _, err := read(csv, Options{Labels: more}); !errors.Is(err, ErrContent) {
		t.Errorf("a label too many: %v", err)
	}
}

func TestSequences(t *testing.T) {
	s := newSample(4*6, 3)
	rows, _, _, r, err := read(array(t, "a.npy", s.rows, 4, 6, 3), Options{Predicted: true})
	if err != nil || r.Frames() != 6 || r.Rows() != 24 || len(rows) != 72 {
		t.Error(r, err)
	}
	pred, _, _, r, err := read(array(t, "a.npy", []uint16{1, 2, 3, 4, 5, 6}, 2, 3), Options{Predicted: true})
	if err != nil || r.Kind() != Classes || r.Frames() != 3 || !slices.Equal(pred, []float64{1, 2, 3, 4, 5, 6}) {
		t.Error(pred, err)
	}
	flat := array(t, "a.npy", s.rows, 24, 3)
	if _, _, _, r, err := read(flat, Options{Frames: 8}); err != nil || r.Frames() != 8 {
		t.Error(err)
	}
	for _, frames := range []int{5, 7} {
		if _, _, _, _, err := read(flat, Options{Frames: frames}); !errors.Is(err, ErrContent) {
			t.Errorf("24 rows of %d frames: %v", frames, err)
		}
		lines := file(t, "a.csv", []byte(s.csv(",")))
		if _, _, _, _, err := read(lines, Options{Frames: frames}); !errors.Is(err, ErrContent) {
			t.Errorf("24 lines of %d frames: %v", frames, err)
		}
	}
	if _, _, _, _, err := read(array(t, "a.npy", s.rows, 4, 6, 3), Options{Frames: 5}); !errors.Is(err, ErrContent) {
		t.Error(err)
	}
}

// Every row comes once, to any number of workers.
func TestEach(t *testing.T) {
	s := newSample(5000, 100)
	path := array(t, "a.npy", s.rows, 5000, 100)
	for _, workers := range []int{0, 1, 2, 7} {
		r, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := map[int]int{}
		busy := make([]bool, max(workers, 1))
		err = Each(t.Context(), r, workers, func(w int, b *Batch) error {
			mu.Lock()
			if busy[w] {
				t.Errorf("worker %d is called twice at once", w)
			}
			busy[w] = true
			seen[b.First] = b.Rows
			mu.Unlock()
			if !slices.Equal(b.F32, s.rows[b.First*100:][:b.Rows*100]) {
				t.Errorf("rows from %d are others", b.First)
			}
			mu.Lock()
			busy[w] = false
			mu.Unlock()
			return nil
		})
		total := 0
		for _, n := range seen {
			total += n
		}
		if err != nil || total != 5000 || len(seen) < 5 {
			t.Errorf("%d workers: %d rows in %d batches, %v", workers, total, len(seen), err)
		}
		_ = r.Close()
	}
}

func TestEachStops(t *testing.T) {
	s := newSample(5000, 100)
	path := array(t, "a.npy", s.rows, 5000, 100)
	bad := errors.New("bad")
	r, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Each(t.Context(), r, 2, func(int, *Batch) error { return bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(bad)
	if err := Each(ctx, r, 2, func(int, *Batch) error { return nil }); !errors.Is(err, bad) {
		t.Errorf("canceled: %v", err)
	}
}

// TestParquetFooter: memory for the footer is not taken on the word of the file's end.
func TestParquetFooter(t *testing.T) {
	made := newSample(4, 3)
	content, err := os.ReadFile(made.parquetList(t))
	if err != nil {
		t.Fatal(err)
	}
	copy(content[len(content)-8:], "\xff\xff\xff\xff")
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Open(path, Options{})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "footer of 4294967295 bytes") {
		t.Errorf("a footer of 4 GB: %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// Class numbers in 64 bits are taken as they lie in memory, others are converted; none of them may be beyond any class.
func TestClassNumbers(t *testing.T) {
	for _, data := range []any{[]int64{0, 7, -2}, []int16{0, 7, -2}} {
		got, err := toInts([]int{}, &npy.Array{Shape: []int{3}, Data: data})
		if err != nil || !slices.Equal(got, []int{0, 7, -2}) {
			t.Errorf("%T: %v, %v", data, got, err)
		}
		if got, err = toInts([]int{5}, &npy.Array{Shape: []int{3}, Data: data}); err != nil || !slices.Equal(got, []int{5, 0, 7, -2}) {
			t.Errorf("%T after 5: %v, %v", data, got, err)
		}
	}
	if got, err := toInts([]int{}, &npy.Array{Shape: []int{0}, Data: []int64{}}); got == nil || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
	for _, data := range []any{[]int64{0, 1 << 31}, []int64{0, -1 << 40}, []uint32{0, 1 << 31}} {
		if _, err := toInts([]int{}, &npy.Array{Shape: []int{2}, Data: data}); !errors.Is(err, metrics.ErrLabel) ||
			!strings.Contains(err.Error(), "element 1") {
			t.Errorf("%v: %v", data, err)
		}
	}
}
