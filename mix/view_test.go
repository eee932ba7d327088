package mix

import (
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestEachView: what is handed over one by one is what Views writes, and in 8 bits what Apply makes.
func TestEachView(t *testing.T) {
	const n, side, views = 5, 12, 3
	size := 3 * side * side
	var images []*raster.Image
	var keys []rng.Key
	for i := range n {
		m := raster.New(side, side)
		r := rng.NewKey(uint64(i)).Rand()
		for p := range side * side {
			m.Set(p%side, p/side, raster.RGB{R: uint8(r.IntN(256)), G: uint8(r.IntN(256)), B: uint8(r.IntN(256))})
		}
		images, keys = append(images, m), append(keys, rng.NewKey(7).Uint(uint64(i)))
	}
	for _, spec := range []string{"none", "augmix", "standard+augmix", "gaussian", "autoaugment+cutout", "augmix+gaussian"} {
		a := mustParse(t, spec)
		for _, clean := range []int{0, 1} {
			want := make([]float32, views*n*size)
			new(Batch).Views(a, want, images, &ImageNet, keys, clean, views)
			got := make([]float32, len(want))
			b := Batch{Workers: 3}
			b.EachView(a, images, &ImageNet, keys, clean, views, func(v, i int, m *raster.Image, planes []float32) {
				if m != nil {
					t.Error("an image where planes were asked for")
				}
				copy(got[(v*n+i)*size:], planes)
			})
			if !slices.EqualFunc(got, want, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
				t.Errorf("%s, %d clean: other planes than those of Views", spec, clean)
			}
			if spec == "standard+augmix" { // all views show one crop, which Apply does not know of
				continue
			}
			bytes := make([]*raster.Image, views*n)
			b.EachView(a, images, nil, keys, clean, views, func(v, i int, m *raster.Image, _ []float32) { bytes[v*n+i] = m.Clone() })
			for v := range views {
				for i := range n {
					want := images[i].Clone()
					if v >= clean {
						r := keys[i].Uint(uint64(v)).Rand()
						a.Apply(want, images[i], &r, new(Scratch))
					}
					if !raster.Equal(bytes[v*n+i], want) {
						t.Errorf("%s: view %d of image %d is not Apply's", spec, v, i)
					}
				}
			}
		}
	}
}

// TestSharedPartners: all views of a sample are mixed with one partner in one way, the clean one without augmentations, and
// view 1 is the image of a single view.
func TestSharedPartners(t *testing.T) {
	image := func(c uint8) *raster.Image {
		m := raster.New(8, 8)
		for p := range 64 {
			m.Set(p%8, p/8, raster.RGB{R: c + uint8(p), G: c, B: c})
		}
		return m
	}
	key := rng.NewKey(3)
	asked := map[rng.Key]int{}
	in := Sample{Image: image(0), Label: 0, Partner: func(dst *raster.Image, key rng.Key) (int, error) {
		asked[key]++
		dst.CopyFrom(image(200))
		return 1, nil
	}}
	var s Scratch
	for _, spec := range []string{"cutmix", "augmix+mixup", "mixup+cutmix", "standard+cutmix"} {
		m := mustMethod(t, spec)
		clear(asked)
		single := in
		single.Key = key
		var want raster.Image
		target, err := m.Apply(&want, &single, nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		partners := len(asked)
		var first raster.Image
		for v := range 3 {
			one := in
			one.Shared, one.View, one.Clean, one.Key = key, v, v == 0, key
			if v != 1 {
				one.Key = key.Uint(uint64(v))
			}
			var got raster.Image
			soft, err := m.Apply(&got, &one, nil, &s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(soft, target) {
				t.Errorf("%s: view %d has the label %v, the single view %v", spec, v, soft, target)
			}
			switch {
			case spec == "standard+cutmix": // all views show one crop, another than that of a single view
				if v == 0 {
					first.CopyFrom(&got)
				}
				if !raster.Equal(&got, &first) {
					t.Errorf("%s: view %d is not view 0", spec, v)
				}
			case (spec != "augmix+mixup" || v == 1) && !raster.Equal(&got, &want):
				t.Errorf("%s: view %d is not mixed as the single view is", spec, v)
			}
		}
		if len(asked) != partners {
			t.Errorf("%s: %d partners of all views, %d of one", spec, len(asked), partners)
		}
	}
}
