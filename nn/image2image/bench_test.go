package image2image

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// BenchmarkImages measures one core: images a second of 32x32 and 224x224 pixels, with the published weights.
func BenchmarkImages(b *testing.B) {
	style, err := NewStyle(published(b, "style", "magenta_style.npz"))
	if err != nil {
		b.Fatal(err)
	}
	var code Code
	runs := map[string]func(v []float32, side int, s *Scratch){
		"style":   func(v []float32, side int, s *Scratch) { style.Apply(v, side, side, &code, s) },
		"predict": func(v []float32, side int, s *Scratch) { style.PredictPlanes(&code, v, side, side, s) },
	}
	half := [3]float32{0.5, 0.5, 0.5}
	runs["noise2net"] = func(v []float32, side int, s *Scratch) { Noise2Net(v, side, side, half, half, rng.New(1), s) }
	for _, file := range []string{"carn_m.npz", "dncnn_25.npz", "taef2_f16.npz"} {
		n, err := New(published(b, "image2image", file))
		if err != nil {
			b.Fatal(err)
		}
		runs["distorted "+n.String()] = func(v []float32, side int, s *Scratch) { n.Distort(v, side, side, 5, rng.New(1), s) }
		runs[n.String()] = func(v []float32, side int, s *Scratch) { n.Apply(v, side, side, s) }
	}
	for name, run := range runs {
		for _, side := range []int{32, 224} {
			b.Run(fmt.Sprintf("%s/%d", name, side), func(b *testing.B) {
				var s Scratch
				image := pattern(side, side)
				v := make([]float32, len(image))
				for b.Loop() {
					copy(v, image)
					run(v, side, &s)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
