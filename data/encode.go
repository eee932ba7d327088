package data

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// Encoding says how a sink that keeps image files encodes them; the zero value is PNG at its default compression.
type Encoding struct {
	JPEG    bool
	Quality int   // of JPEG, 1 to 100; 0 means DefaultQuality
	Level   Level // of PNG
}

// Level is the effort spent on making a PNG small. Pixels are the same at every level.
type Level = imagefile.Level

// The levels. On 224x224 photographs, fast took a third of the time of medium and an eighth of that of best, and made
// files 8 % larger than either; so it is the default.
const (
	LevelDefault = imagefile.LevelDefault
	LevelNone    = imagefile.LevelNone
	LevelFast    = imagefile.LevelFast
	LevelMedium  = imagefile.LevelMedium
	LevelBest    = imagefile.LevelBest
)

// DefaultQuality is the JPEG quality that Quality 0 stands for. ImageNet-C was saved at 85; ask for that to match it.
const DefaultQuality = 95

// Ext returns the file name extension: ".png" or ".jpg".
func (e Encoding) Ext() string {
	if e.JPEG {
		return ".jpg"
	}
	return ".png"
}

// Lossless reports whether an image comes back unchanged.
func (e Encoding) Lossless() bool { return !e.JPEG }

// Check returns an error unless the options are within their ranges.
func (e Encoding) Check() error {
	if e.Quality < 0 || e.Quality > 100 {
		return fmt.Errorf("%w: JPEG quality %d (allowed: 1 to 100, 0 for %d)", ErrUnsupported, e.Quality,
			DefaultQuality)
	}
	return nil
}

// Append appends the encoded image to dst and returns the longer slice.
func (e Encoding) Append(dst []byte, m *raster.Image) ([]byte, error) {
	if !e.JPEG {
		return imagefile.EncodePNG(dst, m, e.Level)
	}
	q := e.Quality
	if q == 0 {
		q = DefaultQuality
	}
	return imagefile.EncodeJPEG(dst, m, q)
}
