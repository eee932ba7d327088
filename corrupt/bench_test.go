package corrupt

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BenchmarkApply corrupts one image at all five severities in turn; ms/image is the mean over them. "sum" at the end
// is one image through all 19.
func BenchmarkApply(b *testing.B) {
	for _, size := range []int{32, 224} {
		src := testImage(size, size)
		profile := map[int]Profile{32: P32, 224: P224}[size]
		for _, name := range allNames(b) {
			c := corruption(b, name)
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) { benchmark(b, []Corruption{c}, src, profile) })
		}
		var all []Corruption
		for _, name := range allNames(b) {
			all = append(all, corruption(b, name))
		}
		b.Run(fmt.Sprintf("sum/%d", size), func(b *testing.B) { benchmark(b, all, src, profile) })
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
