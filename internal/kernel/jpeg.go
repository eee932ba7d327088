package kernel

import "fmt"

// JPEGTable is a quantization table for [JPEGBlocks], row by row.
type JPEGTable struct {
	bias    [64]float32 // 4q + 1/2
	inverse [64]float32 // 1/8q
	q       [64]int32
}

// Set makes t the table of quantizers q, 1 to 255, row by row.
func (t *JPEGTable) Set(q *[64]int64) {
	for i, v := range q {
		t.bias[i], t.inverse[i], t.q[i] = float32(4*v)+0.5, 1/float32(8*v), int32(v)
	}
}

// JPEGBlocks transforms n neighboring 8x8 blocks of samples at src, quantizes them, and transforms them back into dst,
// with libjpeg's slow integer arithmetic; and reports true. Where there is no assembly for it, or where a block would leave
// the range in which 16-bit arithmetic saturates nothing, it reports false and dst is unspecified: package internal/jpeg
// has the plain code. Rows of a block are srcStride and dstStride bytes apart.
//
// Division by 8q, halves away from zero, is in float32: (|x| + 4q + 1/2)/8q is at least 1/16q away from every whole number,
// and the relative error 2^-23 of a quotient of numbers below 2^17 stays below that for every q up to 255.
func JPEGBlocks(dst []uint8, dstStride int, src []uint8, srcStride, n int, t *JPEGTable) bool {
	if n < 1 || len(src) < 7*srcStride+8*n || len(dst) < 7*dstStride+8*n {
		panic(fmt.Sprintf("kernel: %d blocks in %d bytes of stride %d to %d of stride %d", n, len(src), srcStride, len(dst), dstStride))
	}
	return jpegBlocksVector(dst, dstStride, src, srcStride, n, t)
}

// The functions below are the inner loops of a JPEG codec. Each does as many elements as its assembly can, and returns how
// many; package internal/jpeg has the plain code, which is their specification, and does the rest.

// InverseBlock is the inverse transform of one block of dequantized coefficients into 8 rows of 8 samples at dst. Pair p
// of row r, at w[4*r+p], is column 2p plus column 2p+1 shifted up by 32. It reports false, with dst untouched, where there
// is no assembly for it or where a result of the first pass leaves the range in which 16-bit arithmetic saturates nothing.
// Coefficients are at most 2^13-1 in magnitude.
func InverseBlock(dst []uint8, stride int, w *[32]int64) bool {
	_ = dst[7*stride+7]
	return inverseBlockVector(dst, stride, w)
}

// YCCToRGB converts a row of pixels to RGB with a fourth byte of 255. cb and cr are as long as y, dst four times as long.
func YCCToRGB(dst, y, cb, cr []uint8) int {
	n := len(y)
	_, _, _ = dst[:4*n], cb[:n], cr[:n]
	return yccToRGBVector(dst, y, cb, cr)
}

// RGBToYCC converts a row of pixels to luma and chroma. y, cb and cr have one element for each pixel of pix.
func RGBToYCC(y, cb, cr, pix []uint8) int {
	n := len(pix) / bytesPerPixel
	_, _, _ = y[:n], cb[:n], cr[:n]
	return rgbToYCCVector(y, cb, cr, pix)
}

// HalveRows means two rows over 2x2 samples, rounding with 1 and 2 in turn. a and b are twice as long as dst.
func HalveRows(dst, a, b []uint8) int {
	_, _ = a[:2*len(dst)], b[:2*len(dst)]
	return halveRowsVector(dst, a, b)
}

// Triangle is the h2v2 triangle filter for n samples of a row at index at of near and far, which hold 16-bit samples: twice
// n bytes of dst. It reads one sample more on each side.
func Triangle(dst, near, far []uint8, at, n int) int {
	if n <= 0 {
		return 0
	}
	_, _, _, _ = dst[:2*n], near[2*at-2], near[:2*(at+n)+2], far[:2*(at+n)+2]
	return triangleVector(dst, near, far, at, n)
}
