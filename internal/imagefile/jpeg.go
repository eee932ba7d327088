package imagefile

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"

	"github.com/augmix-go/augmix/raster"
)

// decodeJPEG is the one place where JPEG becomes pixels; another decoder goes in here and nowhere else, together with
// the size in inspectJPEG, which must come from the same parser.
func decodeJPEG(dst *raster.Image, file []byte) error {
	m, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return fromStd(dst, m)
}

func inspectJPEG(file []byte) (Info, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, err
	}
	return Info{
		W: c.Width, H: c.Height, Orientation: exifOrientation(jpegEXIF(file)),
		// Every 8x8 block of the finest component costs at least one bit, the shortest Huffman code of its DC
		// difference.
		pixelsPerByte: 8 * 64,
	}, nil
}

// jpegEXIF returns the TIFF structure in the first Exif segment before the first scan, or nil.
func jpegEXIF(file []byte) []byte {
	const (
		sos  = 0xda // start of scan
		app1 = 0xe1
	)
	for p := file[2:]; len(p) >= 4 && p[0] == 0xff && p[1] != sos; {
		if p[1] == 0xff { // fill byte
			p = p[1:]
			continue
		}
		n := int(binary.BigEndian.Uint16(p[2:]))
		if n < 2 || 2+n > len(p) {
			return nil
		}
		if body, ok := bytes.CutPrefix(p[4:2+n], []byte("Exif\x00\x00")); ok && p[1] == app1 {
			return body
		}
		p = p[2+n:]
	}
	return nil
}
