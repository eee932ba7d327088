package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedData is a folder of data that is not in the repository.
func sharedData(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no ", dir)
	}
	return dir
}

// The real subset of COCO becomes trees: everything but the images byte for byte, and images of the same names and sizes.
func TestCorruptCOCO(t *testing.T) {
	in, out := sharedData(t, "coco"), filepath.Join(t.TempDir(), "out")
	o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "brightness,glass_blur", "--severity", "2", "--limit", "3", "--carry", "link")
	for _, want := range []string{
		"layout coco: 52 images, 52 masks, 54 other files", "49 images left out", "pixels move with glass_blur (",
	} {
		if !strings.Contains(o.err, want) {
			t.Errorf("it does not say %q:\n%s", want, o.err)
		}
	}
	got, want := tree(t, filepath.Join(out, "brightness", "2")), tree(t, in)
	images := 0
	for name, text := range want {
		if strings.HasPrefix(name, "images/") {
			if got[name] != "" {
				images++
			}
		} else if got[name] != text {
			t.Errorf("%s is not carried", name)
		}
	}
	if images != 3 || len(got) != len(want)-49 {
		t.Errorf("%d images, %d files", images, len(got))
	}
	augmix(t, exitDone, "verify", out)
	if o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "brightness,glass_blur,contrast", "--severity", "2", "--limit", "3"); !strings.Contains(o.err, "adding contrast/2") {
		t.Error(o.err)
	}
}

// A tree is refused where it could not be one.
func TestTreeOptions(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "set")
	write(t, filepath.Join(in, "images", "a.png"), testImage(t, 1, 40, 40))
	write(t, filepath.Join(in, "labels", "a.txt"), []byte("0 0.5 0.5 0.1 0.1\n"))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"annotations would not fit", []string{"corrupt", in, "-o", dir + "/o", "--size", "32"}},
		{"lies in", []string{"corrupt", in, "-o", in + "/o"}},
		{"resizes and crops", []string{"perturb", in, "-o", dir + "/o", "--profile", "224"}},
		{"--images PATTERN", []string{"corrupt", photos(t, 2), "-o", dir + "/o", "--output-format", "tree"}},
		{"--quality 0", []string{"perturb", in, "-o", dir + "/o", "--quality", "0"}},
	} {
		if o := augmix(t, exitUsage, c.args...); !strings.Contains(o.err, c.want) {
			t.Errorf("%v: %s", c.args, o.err)
		}
	}
	if o := augmix(t, exitFailed, "corrupt", in, "-o", dir+"/o", "--split", "val"); !strings.Contains(o.err, "tree of annotated images") {
		t.Error(o.err)
	}
	o := augmix(t, exitDone, "corrupt", in, "-o", dir+"/o", "--plan", "--subset", "fog", "--severity", "1")
	if !strings.Contains(o.out, "1 sample, 1 image, 1 file") {
		t.Error(o.out)
	}
	augmix(t, exitDone, "corrupt", photos(t, 2), "-o", dir+"/own", "--images", "cat/*", "--subset", "fog", "--severity", "1")
	if got := tree(t, dir+"/own/fog/1"); len(got) != 2 || got["cat/0000.png"] == "" || got["dog/0001.png"] == "" {
		t.Errorf("%d files", len(got))
	}
}

// What moves pixels is said.
func TestListGeometry(t *testing.T) {
	o := augmix(t, exitDone, "list", "corruptions", "--geometry")
	for _, want := range []string{"elastic_transform  ", "C-bar  yes", "zoom_blur", "smears"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	augmix(t, exitUsage, "list", "corruptions", "--geometry", "fog")
}

// Annotations are compared with their images, and each problem has its line.
func TestVerifyAnnotations(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "images", "a.png"), testImage(t, 1, 40, 30))
	write(t, filepath.Join(dir, "masks", "a.png"), testImage(t, 1, 30, 40))
	write(t, filepath.Join(dir, "labels", "a.txt"), []byte("0 0.5 0.5 0.1 0.1\n1 0.9 0.9 0.4 0.1\n"))
	o := augmix(t, exitFailed, "data", "verify", dir)
	for _, want := range []string{"annotation: labels/a.txt: line 2: box", "annotation: masks/a.png: 30x40, and its image is 40x30"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if o := augmix(t, exitFailed, "verify", dir, "--json"); !strings.Contains(o.out, `"field": "line 2"`) {
		t.Error(o.out)
	}
	augmix(t, exitUsage, "verify", dir, "--mask-labels", "5-2")
	augmix(t, exitDone, "verify", sharedData(t, "coco"))
}
