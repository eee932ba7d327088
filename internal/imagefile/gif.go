package imagefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"

	"github.com/augmix-go/augmix/raster"
)

// gifHeader is what lies before the pixels of the first frame.
type gifHeader struct {
	w, h        int // of the whole image
	palette     []uint8
	transparent int // palette index, or -1
}

// gifMemory is the bytes a pixel of decoding: the indices, again in their order where they are interlaced, the frame and
// the image.
const gifMemory = 1 + 1 + 4 + 4

func inspectGIF(file []byte) (Info, error) {
	g, err := parseGIF(file)
	if err != nil {
		return Info{}, err
	}
	return Info{W: g.w, H: g.h, Orientation: 1, pixelsPerByte: lzwRatio, memory: gifMemory * area(g.w, g.h)}, nil
}

// decodeGIF reads the first frame; what follows it is not looked at. A frame smaller than the image lies on a ground
// of the transparent color, or of color 0 where there is none, as in Pillow.
func decodeGIF(dst *raster.Image, file []byte) error {
	g, err := parseGIF(file)
	if err != nil {
		return err
	}
	m, err := gif.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	s, ok := m.(*image.Paletted)
	if !ok {
		return fmt.Errorf("%w: pixels of type %T", ErrUnsupported, m)
	}
	// The decoder blackens the transparent color; Pillow keeps it. So colors come from the file.
	var table [256]raster.RGB
	n := len(g.palette) / 3
	for i := range n {
		table[i] = raster.RGB{R: g.palette[3*i], G: g.palette[3*i+1], B: g.palette[3*i+2]}
	}
	n = max(n, g.transparent+1) // decoders accept a transparent color outside the palette: black
	if s.Rect.Dx() == g.w && s.Rect.Dy() == g.h {
		dst.Reset(g.w, g.h)
		return fromIndices(dst, s.Pix, s.Stride, table[:n])
	}
	if s.Rect.Empty() {
		return fmt.Errorf("%w: the first frame is empty", ErrFormat)
	}
	part := scratch.Get().(*raster.Image)
	defer scratch.Put(part)
	part.Reset(s.Rect.Dx(), s.Rect.Dy())
	if err := fromIndices(part, s.Pix, s.Stride, table[:n]); err != nil {
		return err
	}
	dst.Reset(g.w, g.h)
	dst.Fill(table[max(g.transparent, 0)])
	raster.CopyRect(dst, s.Rect.Min, part, part.Bounds())
	return nil
}

// parseGIF walks the blocks up to the first image descriptor.
func parseGIF(file []byte) (gifHeader, error) {
	g := gifHeader{transparent: -1}
	short := fmt.Errorf("%w: truncated", ErrFormat)
	if len(file) < 13 {
		return g, short
	}
	g.w, g.h = int(binary.LittleEndian.Uint16(file[6:])), int(binary.LittleEndian.Uint16(file[8:]))
	p, ok := g.table(file[13:], file[10])
	for ok && len(p) > 0 {
		switch p[0] {
		case 0x21: // extension
			if len(p) >= 8 && p[1] == 0xf9 && p[2] == 4 { // graphic control
				g.transparent = -1
				if p[3]&1 != 0 {
					g.transparent = int(p[6])
				}
			}
			p, ok = skipBlocks(p[min(2, len(p)):])
		case 0x2c: // image descriptor
			if len(p) < 10 {
				return g, short
			}
			if _, ok := g.table(p[10:], p[9]); !ok {
				return g, short
			}
			return g, nil
		default:
			return g, fmt.Errorf("%w: block of type %#02x before the first frame", ErrFormat, p[0])
		}
	}
	return g, short
}

// table takes the color table, if flags say that there is one, off the front of p.
func (g *gifHeader) table(p []byte, flags byte) (rest []byte, ok bool) {
	if flags&0x80 == 0 {
		return p, true
	}
	n := 3 << (1 + flags&7)
	if len(p) < n {
		return nil, false
	}
	g.palette = p[:n]
	return p[n:], true
}

// skipBlocks skips sub-blocks up to and with the empty one that ends them.
func skipBlocks(p []byte) (rest []byte, ok bool) {
	for len(p) > 0 {
		n := int(p[0])
		if n == 0 {
			return p[1:], true
		}
		if 1+n > len(p) {
			return nil, false
		}
		p = p[1+n:]
	}
	return nil, false
}
