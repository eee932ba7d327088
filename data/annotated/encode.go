package annotated

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// Append appends m to dst as a file of the format that the name of the sample says, JPEG or PNG: the file that replaces the
// sample's own. quality is of JPEG, 1 to 100, with 4:2:0 chroma and optimized tables. An EXIF orientation goes with the pixels, which
// are as stored, so that whoever turned the image before does it still. The error wraps [data.ErrUnsupported].
func Append(dst []byte, m *raster.Image, s *data.Sample, quality int) ([]byte, error) {
	orientation := 1
	if info, err := imagefile.Inspect(s.Data); err == nil {
		orientation = info.Orientation
	}
	switch strings.ToLower(s.Ext) {
	case ".jpg", ".jpeg", ".jpe", ".jfif":
		if err := data.CheckJPEG(m); err != nil { // of a file that is none
			return dst, err
		}
		from := len(dst)
		dst = jpeg.Encode(dst, m, jpeg.Options{Quality: quality, Optimize: true})
		if orientation != 1 {
			const soi = 2 // bytes of the marker that every file begins with
			file := append(dst[from:from+soi:from+soi], exifOf(orientation)...)
			dst = append(dst[:from], append(file, dst[from+soi:]...)...)
		}
		return dst, nil
	case ".png":
		if orientation != 1 {
			return dst, fmt.Errorf("%w: a PNG file with an EXIF orientation (allowed: JPEG files with one)", data.ErrUnsupported)
		}
		return imagefile.EncodePNG(dst, m, imagefile.LevelDefault)
	}
	return dst, fmt.Errorf("%w: files named %s are not written (allowed: .jpg, .jpeg, .jpe, .jfif, .png)", data.ErrUnsupported, s.Ext)
}

// exifOf returns a JPEG segment that says no more than an orientation.
func exifOf(orientation int) []byte {
	const header = "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01" + // one tag, 8 bytes into a TIFF file
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00" // orientation, one short
	body := header + string(rune(orientation)) + "\x00\x00" + "\x00\x00\x00\x00" // and no further directory
	return append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+len(body))), body...)
}
