package imagefile

import "github.com/augmix-go/augmix/raster"

// orient makes dst the upright form of src, which is stored with the given EXIF orientation (Exif 2.3, tag 0x0112):
//
//	1 upright              5 mirrored at the main diagonal
//	2 mirrored left-right  6 to be turned 90 degrees clockwise
//	3 upside down          7 mirrored at the other diagonal
//	4 mirrored top-bottom  8 to be turned 90 degrees anticlockwise
//
// dst must not be src.
func orient(dst, src *raster.Image, orientation int) {
	w, h := src.W, src.H
	// Pixel (x, y) of dst is the pixel of src at start + x*stepX + y*stepY.
	var start, stepX, stepY int
	switch orientation {
	case 2:
		start, stepX, stepY = w-1, -1, w
	case 3:
		start, stepX, stepY = w*h-1, -1, -w
	case 4:
		start, stepX, stepY = w*(h-1), 1, -w
	case 5:
		start, stepX, stepY = 0, w, 1
	case 6:
		start, stepX, stepY = w*(h-1), -w, 1
	case 7:
		start, stepX, stepY = w*h-1, -w, -1
	case 8:
		start, stepX, stepY = w-1, w, -1
	default:
		dst.CopyFrom(src)
		return
	}
	if orientation >= 5 {
		dst.Reset(h, w)
	} else {
		dst.Reset(w, h)
	}
	d := dst.Pix
	for y := range dst.H {
		s := 4 * (start + y*stepY)
		for range dst.W {
			copy(d[:4], src.Pix[s:s+4])
			d = d[4:]
			s += 4 * stepX
		}
	}
}
