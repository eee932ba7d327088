package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// outcome is what a command left behind.
type outcome struct {
	code     int
	out, err string
}

// augmixIn runs a command line in this process with something on standard input.
func augmixIn(ctx context.Context, in []byte, args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{in: bytes.NewReader(in), out: &out, err: &errs})
	return outcome{code, out.String(), errs.String()}
}

// augmix runs a command line and checks its exit code.
func augmix(t testing.TB, want int, args ...string) outcome {
	t.Helper()
	o := augmixIn(t.Context(), nil, args...)
	if o.code != want {
		t.Fatalf("augmix %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), o.code, want, o.out, o.err)
	}
	return o
}

// photos makes a folder of n labeled PNG images of several sizes and returns its path.
func photos(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "photos")
	for i := range n {
		class := []string{"cat", "dog", "fish"}[i%3]
		write(t, filepath.Join(dir, class, fmt.Sprintf("%04d.png", i)), testImage(t, i, 40+i%5, 36+i%3))
	}
	return dir
}

// testImage makes the PNG file of a smooth image with noise.
func testImage(t testing.TB, i, w, h int) []byte {
	t.Helper()
	m := raster.New(w, h)
	r := rng.New(uint64(i))
	for y := range h {
		for x := range w {
			m.Set(x, y, raster.RGB{R: uint8(5 * x), G: uint8(6*y + i), B: uint8(r.Uint64() % 64)})
		}
	}
	file, err := data.Encoding{}.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree returns every file at and below path, by its name relative to the directory that holds path.
func tree(t testing.TB, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		rel, _ := filepath.Rel(path, name)
		out[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if g, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if g != text {
			t.Errorf("%s differs (%d bytes, want %d)", name, len(g), len(text))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
