//go:build unix

package mixset_test

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// cut opens a set through a cache file, which it empties then.
func cut(t *testing.T, spec string) (*mixset.Set, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := mixset.Open(t.Context(), spec, mixset.Options{Size: 16, Seed: 3, Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.mixset"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 0); err != nil {
		t.Fatal(err)
	}
	return s, files[0]
}

// A cache file that becomes shorter while its images are mixed changes no pixel, and Close names it.
func TestCacheShrinksMeanwhile(t *testing.T) {
	for _, spec := range []string{"deadleaves-n9", own(t, [2]int{20, 20}, [2]int{24, 30})} {
		whole := open(t, spec, mixset.Options{Size: 16, Seed: 3})
		for _, name := range []string{"pixmix-k4-b3", "ipmix-k3-t3"} {
			s, file := cut(t, spec)
			var sums [2][]byte
			for i, set := range []*mixset.Set{whole, s} {
				method, err := mix.ParseMethod(name, mix.Options{MixingSet: set, Size: 16})
				if err != nil {
					t.Fatal(err)
				}
				m, err := method.Augmentation()
				if err != nil {
					t.Fatal(err)
				}
				var scratch mix.Scratch
				var dst raster.Image
				for seed := range uint64(20) {
					m.Apply(&dst, raster.New(16, 16), rng.New(seed), &scratch)
					sums[i] = append(sums[i], dst.Pix...)
				}
			}
			if string(sums[0]) != string(sums[1]) {
				t.Errorf("%s of %s: other pixels", name, spec)
			}
			if err := s.Close(); err == nil || !strings.Contains(err.Error(), file+": cut short") {
				t.Errorf("%s: closed with %v", spec, err)
			}
		}
	}
}

// Where the user's images are gone or others as well, the panic names both.
func TestCacheAndSourceGone(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"gone":   os.RemoveAll,
		"others": func(dir string) error { return os.Rename(dir+"/a/00.png", dir+"/a/01.png") },
	} {
		dir := own(t, [2]int{20, 20}, [2]int{24, 30})
		s, file := cut(t, dir)
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), dir) {
					t.Errorf("%s: panic %v", name, err)
				}
			}()
			s.CopyRect(raster.New(16, 16), 0, image.Pt(1, 1))
		}()
	}
}
