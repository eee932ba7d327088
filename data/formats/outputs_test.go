package formats_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/raster"
)

// lay writes files into a folder: what is named .png is an image, and manifest.json is that of an output of a command.
func lay(t *testing.T, command string, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	image, err := data.Encoding{}.Append(nil, raster.New(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	manifest := `{"version": 1, "build": {"go": "x"}, "options": {"command": "` + command + `"}, "files": [`
	for _, p := range paths {
		name := filepath.Join(root, filepath.FromSlash(p))
		content := image
		if filepath.Base(p) == data.ManifestName {
			content = []byte(manifest)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestOutputOfSets: the root of an output that holds data sets is none itself, which would have a class fog or epoch-001. Each of the
// sets is, and so is an output that is one set.
func TestOutputOfSets(t *testing.T) {
	const m = data.ManifestName
	for _, test := range []struct {
		command string
		paths   []string
		at      string
		named   []string
	}{
		{"corrupt", []string{m, "fog/1/a/0.png", "fog/2/a/0.png", "snow/1/a/0.png", "snow/2/a/0.png"}, ".", []string{"fog/1", "fog/2", "snow/1"}},
		{"corrupt", []string{m, "fog/1/0.png", "fog/2/0.png"}, "fog", []string{"fog/1", "fog/2"}},
		{"corrupt", []string{m, "fog/1/data-000000.tar"}, ".", []string{"fog/1"}},
		{"corrupt", []string{m, "fog.npy", "labels.npy"}, ".", []string{"fog.npy"}},
		{"perturb", []string{m, "tilt/a/0/frame-00.png"}, ".", []string{"tilt"}},
		{"augment", []string{"epoch-001/" + m, "epoch-001/a/0.png", "epoch-002/" + m, "epoch-002/a/0.png"}, ".", []string{"epoch-001", "epoch-002"}},
		{"augment", []string{"epoch-001/" + m, "epoch-001/data-000000.tar"}, ".", []string{"epoch-001"}},
	} {
		root := lay(t, test.command, test.paths...)
		_, err := formats.Open(filepath.Join(root, test.at), formats.Options{})
		if !errors.Is(err, data.ErrUnsupported) || errors.Is(err, data.ErrSplit) {
			t.Errorf("%s of %v: %v", test.command, test.paths, err)
			continue
		}
		for _, name := range test.named {
			if !strings.Contains(err.Error(), filepath.Join(root, name)) {
				t.Errorf("%s of %v: not named: %s: %v", test.command, test.paths, name, err)
			}
		}
	}
	for _, test := range []struct {
		command string
		paths   []string
		at      string
		classes []string
	}{
		{"augment", []string{m, "a/0.png", "b/0.png"}, ".", []string{"a", "b"}},
		{"data convert", []string{m, "epoch-001/0.png", "epoch-002/0.png"}, ".", []string{"epoch-001", "epoch-002"}},
		{"corrupt", []string{m, "fog/1/a/0.png"}, "fog/1", []string{"a"}},
		{"perturb", []string{m, "tilt/a/0/frame-00.png"}, "tilt", []string{"a"}},
		{"augment", []string{"epoch-001/" + m, "epoch-001/a/0.png"}, "epoch-001", []string{"a"}},
		{"", []string{"epoch-001/0.png", "epoch-002/0.png"}, ".", []string{"epoch-001", "epoch-002"}},
		{"augment", []string{"epoch-001/" + m, "epoch-001/0.png", "other/0.png"}, ".", []string{"epoch-001", "other"}},
		{"", []string{m, "fog/1/a/0.png"}, ".", []string{"fog"}},
	} {
		src, err := formats.Open(filepath.Join(lay(t, test.command, test.paths...), test.at), formats.Options{})
		if err != nil {
			t.Errorf("%s of %v: %v", test.command, test.paths, err)
			continue
		}
		if got := src.Info().Classes; !slices.Equal(got, test.classes) {
			t.Errorf("%s of %v: classes %q, want %q", test.command, test.paths, got, test.classes)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	src, err := formats.Open(lay(t, "corrupt", m, "fog/1/a/0.png"), formats.Options{Unlabeled: true})
	if err != nil || src.Info().Len != 1 {
		t.Errorf("the images alone: %v", err)
	}
}
