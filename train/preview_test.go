package train

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// A preview has the images, labels and targets that the engine is given at that step, whole or in part.
func TestPreview(t *testing.T) {
	for spec, jsd := range map[string]bool{"augmix": true, "none": false, "autoaugment+cutmix": false} {
		c := small()
		c.Mix, c.JSD, c.Crop, c.Epochs, c.ValFraction = spec, jsd, "pad2:12", 2, 0.2
		run := &runner{config: c, options: Options{Train: newImages(60, 12, 4)}, state: newState(), workers: 2}
		if err := run.readData(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := &feed{config: &c, set: run.train, method: run.method, norm: c.norm(), classes: 4, w: run.w, h: run.h, workers: 2}
		f.start(context.WithoutCancel(t.Context()), 0, 0, c.Epochs)
		_, views := c.views()
		seen := 0
		for b := f.next(); b != nil; b = f.next() {
			for _, most := range []int{0, 5} {
				p, err := NewPreview(t.Context(), c, Options{Train: newImages(60, 12, 4)}, b.epoch, b.index, most)
				if err != nil {
					t.Fatal(err)
				}
				if p.N != b.n || p.Steps != f.steps() || len(p.Samples) != map[int]int{0: b.n, 5: min(5, b.n)}[most] {
					t.Fatalf("%s: %d samples of %d, %d steps", spec, len(p.Samples), p.N, p.Steps)
				}
				for i, s := range p.Samples {
					seen++
					if s.Label != b.labels[i] || s.Key == "" || len(s.Views) != views {
						t.Fatalf("%s: sample %d is %+v", spec, i, s)
					}
					if want := b.targets[4*i:][:4]; run.soft && !slices.Equal(s.Target, want) {
						t.Errorf("%s: targets %v, want %v", spec, s.Target, want)
					}
					for v, m := range s.Views {
						if !raster.Equal(m, f.image(b.planes, v*b.n+i)) {
							t.Fatalf("%s: sample %d, view %d is another image", spec, i, v)
						}
					}
				}
			}
			f.done(b)
		}
		f.stop()
		if seen < 100 {
			t.Errorf("%s: %d samples were compared", spec, seen)
		}
	}
	// The image itself comes back from its planes.
	c := small()
	c.Crop, c.Flip = "", false
	p, err := NewPreview(t.Context(), c, Options{Train: newImages(20, 12, 4)}, 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	src := newImages(20, 12, 4)
	var one data.Sample
	for i := range src.Len() {
		if err := src.Read(i, &one); err != nil {
			t.Fatal(err)
		}
		m := new(raster.Image)
		if err := one.Decode(m); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Samples {
			if s.Key == one.Key && !raster.Equal(m, s.Views[0]) {
				t.Errorf("%s: another image", s.Key)
			}
		}
	}
	for _, at := range [][2]int{{0, 2}, {3, 0}, {-1, 0}, {0, -1}} {
		if _, err := NewPreview(t.Context(), c, Options{Train: newImages(20, 12, 4)}, at[0], at[1], 0); !errors.Is(err, ErrConfig) {
			t.Errorf("%v: %v", at, err)
		}
	}
}

// With a mixing set that training makes itself, the one that lies in the folder of the run is mixed in.
func TestPreviewIterative(t *testing.T) {
	c, dir := small(), t.TempDir()
	c.Mix, c.Mixset = "pixmix-k4-b3", IterativeFVis+"-n2"
	o := Options{Train: newImages(20, 12, 4), Dir: dir}
	if _, err := NewPreview(t.Context(), c, o, 0, 0, 0); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), MixsetName) {
		t.Errorf("without a set: %v", err)
	}
	var views [2][]*raster.Image
	for i, color := range []raster.RGB{{R: 255}, {B: 255}} {
		m := raster.New(16, 16)
		m.Fill(color)
		content, err := encodeSet(imageSet{*m, *m})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, MixsetName), content, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := NewPreview(t.Context(), c, o, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Samples {
			views[i] = append(views[i], s.Views[0])
		}
	}
	if slices.EqualFunc(views[0], views[1], raster.Equal) {
		t.Error("another set makes the same images")
	}
}
