package filter

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// Field is an image of floating-point samples: H rows of W pixels of C interleaved channels, no gap between rows. The
// zero Field is empty and ready for Reset.
type Field struct {
	Pix     []float64
	W, H, C int
}

// Reset gives f its size and reuses its memory where that suffices. The samples are unspecified afterwards.
func (f *Field) Reset(w, h, c int) {
	f.Pix = buffer.Resize(f.Pix, w*h*c)
	f.W, f.H, f.C = w, h, c
}

// row returns the samples of row y.
func (f *Field) row(y int) []float64 {
	n := f.W * f.C
	return f.Pix[y*n:][:n:n]
}

// FromImage makes f the three channels of m, divided by 255.
func (f *Field) FromImage(m *raster.Image) {
	f.Reset(m.W, m.H, 3)
	kernel.BytesToNumbers(f.Pix, m.Pix, 255)
}

// ToImage makes m the image of a three-channel field: every sample by [Byte]. It
// panics unless f has three channels.
func (f *Field) ToImage(m *raster.Image) {
	if f.C != 3 {
		panic(fmt.Sprintf("filter: image of a field with %d channels, want 3", f.C))
	}
	m.Reset(f.W, f.H)
	kernel.UnitToBytes(m.Pix, f.Pix)
}

// Byte returns v times 255, truncated and cut to 0…255: the storage rule of the corruption benchmarks. v must be a
// number between -2^22 and 2^22.
func Byte(v float64) uint8 { return uint8(min(max(int32(v*255), 0), 255)) }

// Byte32 is [Byte] of a float32, multiplied in float32.
func Byte32(v float32) uint8 { return uint8(min(max(int32(v*255), 0), 255)) }
