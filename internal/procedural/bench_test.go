package procedural

import (
	"strconv"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// BenchmarkGenerate is every kind at the sizes of CIFAR and ImageNet training. ms/image is processor time, which other
// processes on the machine do not lengthen.
func BenchmarkGenerate(b *testing.B) {
	for i := range table {
		k := &table[i]
		for _, side := range []int{36, 256} {
			b.Run(k.Name+"/"+strconv.Itoa(side), func(b *testing.B) {
				var g Generator
				var m raster.Image
				begun, n := processTime(), 0
				for b.Loop() {
					g.Generate(&m, k, 1, n, side)
					n++
				}
				b.ReportMetric(float64((processTime()-begun).Microseconds())/1000/float64(n), "ms/image")
			})
		}
	}
}

// BenchmarkFractal is one color fractal of 256 by 256 pixels with everything that belongs to it: the search for a
// system that passes, its points, the ground, tone mapping and antialiasing. Mpoints are those of the fractal in
// front alone.
func BenchmarkFractal(b *testing.B) {
	k, err := ByName("fractals")
	if err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want func(f *fractals) bool
	}{
		{"all", func(*fractals) bool { return true }},
		{"flat", func(f *fractals) bool { return f.fore.game.flat }},
		{"folded", func(f *fractals) bool { return !f.fore.game.flat }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var g Generator
			var m raster.Image
			var chosen []int
			for i := range 64 {
				g.Generate(&m, k, 1, i, MinSide)
				if tt.want(g.painters["fractals"].(*fractals)) {
					chosen = append(chosen, i)
				}
			}
			begun, n, points := processTime(), 0, 0
			for b.Loop() {
				g.Generate(&m, k, 1, chosen[n%len(chosen)], 256)
				points += g.painters["fractals"].(*fractals).fore.played
				n++
			}
			b.ReportMetric(float64((processTime()-begun).Microseconds())/1000/float64(n), "ms/image")
			b.ReportMetric(float64(points)/float64(n)/1e6, "Mpoints/image")
		})
	}
}

// BenchmarkChaos is the chaos game alone.
func BenchmarkChaos(b *testing.B) {
	for _, flat := range []bool{true, false} {
		name := map[bool]string{true: "flat", false: "folded"}[flat]
		b.Run(name, func(b *testing.B) {
			f := drawn(b, flat)
			const side, n = 512, 1 << 20
			cells := make([]cell, side*side)
			f.game.frameTo(side)
			begun, points := processTime(), 0
			for b.Loop() {
				f.game.play(cells, side, n, &f.ink)
				points += n
			}
			b.ReportMetric(float64((processTime()-begun).Nanoseconds())/float64(points), "ns/point")
		})
	}
}
