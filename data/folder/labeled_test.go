package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/raster"
)

// A flat folder gets the labels of a list, and classes.txt the names.
func TestOpenLabeled(t *testing.T) {
	dir := t.TempDir()
	file, err := (data.Encoding{}).Append(nil, raster.New(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{"val/1.png", "val/2.png", "val/deep/3.png"} {
		write(name, file)
	}
	list, root := write("val.txt", []byte("1.png 2\n2.png 1\ndeep/3.png 2\n")), filepath.Join(dir, "val")
	open := func() *folder.Source {
		t.Helper()
		src, err := folder.OpenLabeled(root, list)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	src := open()
	var s data.Sample
	var got []int
	for src.Next(&s) == nil {
		got = append(got, s.Label)
	}
	if !slices.Equal(got, []int{2, 1, 2}) || s.Key != "deep/3" || src.Info().Classes != nil {
		t.Errorf("labels %v, key %s, %+v", got, s.Key, src.Info())
	}
	if !strings.Contains(src.Info().Note, "run from 1 to 2") || src.Files()[0] != list || len(src.Files()) != 4 {
		t.Errorf("note %q, files %q", src.Info().Note, src.Files())
	}
	write("val/classes.txt", []byte("a\nb\nc\n"))
	if info := open().Info(); !slices.Equal(info.Classes, []string{"a", "b", "c"}) || info.Note != "" {
		t.Errorf("with classes: %+v", info)
	}
	write("val.txt", []byte("1.png 2\n2.png 1\ndeep/3.png 3\n"))
	if _, err := folder.OpenLabeled(root, list); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Error(err)
	}
}

// TestPlaces365: its training list names images by paths that begin with a slash, below the folder of the images.
func TestPlaces365(t *testing.T) {
	dir := t.TempDir()
	file, err := (data.Encoding{}).Append(nil, raster.New(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{"a/airfield", "b/bus_station/indoor"} {
		path := filepath.Join(dir, "data_256", filepath.FromSlash(class), "00000001.png")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := filepath.Join(dir, "places365_train_standard.txt")
	if err := os.WriteFile(list, []byte("/a/airfield/00000001.png 0\n/b/bus_station/indoor/00000001.png 66\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := folder.OpenLabeled(filepath.Join(dir, "data_256"), list)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 66} {
		var s data.Sample
		if err := src.Next(&s); err != nil || s.Label != want {
			t.Errorf("%s has label %d, want %d (%v)", s.Key, s.Label, want, err)
		}
	}
}
