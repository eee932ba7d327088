package predictions

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
)

// fuzzFile reads a file of any content, twice: as predictions and as labels. What is read is whole rows.
func fuzzFile(f *testing.F, name string) {
	path := filepath.Join(f.TempDir(), name)
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := ReadLabels(path)
		check(t, err)
		if err == nil && (len(l.Values) == 0 || l.IDs != nil && len(l.IDs) != len(l.Values)) {
			t.Fatalf("%d labels, %d ids", len(l.Values), len(l.IDs))
		}
		r, err := Open(path, Options{Predicted: true})
		if err != nil {
			check(t, err)
			return
		}
		defer r.Close()
		var b Batch
		rows := 0
		for {
			err := r.Next(&b)
			if err == io.EOF {
				if r.Rows() >= 0 && rows != r.Rows() {
					t.Fatalf("%d rows, declared %d", rows, r.Rows())
				}
				return
			}
			if err != nil {
				check(t, err)
				return
			}
			numbers := b.Rows * max(b.Classes, 1)
			if b.Rows < 1 || len(b.F32)+len(b.F64)+len(b.Pred) != numbers || b.Classes != r.Classes() {
				t.Fatalf("batch of %d rows of %d classes has %d, %d, %d numbers", b.Rows, b.Classes, len(b.F32), len(b.F64),
					len(b.Pred))
			}
			if n := len(b.Labels); r.Labeled() && n != b.Rows || !r.Labeled() && n != 0 {
				t.Fatalf("%d labels for %d rows", n, b.Rows)
			}
			rows += b.Rows
		}
	})
}

// check wants errors to be of this package, or of a value that package metrics refuses.
func check(t *testing.T, err error) {
	t.Helper()
	for _, ok := range []error{ErrFormat, ErrContent, ErrKind, metrics.ErrLabel, metrics.ErrLogit, npy.ErrFormat} {
		if errors.Is(err, ok) {
			return
		}
	}
	if err != nil {
		t.Fatalf("error of another package: %v", err)
	}
}

func FuzzCSV(f *testing.F) {
	s := newSample(3, 3)
	f.Add([]byte(s.csv(",")))
	f.Add([]byte("0,1\n1,0\n"))
	f.Add([]byte("1,2,3\n\"4\",5,6"))
	f.Add([]byte("p_0,p_1,y\n0.5,0.5,7\n"))
	fuzzFile(f, "a.csv")
}

func FuzzJSONL(f *testing.F) {
	s := newSample(3, 3)
	f.Add([]byte(s.jsonl()))
	f.Add([]byte("[1,2]\n[3,4e9]\n\n[5,6]"))
	f.Add([]byte(`{"probs":[0.5,0.5],"y":1,"x":{"a":[null]}}`))
	f.Add([]byte("\ufeff{\"pred\":1,\"label\":0}\n{\"pred\":[1]}"))
	fuzzFile(f, "a.jsonl")
}

func FuzzNPZ(f *testing.F) {
	s := newSample(4, 3)
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(f.TempDir(), "s.npz")
		z, err := npy.CreateZip(path, deflate)
		if err != nil {
			f.Fatal(err)
		}
		if err := errors.Join(
			z.Write("logits", &npy.Array{Shape: []int{4, 3}, Data: s.rows}),
			z.Write("labels", &npy.Array{Shape: []int{4}, Data: s.labels}), z.Close(),
		); err != nil {
			f.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	content, err := os.ReadFile(rawArchive(f, map[string]*npy.Array{
		"logits": {Shape: []int{2, 2}, Data: []float32{1, 0, 0, 1}}, "labels": {Shape: []int{2}, Data: []int64{0, 1}},
	}, map[string]string{"id": textIDs("<U", "a", "b1")}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	fuzzFile(f, "a.npz")
}

func FuzzNPY(f *testing.F) {
	for _, a := range []*npy.Array{
		{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}},
		{Shape: []int{1, 2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}},
		{Shape: []int{2, 3}, Data: []int16{1, 2, 3, 4, 5, 6}},
		{Shape: []int{3}, Data: []uint8{1, 2, 3}},
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	fuzzFile(f, "a.npy")
}

func FuzzParquet(f *testing.F) {
	s := newSample(40, 3)
	content, err := os.ReadFile(s.parquetList(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	if content, err = os.ReadFile(parquetFile(f, []predRow{{1, 0}, {0, 0}})); err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	if content, err = os.ReadFile("testdata/page.parquet"); err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	fuzzFile(f, "a.parquet")
}
