package main

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThinImages: an image that is longer than a JPEG file can be, or of which fog takes more than there is, is an input that is rejected,
// and not the end of the program.
func TestThinImages(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, w, h int) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
			t.Fatal(err)
		}
	}
	put("long/a/x.png", 65501, 2)
	put("long/a/y.png", 40, 30)
	put("thin/a/x.png", 100000, 1)
	put("thin/a/y.png", 40, 30)
	put("tree/images/x.jpg", 65501, 2) // a PNG file called so
	put("tree/images/y.jpg", 40, 30)
	for _, name := range []string{"x", "y"} {
		if err := os.MkdirAll(filepath.Join(dir, "tree/labels"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "tree/labels", name+".txt"), []byte("0 .5 .5 .1 .1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"corrupt long --subset brightness --severity 3": "65501x2 as JPEG (allowed: at most 65500 a side)",
		"corrupt tree --subset brightness --severity 3": "65501x2 as JPEG (allowed: at most 65500 a side)",
		"augment tree --mix augmix-photometric":         "65501x2 as JPEG (allowed: at most 65500 a side)",
		"stream thin --subset fog --order continual-s3": "100000x1",
	} {
		args := strings.Fields(line)
		args[1] = filepath.Join(dir, args[1])
		args = append(args, "-o", filepath.Join(t.TempDir(), "out"), "--on-error", "skip")
		o := augmixIn(t.Context(), nil, args...)
		if o.code != exitRejected || !strings.Contains(o.err, want) || !strings.Contains(o.err, "x.") {
			t.Errorf("%s: exit code %d: %s", line, o.code, o.err)
		}
	}
	augmix(t, exitDone, "augment", filepath.Join(dir, "thin"), "-o", filepath.Join(t.TempDir(), "out"), "--mix", "corrupt-fog-s1-1-p1")
}
