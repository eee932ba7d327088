package mix

import (
	"math"
	"slices"
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
