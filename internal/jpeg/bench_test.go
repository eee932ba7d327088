package jpeg

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// photo draws an image with the detail of a photograph at several scales: at 500x375 and quality 90 its file has
// about the size of an ImageNet file.
func photo(w, h int) *raster.Image {
	m, noise := raster.New(w, h), raster.New(w, h)
	fillNoise(noise, 7, 0)
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			v := 120 + 60*math.Sin(fx/61+math.Cos(fy/43)) + 30*math.Sin(fx*fy/3000) + 14*math.Sin(fx/3+fy/2)
			if math.Sin(fx/29)*math.Cos(fy/37) > 0.5 {
				v -= 70
			}
			n := noise.At(x, y)
			grain := float64(n.R%32) - 16
			level := func(v float64) uint8 { return uint8(min(max(v, 0), 255)) }
			m.Set(x, y, raster.RGB{
				R: level(v + grain + 20*math.Sin(fx/90)), G: level(v + grain), B: level(v + grain - 25*math.Cos(fy/70)),
			})
		}
	}
	return m
}

func perSecond(b *testing.B, m *raster.Image, bytes int) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	b.ReportMetric(float64(b.N)*float64(m.W*m.H)/1e6/b.Elapsed().Seconds(), "Mpixel/s")
	b.SetBytes(int64(bytes))
}

func BenchmarkDecode(b *testing.B) {
	src := photo(500, 375)
	file := Encode(nil, src, Options{Quality: 90})
	b.Run("whole", func(b *testing.B) {
		var d Decoder
		var m raster.Image
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Decode(&m, file); err != nil {
				b.Fatal(err)
			}
		}
		perSecond(b, src, len(file))
	})
	b.Run("crop", func(b *testing.B) { // about the mean random crop of ImageNet training
		var d Decoder
		var m raster.Image
		for b.Loop() {
			if err := d.DecodeCrop(&m, file, image.Rect(120, 60, 420, 300)); err != nil {
				b.Fatal(err)
			}
		}
		perSecond(b, src, len(file))
	})
	b.Run("standard-library", func(b *testing.B) {
		for b.Loop() {
			if _, err := jpeg.Decode(bytes.NewReader(file)); err != nil {
				b.Fatal(err)
			}
		}
		perSecond(b, src, len(file))
	})
}

func BenchmarkEncode(b *testing.B) {
	src := photo(224, 224)
	for name, o := range map[string]Options{
		"q85": {Quality: 85}, "q85-optimize": {Quality: 85, Optimize: true},
	} {
		b.Run(name, func(b *testing.B) {
			var e Encoder
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				out = e.Encode(out[:0], src, o)
			}
			perSecond(b, src, len(out))
		})
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for name, c := range map[string]struct{ side, quality int }{
		"32-q58": {32, 58}, "224-q10": {224, 10}, "224-q25": {224, 25},
	} {
		b.Run(name, func(b *testing.B) {
			var e Encoder
			var m raster.Image
			src := photo(c.side, c.side)
			b.ReportAllocs()
			for b.Loop() {
				e.RoundTrip(&m, src, c.quality)
			}
			perSecond(b, src, len(src.Pix))
		})
	}
}

// BenchmarkDecodeFolder decodes the files of the folder AUGMIX_BENCH_JPEG, for comparison with another decoder.
func BenchmarkDecodeFolder(b *testing.B) {
	dir := os.Getenv("AUGMIX_BENCH_JPEG")
	names, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if dir == "" || err != nil || len(names) == 0 {
		b.Skipf("no *.jpg in AUGMIX_BENCH_JPEG=%q", dir)
	}
	var files [][]byte
	for _, n := range names {
		file, err := os.ReadFile(n)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, file)
	}
	var d Decoder
	var m raster.Image
	i := 0
	for b.Loop() {
		if err := d.Decode(&m, files[i%len(files)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
