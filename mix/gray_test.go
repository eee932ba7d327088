package mix

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestTrainGray: the views of gray images become luma behind the last stage, those of others stay, with partners and without.
func TestTrainGray(t *testing.T) {
	images := []*raster.Image{raster.New(5, 4), raster.New(5, 4)}
	for i := range images[0].Pix {
		images[0].Pix[i], images[1].Pix[i] = uint8(3*i), uint8(5*i)
	}
	norm := Normalization{Mean: [3]float32{0.1, 0.2, 0.3}, Std: [3]float32{1, 2, 4}}
	for _, spec := range []string{"gaussian", "mixup+gaussian"} {
		for _, n := range []*Normalization{&norm, &Unit} {
			m, err := ParseMethod(spec, Options{})
			if err != nil {
				t.Fatal(err)
			}
			made := func(gray []bool) []float32 {
				b, dst := Batch{Gray: gray}, make([]float32, 2*2*60)
				b.Train(m, dst, make([]float32, 4), &TrainStep{
					Images: images, Labels: []int{0, 1}, Classes: 2, Keys: []rng.Key{rng.NewKey(1), rng.NewKey(2)}, Norm: n, Clean: 1, Views: 2,
				})
				return dst
			}
			want, got := made(nil), made([]bool{true, false})
			for _, first := range []int{0, 120} { // the views of the first image
				n.Luma(want[first:][:60])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: other values", spec)
			}
			v := func(c int) float64 { return float64(got[120+20*c])*float64(n.Std[c]) + float64(n.Mean[c]) }
			if math.Abs(v(0)-v(1)) > 1e-5 || math.Abs(v(0)-v(2)) > 1e-5 {
				t.Errorf("%s: channels %v, %v, %v", spec, v(0), v(1), v(2))
			}
		}
	}
}

// TestApplyGray: the 8-bit images of a batch become luma too, as those of EachView do.
func TestApplyGray(t *testing.T) {
	src := raster.New(5, 4)
	for i := range src.Pix {
		src.Pix[i] = uint8(3*i) | 255*uint8(i%4/3)
	}
	b := Batch{Gray: []bool{true, false}}
	srcs, keys := []*raster.Image{src, src}, []rng.Key{rng.NewKey(1), rng.NewKey(2)}
	dsts := []*raster.Image{new(raster.Image), new(raster.Image)}
	b.Apply(NewAugMix(), dsts, srcs, keys)
	b.EachView(NewAugMix(), srcs, nil, keys, 0, 1, func(_, i int, m *raster.Image, _ []float32) {
		if !raster.Equal(dsts[i], m) || dsts[i].Gray != m.Gray || m.Gray != (i == 0) {
			t.Errorf("image %d: other bytes than a view's, or marked gray: %v", i, m.Gray)
		}
	})
}

// TestLengths: what does not fit the images panics where the caller can recover, not in a worker.
func TestLengths(t *testing.T) {
	m, images, keys := NewAugMix(), []*raster.Image{raster.New(5, 4), raster.New(5, 4)}, make([]rng.Key, 2)
	dst, dsts := make([]float32, 2*60), []*raster.Image{new(raster.Image), new(raster.Image)}
	store := func(int, int, *raster.Image, []float32) {}
	step := TrainStep{Images: images, Labels: []int{0, 0}, Classes: 1, Keys: keys, Norm: &Unit}
	method, err := NewMethod(m, &Mixup{Alpha: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		gray []bool
		f    func(b *Batch)
	}{
		"Apply":             {[]bool{true}, func(b *Batch) { b.Apply(m, dsts, images, keys) }},
		"ApplyPlanes":       {[]bool{true}, func(b *Batch) { b.ApplyPlanes(m, dst, images, &Unit, keys) }},
		"Views":             {make([]bool, 3), func(b *Batch) { b.Views(m, dst, images, &Unit, keys, 0, 1) }},
		"EachView":          {[]bool{true}, func(b *Batch) { b.EachView(m, images, nil, keys, 0, 1, store) }},
		"EachView, planes":  {[]bool{}, func(b *Batch) { b.EachView(m, images, &Unit, keys, 0, 1, store) }},
		"EachView, one key": {nil, func(b *Batch) { b.EachView(m, images, nil, keys[:1], 0, 1, store) }},
		"Train":             {[]bool{true}, func(b *Batch) { b.Train(method, dst, make([]float32, 2), &step) }},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "mix: ") {
					t.Errorf("%s: %q, want a panic of package mix", name, s)
				}
			}()
			c.f(&Batch{Workers: 2, Gray: c.gray})
		}()
	}
}

// TestBatchChecks: parameters out of range panic by their names before an image is made.
func TestBatchChecks(t *testing.T) {
	bad, images, keys := NewAugMix(), []*raster.Image{raster.New(5, 4)}, make([]rng.Key, 1)
	bad.Severity = math.NaN()
	var b Batch
	for name, f := range map[string]func(){
		"Apply": func() { b.Apply(bad, []*raster.Image{new(raster.Image)}, images, keys) },
		"Views": func() { b.Views(bad, make([]float32, 60), images, &Unit, keys, 0, 1) },
		"EachView": func() {
			b.EachView(bad, images, nil, keys, 0, 1, func(int, int, *raster.Image, []float32) { t.Error("an image") })
		},
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "mix: bad spec: augmix severity mNaN (allowed: 0.1 to 10)") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}
