package imagefile

import (
	"image"

	"github.com/augmix-go/augmix/raster"
)

// fromYCbCr converts a JPEG's components (JFIF: BT.601 matrix, full range) by the arithmetic of [color.YCbCrToRGB], bit
// for bit, and repeats subsampled chroma over the pixels it covers.
func fromYCbCr(dst *raster.Image, s *image.YCbCr) {
	shift := chromaShift(s.SubsampleRatio)
	n := (dst.W + 1<<shift - 1) >> shift
	for y := range dst.H {
		d := dst.Pix[4*y*dst.W:][:4*dst.W]
		luma := s.Y[y*s.YStride:][:dst.W]
		c := s.COffset(s.Rect.Min.X, s.Rect.Min.Y+y)
		rowYCbCr(d, luma, s.Cb[c:c+n], s.Cr[c:c+n], shift)
	}
}

// chromaShift returns the binary logarithm of the number of columns that share a chroma sample.
func chromaShift(r image.YCbCrSubsampleRatio) int {
	switch r {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		return 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		return 2
	}
	return 0
}

// rowYCbCr converts one row. The constants are the JFIF factors 1.402, 0.344136, 0.714136 and 1.772 in 16-bit fixed
// point; they are worked out once for all pixels of a chroma sample.
func rowYCbCr(dst, luma, cb, cr []uint8, shift int) {
	step := 1 << shift
	for i, b := range cb {
		b1, r1 := int32(b)-128, int32(cr[i])-128
		addR, addG, addB := 91881*r1, -22554*b1-46802*r1, 116130*b1
		n := min(step, len(luma))
		for _, v := range luma[:n] {
			y := int32(v) * 0x10101
			_ = dst[3]
			dst[0], dst[1], dst[2], dst[3] = clamp16(y+addR), clamp16(y+addG), clamp16(y+addB), 255
			dst = dst[4:]
		}
		luma = luma[n:]
	}
}

// clamp16 returns v/65536 within 0 to 255.
func clamp16(v int32) uint8 {
	if uint32(v)&0xff000000 == 0 {
		return uint8(v >> 16)
	}
	return uint8(^(v >> 31))
}
