package cbar

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BenchmarkApply corrupts one image at all five severities in turn; ms/image is the mean over them. "sum" at the end
// is one image through all ten of the profile.
func BenchmarkApply(b *testing.B) {
	for _, p := range []Profile{CIFAR, ImageNet} {
		size := map[Profile]int{CIFAR: 32, ImageNet: 224}[p]
		src := testImage(size, size)
		all := corruptions(b, p)
		for _, c := range all {
			b.Run(fmt.Sprintf("%s/%d", c.Name(), size), func(b *testing.B) { benchmark(b, []Corruption{c}, src, p) })
		}
		b.Run(fmt.Sprintf("sum/%d", size), func(b *testing.B) { benchmark(b, all, src, p) })
	}
}

func benchmark(b *testing.B, cs []Corruption, src *raster.Image, p Profile) {
	var dst raster.Image
	var s Scratch
	r := rng.New(1)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for severity := 1; severity <= Severities; severity++ {
			for _, c := range cs {
				if err := c.Apply(&dst, src, severity, p, r, &s); err != nil {
					b.Fatal(err)
				}
			}
			n++
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(seconds*1000/float64(n), "ms/image")
	b.ReportMetric(float64(n)/seconds, "images/s")
}
