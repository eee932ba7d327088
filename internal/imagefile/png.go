package imagefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"

	"github.com/augmix-go/augmix/raster"
)

func decodePNG(dst *raster.Image, file []byte) error {
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return fromStd(dst, m)
}

// deflateRatio is the most bytes that one byte of a deflate stream can stand for: a match of 258 bytes coded in two
// bits.
const deflateRatio = 1032

func inspectPNG(file []byte) (Info, error) {
	// The signature is followed by the IHDR chunk: length, type, width, height, bit depth, color type.
	const ihdr = 8
	if len(file) < ihdr+8+13 {
		return Info{}, fmt.Errorf("%w: truncated", ErrFormat)
	}
	if string(file[ihdr+4:ihdr+8]) != "IHDR" {
		return Info{}, fmt.Errorf("%w: the first chunk is %q, want IHDR", ErrFormat, file[ihdr+4:ihdr+8])
	}
	b := file[ihdr+8:]
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	bits := float64(max(b[8], 1))
	decoded := int64(4) // bytes a pixel of the decoder's image
	switch b[9] {
	case 0, 3: // gray, palette
		if pngChunk(file, "tRNS") == nil || b[9] == 3 {
			decoded = 1
		}
	case 2: // RGB
		bits *= 3
	case 4: // gray and alpha
		bits *= 2
	case 6: // RGB and alpha
		bits *= 4
	}
	if b[8] > 8 {
		decoded *= 2
	}
	if b[12] != 0 { // the passes of an interlaced image are images of their own, together as large as the whole
		decoded *= 2
	}
	info := Info{
		W: clampInt(w), H: clampInt(h), Orientation: exifOrientation(pngChunk(file, "eXIf")),
		pixelsPerByte: deflateRatio * 8 / bits, Gray: b[9] == 0 || b[9] == 4, deep: b[8] == 16,
	}
	info.Alpha = b[9] == 4 || b[9] == 6 || pngChunk(file, "tRNS") != nil
	info.memory = (decoded + 4) * area(info.W, info.H)
	return info, nil
}

// clampInt keeps a declared 32-bit number an int on every platform; what it cuts off is far beyond any limit.
func clampInt(v uint32) int { return int(min(v, 1<<31-1)) }

// area is the number of pixels, right for the sizes that are within the limits.
func area(w, h int) int64 { return int64(w) * int64(h) }

// pngChunk returns the body of the first chunk of that name, or nil.
func pngChunk(file []byte, name string) []byte {
	for p := file[8:]; len(p) >= 12; {
		n := uint64(binary.BigEndian.Uint32(p))
		if 12+n > uint64(len(p)) {
			return nil
		}
		if string(p[4:8]) == name {
			return p[8 : 8+n]
		}
		p = p[12+n:]
	}
	return nil
}
