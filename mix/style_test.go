package mix

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var (
	styleOnce sync.Once
	styles    *image2image.Styles
)

// testStyles are the styles of three images of noise, by a network of random weights.
func testStyles(t testing.TB) *image2image.Styles {
	styleOnce.Do(func() { styles = newTestStyles(t) })
	return styles
}

func newTestStyles(t testing.TB) *image2image.Styles {
	return image2image.NewStyles(image2imagetest.Style(t), "noise-n3", 3, func(dst *raster.Image, i int) {
		dst.Reset(16, 16)
		r := rng.New(uint64(i))
		for k := range dst.Pix {
			dst.Pix[k] = uint8(r.IntN(256)) | 255*uint8(k%4/3)
		}
	})
}

func styleMethod(t testing.TB, spec string) *Method {
	m, err := ParseMethod(spec, Options{Styles: testStyles(t)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStyleNeedsStyles(t *testing.T) {
	for _, spec := range []string{"style", "standard+style-p1+augmix"} {
		if _, err := Parse(spec); !errors.Is(err, ErrStyles) {
			t.Errorf("Parse(%s): %v", spec, err)
		}
		if _, err := ParseMethod(spec, Options{}); !errors.Is(err, ErrStyles) {
			t.Errorf("ParseMethod(%s): %v", spec, err)
		}
		if s, err := ParseSpec(spec); err != nil || !s.NeedsStyles() || s.NeedsMixingSet() {
			t.Error(s, err)
		}
	}
	if _, err := NewStyle(testStyles(t), StyleParams{Prob: 2, Strength: 1}); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
}

// TestStyleShare: so many images change as the probability says, and the style of each is one of three.
func TestStyleShare(t *testing.T) {
	m := styleMethod(t, "style-p0.25").single()
	src, dst := benchImages(1, 8)[0], new(raster.Image)
	var s Scratch
	looks := map[string]int{}
	for i := range 400 {
		r := rng.NewKey(uint64(i)).Rand()
		m.Apply(dst, src, &r, &s)
		looks[string(dst.Pix)]++
	}
	if n := looks[string(src.Pix)]; n < 260 || n > 340 || len(looks) != 4 {
		t.Errorf("%d of 400 images are as they were, want about 300; %d looks, want 4", n, len(looks))
	}
}

// TestStyleOfViews: all views of an image have one style, the clean one too, where the style comes first; not elsewhere.
func TestStyleOfViews(t *testing.T) {
	src := benchImages(1, 8)[0]
	srcs, keys := []*raster.Image{src}, []rng.Key{rng.NewKey(5)}
	plain := make([]float32, 3*8*8)
	new(Scratch).planesOf(plain, src, &Unit)
	for spec, alike := range map[string]bool{"style-p1": true, "standard-p0+style-p1": true, "cutout-s1+style-p1": false} {
		m := styleMethod(t, spec)
		x := make([]float32, 2*len(plain))
		var b Batch
		b.Views(m.single(), x, srcs, &Unit, keys, 1, 2)
		first, second := fmt.Sprint(x[:len(plain)]), fmt.Sprint(x[len(plain):])
		if (first == second) != alike || alike && first == fmt.Sprint(plain) {
			t.Errorf("%s: views alike: %v, want %v", spec, first == second, alike)
		}
		dst := [2]raster.Image{}
		for view := range 2 {
			key := keys[0].Uint(uint64(view))
			in := Sample{Image: src, Key: key, Shared: keys[0], View: view, Clean: view == 0}
			if _, err := m.Apply(&dst[view], &in, nil, new(Scratch)); err != nil {
				t.Fatal(err)
			}
		}
		if raster.Equal(&dst[0], &dst[1]) != alike {
			t.Errorf("%s: samples of two views", spec)
		}
	}
}

func TestStyleStrength(t *testing.T) {
	src := benchImages(1, 8)[0]
	looks := map[string]bool{}
	for _, spec := range []string{"style-p1", "style-p1-a0.5", "style-p1-a0.5-upto"} {
		dst := new(raster.Image)
		r := rng.NewKey(1).Rand()
		styleMethod(t, spec).single().Apply(dst, src, &r, new(Scratch))
		looks[string(dst.Pix)] = true
	}
	if len(looks) != 3 {
		t.Error("the strength makes no difference")
	}
}
