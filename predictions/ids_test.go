package predictions

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// rawArray is an .npy file of a type that package npy does not write.
func rawArray(dtype, shape, data string) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", dtype, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text + data
}

// textIDs is an array of NumPy's type U or S, by its kind, each text of two characters.
func textIDs(kind string, ids ...string) string {
	data := ""
	for _, id := range ids {
		for _, c := range (id + "\x00\x00")[:2] {
			if data += string(c); kind == "<U" {
				data += "\x00\x00\x00"
			}
		}
	}
	return rawArray(kind+"2", fmt.Sprintf("(%d,)", len(ids)), data)
}

// rawArchive writes an npz file of such members and of labels and logits, those that are given.
func rawArchive(t testing.TB, arrays map[string]*npy.Array, raw map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, a := range arrays {
		var one bytes.Buffer
		if err := npy.Write(&one, a); err != nil {
			t.Fatal(err)
		}
		raw[name] = one.String()
	}
	for name, content := range raw {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, "p.npz", b.Bytes())
}

// TestIDs: ids of one text are the same in every format that has them, and others are refused beside labels.
func TestIDs(t *testing.T) {
	logits := &npy.Array{Shape: []int{3, 2}, Data: []float32{1, 0, 0, 1, 2, 0}}
	three := &npy.Array{Shape: []int{3}, Data: []int64{0, 1, 0}}
	pred := func(name, ids string) string {
		return rawArchive(t, map[string]*npy.Array{"logits": logits}, map[string]string{name: ids})
	}
	lab := func(ids string) string {
		return rawArchive(t, map[string]*npy.Array{"labels": three}, map[string]string{"id": ids})
	}
	named := []string{
		pred("id", textIDs("<U", "a", "b1", "7")), pred("filename", textIDs("|S", "a", "b1", "7")),
		file(t, "p.csv", []byte("id,logit_0,logit_1\na,1,0\nb1,0,1\n7,2,0\n")),
		file(t, "p.jsonl", []byte(`{"id":"a","logits":[1,0]}`+"\n"+`{"id":"b1","logits":[0,1]}`+"\n"+`{"id":7,"logits":[2,0]}`)),
	}
	same := []string{
		lab(textIDs("<U", "a", "b1", "7")), lab(textIDs("|S", "a", "b1", "7")),
		file(t, "l.csv", []byte("id,label\na,0\nb1,1\n7,0\n")),
	}
	other := []string{lab(textIDs("<U", "b1", "a", "7")), lab(textIDs("|S", "a", "b1", "8")), file(t, "l.csv", []byte("id,label\na,0\nb1,1\n07,0\n"))}
	for _, path := range named {
		for _, labels := range slices.Concat(same, other) {
			l, err := ReadLabels(labels)
			if err != nil || len(l.IDs) != 3 {
				t.Fatalf("%s: %v, error %v", labels, l, err)
			}
			_, _, got, r, err := read(path, Options{Labels: l})
			if slices.Contains(same, labels) {
				if err != nil || !slices.Equal(got, l.IDs) || !r.Identified() {
					t.Errorf("%s with %s: ids %v, error %v", path, labels, got, err)
				}
			} else if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "has another id than its label in") {
				t.Errorf("%s with %s: error %v", path, labels, err)
			}
		}
	}
	// Files of an ensemble are of the same samples, too.
	two := pred("id", textIDs("<U", "a", "7", "b1"))
	if _, _, _, _, err := read(named[0], Options{With: []Part{{Path: two}}}); !errors.Is(err, ErrEnsemble) {
		t.Errorf("an ensemble of other ids: error %v", err)
	}
	// A single value is not of the rows, and hides no ids.
	one := rawArchive(t, map[string]*npy.Array{"logits": logits, "index": {Shape: []int{}, Data: []int64{3}}},
		map[string]string{"name": rawArray("|S3", "()", "net"), "path": rawArray("|O", "()", ""), "id": textIDs("<U", "a", "b1", "7")})
	want, _ := ReadLabels(same[0])
	if _, _, got, _, err := read(one, Options{}); err != nil || !slices.Equal(got, want.IDs) {
		t.Errorf("ids %v, error %v", got, err)
	}
	for _, c := range []struct{ ids, says string }{
		{rawArray("|O", "(3,)", "\x80"), `ids.astype(str)`},
		{rawArray("<f4", "(3,)", strings.Repeat("\x00", 12)), `array "id" has ids of floats (allowed: integers or text)`},
		{textIDs("<U", "a", "b1"), `2 ids in array "id"`},
		{textIDs("<U", "a", "b1", "7")[:80], "cut short"},
	} {
		if _, err := Open(pred("id", c.ids), Options{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one with %q", err, c.says)
		}
		if _, err := ReadLabels(lab(c.ids)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("labels: error %v, want one with %q", err, c.says)
		}
	}
}

// TestIntegerIDs: integers of any size are the text of their digits.
func TestIntegerIDs(t *testing.T) {
	for _, c := range []struct {
		data any
		want string
	}{
		{[]int64{20261231000000001, -5}, "20261231000000001 -5"},
		{[]uint64{1<<64 - 1, 7}, "18446744073709551615 7"},
		{[]int8{-128, 127}, "-128 127"},
		{[]uint8{255, 0}, "255 0"},
	} {
		path := archive(t, map[string]*npy.Array{"labels": {Shape: []int{2}, Data: []int64{0, 1}}, "key": {Shape: []int{2}, Data: c.data}})
		l, err := ReadLabels(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range strings.Fields(c.want) {
			if l.IDs[i] != hashID([]byte(id)) {
				t.Errorf("%v: number %d is not %s", c.data, i, id)
			}
		}
	}
}

// TestTorchIDs reads the files of testdata/make.py: lists of text are ids, and others are refused.
func TestTorchIDs(t *testing.T) {
	path := filepath.Join("testdata", "ids.pt")
	l, err := ReadLabels(path)
	if err != nil || len(l.IDs) != 4 || l.IDs[3] != hashID([]byte("é")) {
		t.Fatalf("%v, error %v", l, err)
	}
	if _, _, got, _, err := read(path, Options{Labels: l}); err != nil || !slices.Equal(got, l.IDs) {
		t.Errorf("ids %v, error %v", got, err)
	}
	l.IDs[0], l.IDs[1] = l.IDs[1], l.IDs[0]
	if _, _, _, _, err := read(path, Options{Labels: l}); !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "another id") {
		t.Errorf("other ids: error %v", err)
	}
	_, err = ReadLabels(filepath.Join("testdata", "mixed.pt"))
	if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), `array "key" has ids that are neither integers nor text`) {
		t.Errorf("a list of integers and text: error %v", err)
	}
}
