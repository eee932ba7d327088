//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func yccToRGBVector(dst, y, cb, cr []uint8) int {
	n := whole(len(y), 16)
	if n > 0 {
		yccToRGBNEON(&dst[0], &y[0], &cb[0], &cr[0], n)
	}
	return n
}

func rgbToYCCVector(y, cb, cr, pix []uint8) int {
	n := whole(len(pix)/bytesPerPixel, 16)
	if n > 0 {
		rgbToYCCNEON(&y[0], &cb[0], &cr[0], &pix[0], n)
	}
	return n
}

func halveRowsVector(dst, a, b []uint8) int {
	n := whole(len(dst), 16)
	if n > 0 {
		halveRowsNEON(&dst[0], &a[0], &b[0], n)
	}
	return n
}

func triangleVector(dst, near, far []uint8, at, n int) int {
	n = whole(n, 8)
	if n > 0 {
		triangleNEON(&dst[0], &near[2*at], &far[2*at], n)
	}
	return n
}

func inverseBlockVector(dst []uint8, stride int, w *[32]int64) bool {
	return level >= cpu.NEON && inverseBlockNEON(&dst[0], stride, w) <= 1<<15
}

func jpegBlocksVector(dst []uint8, dstStride int, src []uint8, srcStride, n int, t *JPEGTable) bool {
	return level >= cpu.NEON && jpegBlocksNEON(&dst[0], dstStride, &src[0], srcStride, n, t) <= 1<<15
}
