package mix

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// benchImages is a set of images with the smooth areas, edges and texture of photographs.
func benchImages(n, side int) []*raster.Image {
	r := rng.New(1)
	out := make([]*raster.Image, n)
	for i := range out {
		m := raster.New(side, side)
		cx, cy, rad := r.IntN(side), r.IntN(side), side/6+r.IntN(side/3)
		for y := range side {
			for x := range side {
				v := 60 + 120*y/side + r.IntN(24)
				c := raster.RGB{R: uint8(v), G: uint8(v / 2), B: uint8(255 - v)}
				if (x-cx)*(x-cx)+(y-cy)*(y-cy) < rad*rad {
					c = raster.RGB{R: uint8(200 - v/3), G: uint8(30 + v/2), B: uint8(x * 255 / side)}
				}
				m.Set(x, y, c)
			}
		}
		out[i] = m
	}
	return out
}

// Images a second are those of processor time, which other programs on the machine disturb less.

func BenchmarkAugMix(b *testing.B) {
	for _, side := range []int{32, 224} {
		srcs := benchImages(64, side)
		var s Scratch
		var dst raster.Image
		planes := make([]float32, 3*side*side)
		for _, spec := range []string{"augmix-m3-w3-d-1", "augmix-m3-w3-d-1-all", "afa-p1-s10", "apr-p1-m3", "prime-w3-d3", "trivialaugment"} {
			m, err := Parse(spec)
			if err != nil {
				b.Fatal(err)
			}
			run := func(name string, f func(src *raster.Image, r *rng.Rand)) {
				b.Run(fmt.Sprintf("%s/%s/%d", spec, name, side), func(b *testing.B) {
					b.ReportAllocs()
					i, r, begun := 0, rng.New(1), processTime()
					for b.Loop() {
						r.Seed(rng.NewKey(1).Uint(uint64(i)))
						f(srcs[i%len(srcs)], r)
						i++
					}
					b.ReportMetric(float64(b.N)/(processTime()-begun).Seconds(), "images/s")
				})
			}
			run("u8", func(src *raster.Image, r *rng.Rand) { m.Apply(&dst, src, r, &s) })
			run("f32", func(src *raster.Image, r *rng.Rand) { m.ApplyPlanes(planes, src, &Half, r, &s) })
		}
	}
}

// BenchmarkPixMix has its mixing set in memory.
func BenchmarkPixMix(b *testing.B) {
	for _, side := range []int{32, 224} {
		srcs, set := benchImages(64, side), imageList(benchImages(16, side*9/8))
		var s Scratch
		var dst raster.Image
		planes := make([]float32, 3*side*side)
		for _, spec := range []string{"pixmix-k4-b3", "pixmix-k4-b3-all", "pixmix-k4-b4-m1-all", "ipmix-k3-t3"} {
			method, err := ParseMethod(spec, Options{MixingSet: set, Size: side})
			if err != nil {
				b.Fatal(err)
			}
			m := method.single()
			run := func(name string, f func(src *raster.Image, r *rng.Rand)) {
				b.Run(fmt.Sprintf("%s/%s/%d", spec, name, side), func(b *testing.B) {
					b.ReportAllocs()
					i, r, begun := 0, rng.New(1), processTime()
					for b.Loop() {
						r.Seed(rng.NewKey(1).Uint(uint64(i)))
						f(srcs[i%len(srcs)], r)
						i++
					}
					b.ReportMetric(float64(b.N)/(processTime()-begun).Seconds(), "images/s")
				})
			}
			run("u8", func(src *raster.Image, r *rng.Rand) { m.Apply(&dst, src, r, &s) })
			run("f32", func(src *raster.Image, r *rng.Rand) { m.ApplyPlanes(planes, src, &Half, r, &s) })
		}
	}
}

func BenchmarkBatch(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, side := range []int{32, 224} {
			srcs := benchImages(128, side)
			keys := make([]rng.Key, len(srcs))
			dst := make([]float32, 3*len(srcs)*3*side*side)
			batch := Batch{Workers: workers}
			m := NewAugMix()
			b.Run(fmt.Sprintf("views3/%d/workers%d", side, workers), func(b *testing.B) {
				n := 0
				for b.Loop() {
					for i := range keys {
						keys[i] = rng.NewKey(1).Uint(uint64(n))
						n++
					}
					batch.Views(m, dst, srcs, &Half, keys, 1, 3)
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "triples/s")
			})
		}
	}
}
