package experiment

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/sheet"
)

// TestSheetGroups: a sheet by group has a row for each of the first classes and a column for each group, with the first images.
func TestSheetGroups(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"cat/b_1", "cat/b_2", "cat/a_1", "dog/a_1", "eel/b_1"} {
		m := image.NewGray(image.Rect(0, 0, 2, 2))
		for j := range m.Pix {
			m.SetGray(j%2, j/2, color.Gray{Y: uint8(10 * (i + 1))})
		}
		var b bytes.Buffer
		path := filepath.Join(dir, name+".png")
		if err := errors.Join(png.Encode(&b, m), os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var page sheet.Sheet
	s := Sheet{In: []string{dir}, GroupBy: "/(.)_", Count: 2, Samples: 2}
	if err := s.grid(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name string
		a, b uint8
	}{{"cat", 30, 10}, {"", 0, 20}, {"dog", 40, 0}}
	if g := page.Grid; len(g.Columns) != 2 || g.Columns[0] != "a" || len(g.Rows) != len(want) {
		t.Fatalf("%+v", g)
	}
	for i, w := range want {
		row := page.Grid.Rows[i]
		for j, v := range []uint8{w.a, w.b} {
			if m := row.Images[j]; row.Name != w.name || (m == nil) != (v == 0) || m != nil && m.At(1, 1).R != v {
				t.Errorf("row %d, column %d: %q, %v, want %+v", i, j, row.Name, m, w)
			}
		}
	}
	for _, bad := range []Sheet{{In: []string{dir}, GroupBy: "("}, {GroupBy: "x"}, {In: []string{dir}, GroupBy: "x", Cascade: true}} {
		if _, err := bad.Draw(t.Context()); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	if _, err := (Sheet{In: []string{dir}, GroupBy: "nowhere"}).Draw(t.Context()); err == nil {
		t.Error("keys in no group")
	}
}
