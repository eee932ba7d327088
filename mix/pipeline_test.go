package mix_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BenchmarkJPEGFolder is the input pipeline of ImageNet training: a JPEG file in memory -> pixels -> random resized crop
// of 224 -> AugMix. The files are those of the folder AUGMIX_BENCH_JPEG, or one drawn image of 500x375 at quality 90.
func BenchmarkJPEGFolder(b *testing.B) {
	var files [][]byte
	if dir := os.Getenv("AUGMIX_BENCH_JPEG"); dir != "" {
		names, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
		if err != nil || len(names) == 0 {
			b.Fatalf("no *.jpg in %s (%v)", dir, err)
		}
		for _, n := range names {
			file, err := os.ReadFile(n)
			if err != nil {
				b.Fatal(err)
			}
			files = append(files, file)
		}
	} else {
		m := raster.New(500, 375)
		for y := range m.H {
			for x := range m.W {
				m.Set(x, y, raster.RGB{R: uint8(x * y / 90), G: uint8(x + y), B: uint8((x ^ y) & 127)})
			}
		}
		file, err := imagefile.EncodeJPEG(nil, m, 90)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, file)
	}
	var src, crop, dst raster.Image
	var z augment.Resizer
	var s mix.Scratch
	m := mix.NewAugMix()
	i := 0
	for b.Loop() {
		r := rng.NewKey(1).Uint(uint64(i)).Rand()
		if err := imagefile.Decode(&src, files[i%len(files)]); err != nil {
			b.Fatal(err)
		}
		box := augment.RandomResizedBox(src.W, src.H, 0.08, 1, 3./4, 4./3, &r)
		z.ResizeBox(&crop, &src, box, 224, 224, augment.Bilinear)
		m.Apply(&dst, &crop, &r, &s)
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
