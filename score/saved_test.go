package score

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
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
