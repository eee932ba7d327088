//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func jpegBlocksVector(dst []uint8, dstStride int, src []uint8, srcStride, n int, t *JPEGTable) bool {
	if level == cpu.Plain {
		return false
	}
	var scratch [64][16]int32
	for i := 0; i < n; i += lanes() {
		d, s, count := &dst[8*i], &src[8*i], min(lanes(), n-i)
		if level >= cpu.AVX512 && jpegBlocksAVX512(d, dstStride, s, srcStride, count, t, &scratch) != 0 ||
			level == cpu.AVX2 && jpegBlocksAVX2(d, dstStride, s, srcStride, count, t, &scratch) != 0 {
			return false
		}
	}
	return true
}

func inverseBlockVector(dst []uint8, stride int, w *[32]int64) bool {
	return level >= cpu.AVX2 && inverseBlockAVX2(&dst[0], stride, w) == 0
}

func yccToRGBVector(dst, y, cb, cr []uint8) int {
	n := inLanes(len(y))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		yccToRGBAVX512(&dst[0], &y[0], &cb[0], &cr[0], n)
	default:
		yccToRGBAVX2(&dst[0], &y[0], &cb[0], &cr[0], n)
	}
	return n
}

func rgbToYCCVector(y, cb, cr, pix []uint8) int {
	n := inLanes(len(pix) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		rgbToYCCAVX512(&y[0], &cb[0], &cr[0], &pix[0], n)
	default:
		rgbToYCCAVX2(&y[0], &cb[0], &cr[0], &pix[0], n)
	}
	return n
}

func halveRowsVector(dst, a, b []uint8) int {
	n := 2 * inLanes(len(dst)/2)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		halveRowsAVX512(&dst[0], &a[0], &b[0], n)
	default:
		halveRowsAVX2(&dst[0], &a[0], &b[0], n)
	}
	return n
}

func triangleVector(dst, near, far []uint8, at, n int) int {
	n = 2 * inLanes(n/2)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		triangleAVX512(&dst[0], &near[2*at], &far[2*at], n)
	default:
		triangleAVX2(&dst[0], &near[2*at], &far[2*at], n)
	}
	return n
}
