package corrupt

import (
	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// JPEGCompression encodes the image as JPEG with 4:2:0 subsampling and decodes it, with libjpeg's arithmetic. Least
// side 1. Parity: exact.
type JPEGCompression struct {
	Quality int // 1 to 100
}

var jpegTable = table{
	Kinds: []kind{count},
	Clean: []float64{100},
	Sets: [4]set{
		{{80}, {65}, {58}, {50}, {40}},
		{{65}, {58}, {50}, {40}, {25}},
		{{25}, {18}, {15}, {10}, {7}},
		{{23}, {16}, {13}, {8}, {5}},
	},
}

func runJPEG(j job) error {
	JPEGCompression{int(j.v[0])}.Apply(j.dst, j.src)
	return nil
}

// Apply makes dst the compressed src.
func (c JPEGCompression) Apply(dst, src *raster.Image) {
	prepare(dst, src)
	jpeg.RoundTrip(dst, src, c.Quality)
}
