package score

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// TestFindSaved: the folder of a model that an evaluation saved is known by its forms, and other folders are not taken for one.
func TestFindSaved(t *testing.T) {
	folder := func(files ...string) string {
		dir := filepath.Join(t.TempDir(), "net")
		for _, name := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			text := "{}"
			if filepath.Base(path) == "part.versions.json" {
				text = `{"part_of": "sha256:1"}`
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	clean := []string{"x.npy", "x.versions.json", "x.labels.npy"}
	for _, c := range []struct {
		name  string
		files []string
		want  []string // data set, and + for clean images beside it
	}{
		{"clean alone", clean, []string{"x"}},
		{"with corruptions", append([]string{"x-c/fog.npy", "x-p/scale.npy", "x-c-bar/blue_noise.npy"}, clean...), []string{"x-c+", "x-c-bar", "x-p"}},
		{"C-bar alone", append([]string{"x-c-bar/blue_noise.npy"}, clean...), []string{"x-c-bar+"}},
		{"sequences", append([]string{"x-p/scale.npy"}, clean...), []string{"x", "x-p"}},
		{"two data sets", append([]string{"y-c/fog.npy"}, clean...), []string{"x", "y-c"}},
		{"a form of a part", append([]string{"x-c/part.npy", "x-c/part.versions.json"}, clean...), []string{"x", "x-c"}},
		{"one form itself", []string{"fog.npy", "fog.versions.json", "fog.labels.npy"}, nil},
		{"one form of some severities", []string{"fog_3.npy", "fog_3.versions.json", "snow_2.5.npy", "snow_2.5.versions.json"}, nil},
		{"of another program", []string{"x.npy", "x.labels.npy"}, nil},
		{"severities", []string{"fog/1.npy"}, nil},
		{"with something else", append([]string{"notes.txt"}, clean...), nil},
	} {
		dir := folder(c.files...)
		var got []string
		for _, s := range FindSaved(dir) {
			what := s.Dataset
			if s.Clean != "" {
				what += "+"
			}
			got = append(got, what)
			if at, model := savedAt(s.Path); at == nil || at.Dataset != s.Dataset || model != "net" {
				t.Errorf("%s: %s is %v of %q", c.name, s.Path, at, model)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOneOfForm: one corruption that an evaluation saved is not scored as clean images.
func TestOneOfForm(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net", "cifar10-c")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "fog_3.npy")
	for name, array := range map[string]*npy.Array{
		"fog_3.npy":        {Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}},
		"fog_3.labels.npy": {Shape: []int{2}, Data: []int64{0, 1}},
	} {
		if err := npy.WriteFile(filepath.Join(dir, name), array); err != nil {
			t.Fatal(err)
		}
	}
	score := func() error {
		_, err := Files{Path: file}.Score(t.Context(), Options{Dataset: "cats"})
		return err
	}
	if err := score(); err != nil { // of another program
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fog_3.versions.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := score(); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "(allowed: the folder "+dir+")") {
		t.Error(err)
	}
}
