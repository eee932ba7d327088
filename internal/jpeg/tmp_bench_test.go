package jpeg

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/augmix-go/augmix/raster"
)

func BenchmarkTmp(b *testing.B) {
	for _, pat := range []string{"[0-9]*", "p*"} {
		b.Run(pat[:1], func(b *testing.B) {
			fs, _ := filepath.Glob("/tmp/jw/bench/" + pat)
			var data [][]byte
			n := 0
			for _, f := range fs {
				d, _ := os.ReadFile(f)
				data = append(data, d)
				n += len(d)
			}
			var d Decoder
			var m raster.Image
			best := time.Hour
			for b.Loop() {
				t := time.Now()
				for _, x := range data {
					if err := d.Decode(&m, x); err != nil {
						b.Fatal(err)
					}
				}
				best = min(best, time.Since(t))
			}
			b.ReportMetric(float64(b.N*len(data))/b.Elapsed().Seconds(), "images/s")
			b.ReportMetric(float64(len(data))/best.Seconds(), "best-images/s")
			b.SetBytes(int64(n))
		})
	}
}
