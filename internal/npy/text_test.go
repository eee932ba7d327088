package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// wide is text in four bytes a character, the least one first.
func wide(s string) (b []byte) {
	for _, c := range s {
		b = append(b, byte(c), byte(c>>8), byte(c>>16), 0)
	}
	return b
}

// TestReadText: NumPy's types U and S.
func TestReadText(t *testing.T) {
	big := wide("aé\U0001f600\x00")
	for i := 0; i < len(big); i += 4 {
		slices.Reverse(big[i:][:4])
	}
	for _, c := range []struct {
		text string
		data []byte
		want Text
	}{
		{header("<U2", 3), wide("ab" + "c\x00" + "\x00\x00"), Text{[]int{3}, []string{"ab", "c", ""}}},
		{header(">U2", 2), big, Text{[]int{2}, []string{"aé", "\U0001f600"}}},
		{header("|S3", 2), []byte("ab\x00a\x00b"), Text{[]int{2}, []string{"ab", "a\x00b"}}},
		{header("S1", 1), []byte{0xff}, Text{[]int{1}, []string{"\xff"}}},
		{header("<U1", 0), nil, Text{[]int{0}, nil}},
		{"{'descr': '<U1', 'fortran_order': False, 'shape': (), }", wide("x"), Text{[]int{}, []string{"x"}}},
		{"{'descr': '|S1', 'fortran_order': True, 'shape': (2, 2), }", []byte("acbd"), Text{[]int{2, 2}, []string{"a", "b", "c", "d"}}},
	} {
		got, err := ReadText(bytes.NewReader(wrap(1, c.text, c.data...)))
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s is %v, error %v, want %v", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text string
		data []byte
		want error
		says string
	}{
		{header("<U2", 2), wide("abc"), ErrFormat, "after 1 of 2 elements"},
		{header("<U1", 1<<40), wide("abc"), ErrFormat, "cut short"},
		{header("<U1", 2), append(wide("a"), 0, 0xd8, 0, 0), ErrFormat, "element 1 of 2: npy: bad file: character 0xd800"},
		{header("<U1", 1), []byte{0xff, 0xff, 0xff, 0xff}, ErrFormat, "character"},
		{header("<U99999999", 1), nil, ErrUnsupported, "1 to 16384 characters"},
		{header("<U0", 1<<40), nil, ErrUnsupported, "1 to 16384"},
		{header("|U1", 1), wide("a"), ErrUnsupported, "byte order"},
		{header("<f4", 1), wide("a"), ErrUnsupported, "allowed: text"},
		{header("|O", 1), wide("a"), ErrUnsupported, `"|O"`},
		{header("U", 1), nil, ErrUnsupported, "allowed: text"},
	} {
		_, err := ReadText(bytes.NewReader(wrap(1, c.text, c.data...)))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %v with %q", c.text, err, c.want, c.says)
		}
	}
}

// TestZipText: text among the arrays of a file, which shapes are said of too.
func TestZipText(t *testing.T) {
	file := zipOf(t, zip.Deflate, [2]string{"id.npy", string(wrap(1, header("|S2", 2), []byte("abc\x00")...))},
		[2]string{"any.npy", string(wrap(1, header("|O", 5)))})
	z, err := NewZip(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := z.ReadText("id"); err != nil || !slices.Equal(text.Data, []string{"ab", "c"}) {
		t.Errorf("%v, error %v", text, err)
	}
	if shape, err := z.Shape("any"); err != nil || !slices.Equal(shape, []int{5}) {
		t.Errorf("shape %v, error %v", shape, err)
	}
	for name, says := range map[string]string{"any": `array "any"`, "none": "it holds: id, any"} {
		if _, err := z.ReadText(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := z.Shape("none"); !errors.Is(err, ErrFormat) {
		t.Errorf("shape of nothing: error %v", err)
	}
}

func FuzzReadText(f *testing.F) {
	f.Add(wrap(1, header("<U2", 2), wide("abc\x00")...))
	f.Add(wrap(2, header(">U1", 1), 0, 1, 0xf6, 0))
	f.Add(wrap(1, "{'descr': '|S2', 'fortran_order': True, 'shape': (2, 2), }", []byte("abcdefgh")...))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, err := ReadText(io.MultiReader(bytes.NewReader(file)))
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("error of no class: %v", err)
			}
			return
		}
		n, size := 1, 0
		for _, d := range text.Shape {
			n *= d
		}
		for _, s := range text.Data {
			size += utf8.RuneCountInString(s)
		}
		if len(text.Data) != n || size > len(file) {
			t.Fatalf("%d texts of %d characters for shape %v in a file of %d bytes", len(text.Data), size, text.Shape, len(file))
		}
	})
}
