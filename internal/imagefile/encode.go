package imagefile

import (
	"fmt"
	"image"
	"image/png"
	"sync"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// Level is the effort spent on making a PNG small. Pixels are the same at every level.
type Level int

// The levels.
const (
	LevelDefault Level = iota // LevelFast: BenchmarkEncodePNG shows a third of LevelMedium's time for 8 % more bytes
	LevelNone                 // stored, neither filtered nor compressed
	LevelFast                 // deflate at its fastest
	LevelMedium               // deflate at its usual effort
	LevelBest                 // deflate at its best, several times slower
)

// EncodePNG appends m as an 8-bit PNG file, RGB or where m is marked Gray gray, with its alpha channel if it has one, to dst and returns
// the longer slice. It fails only for a level that does not exist, an image that is empty or an alpha channel of another size.
func EncodePNG(dst []byte, m *raster.Image, level Level) ([]byte, error) {
	e := png.Encoder{BufferPool: &pngBuffers}
	switch level {
	case LevelDefault, LevelFast:
		e.CompressionLevel = png.BestSpeed
	case LevelNone:
		e.CompressionLevel = png.NoCompression
	case LevelMedium:
		e.CompressionLevel = png.DefaultCompression
	case LevelBest:
		e.CompressionLevel = png.BestCompression
	default:
		return dst, fmt.Errorf("PNG compression level %d (allowed: 0 to %d)", level, LevelBest)
	}
	if err := raster.CheckSize(m.W, m.H); err != nil {
		return dst, err
	}
	if m.Alpha != nil {
		return appendAlphaPNG(dst, m, &e)
	}
	out := appender(dst)
	if !m.Gray {
		err := e.Encode(&out, m.RGBA())
		return out, err
	}
	pix := grays.Get().(*[]uint8)
	defer grays.Put(pix)
	*pix = m.AppendPixels((*pix)[:0])
	err := e.Encode(&out, &image.Gray{Pix: *pix, Stride: m.W, Rect: m.Bounds()})
	return out, err
}

// grays holds planes of gray images on their way to the encoder.
var grays = sync.Pool{New: func() any { return new([]uint8) }}

// EncodeJPEG appends m as a baseline JPEG file with 4:2:0 chroma, or of one component where m is marked Gray, to dst and returns the longer slice: the bytes that
// Pillow's save with this quality, 1 to 100, writes. It fails only for a quality out of range or an image that is empty,
// has a side above 65500 or an alpha channel.
func EncodeJPEG(dst []byte, m *raster.Image, quality int) ([]byte, error) {
	if quality < 1 || quality > 100 {
		return dst, fmt.Errorf("JPEG quality %d (allowed: 1 to 100)", quality)
	}
	if err := CheckJPEG(m); err != nil {
		return dst, err
	}
	return jpeg.Encode(dst, m, jpeg.Options{Quality: quality}), nil
}

// CheckJPEG returns an error for an image that is empty, has a side above 65500 or an alpha channel.
func CheckJPEG(m *raster.Image) error {
	if err := raster.CheckSize(m.W, m.H); err != nil {
		return err
	}
	if max(m.W, m.H) > 65500 {
		return fmt.Errorf("%w: %dx%d as JPEG (allowed: at most 65500 a side)", raster.ErrSize, m.W, m.H)
	}
	return CheckOpaque(m, "JPEG")
}

// appender is a slice as a writer.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// pngBuffers keeps the PNG encoder's state, some hundred kilobytes, between images.
var pngBuffers bufferPool

type bufferPool struct{ p sync.Pool }

func (b *bufferPool) Get() *png.EncoderBuffer {
	e, _ := b.p.Get().(*png.EncoderBuffer)
	return e
}

func (b *bufferPool) Put(e *png.EncoderBuffer) { b.p.Put(e) }
