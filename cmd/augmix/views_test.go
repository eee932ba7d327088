package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// Three views are one sample of a WebDataset with its soft label, the same in shards and arrays.
func TestViewsTogether(t *testing.T) {
	in, dir := photos(t, 5), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"augment", in, "--crop", "32", "--views", "3", "--mix", "cutmix", "-o"}
	augmix(t, exitDone, append(args, path("tar"), "--output-format", "wds", "--per-shard", "2", "--png", "none")...)
	if files := tree(t, path("tar")); strings.Count(files["data-000000.tar"], ".target.npy") != 2 || files["data-000002.tar"] == "" {
		t.Error("not two samples in a tar file, or no soft labels")
	}
	augmix(t, exitDone, append(args, path("folder"))...)
	read := func(name string) map[string]string {
		t.Helper()
		src, err := formats.Open(path(name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		images := map[string]string{}
		for _, s := range samplesOf(t, src) {
			var m raster.Image
			if err := s.Decode(&m); err != nil {
				t.Fatal(err)
			}
			images[s.Key] = fmt.Sprint(s.Label, string(m.Pix))
		}
		return images
	}
	sameTree(t, read("tar"), read("folder"))
	for name, shapes := range map[string]string{"rows.npy": "[15 32 32 3] [15] [15 3]", "axis.npy": "[5 3 32 32 3] [5] [15 3]"} {
		more := []string{path(name[:4] + "/" + name)}
		if name == "axis.npy" {
			more = append(more, "--view-axis")
		}
		augmix(t, exitDone, append(args, more...)...)
		got := ""
		for _, file := range []string{name, "labels.npy", name[:4] + "_targets.npy"} {
			a, err := npy.ReadFile(path(name[:4] + "/" + file))
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(a.Shape, " ")
		}
		if strings.TrimSpace(got) != shapes {
			t.Errorf("%s: shapes %s, want %s", name, got, shapes)
		}
	}
	augmix(t, exitUsage, append(args, path("x"), "--view-axis")...)
}
