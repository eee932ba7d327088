package perturb

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BenchmarkSequence makes whole sequences from one image: 32x32 for P32, 341x256 for P224, so that the resize before
// does nothing. "ten" at the end is one image through the ten perturbations of the mean flip rate.
func BenchmarkSequence(b *testing.B) {
	for _, size := range []struct {
		profile Profile
		w, h    int
	}{{P32, 32, 32}, {P224, 341, 256}} {
		src := testImage(size.w, size.h)
		for _, name := range Names() {
			b.Run(fmt.Sprintf("%s/%v", name, size.profile), func(b *testing.B) {
				benchmark(b, []string{name}, src, size.profile)
			})
		}
		b.Run(fmt.Sprintf("ten/%v", size.profile), func(b *testing.B) { benchmark(b, Common(), src, size.profile) })
	}
}

func benchmark(b *testing.B, names []string, src *raster.Image, p Profile) {
	var dst raster.Image
	var s Scratch
	r := rng.New(1)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range names {
			q, err := mustByName(name).Sequence(src, 1, p, r, &s)
			if err != nil {
				b.Fatal(err)
			}
			for q.Next(&dst) {
				n++
			}
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(seconds*1000/float64(n), "ms/frame")
	b.ReportMetric(float64(n)/seconds, "images/s")
}
