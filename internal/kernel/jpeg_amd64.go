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
	return level >= cpu.AVX512 && inverseBlockAVX512(&dst[0], stride, w) == 0
}

// fitting returns the largest multiple of block, a power of two, that is at most n; or 0 without AVX-512.
func fitting(n, block int) int {
	if level < cpu.AVX512 {
		return 0
	}
	return n &^ (block - 1)
}

func yccToRGBVector(dst, y, cb, cr []uint8) int {
	n := fitting(len(y), 16)
	if n > 0 {
		yccToRGBAVX512(&dst[0], &y[0], &cb[0], &cr[0], n)
	}
	return n
}

func rgbToYCCVector(y, cb, cr, pix []uint8) int {
	n := fitting(len(pix)/bytesPerPixel, 16)
	if n > 0 {
		rgbToYCCAVX512(&y[0], &cb[0], &cr[0], &pix[0], n)
	}
	return n
}

func halveRowsVector(dst, a, b []uint8) int {
	n := fitting(len(dst), 32)
	if n > 0 {
		halveRowsAVX512(&dst[0], &a[0], &b[0], n)
	}
	return n
}

func triangleVector(dst, near, far []uint8, at, n int) int {
	n = fitting(n, 32)
	if n > 0 {
		triangleAVX512(&dst[0], &near[2*at], &far[2*at], n)
	}
	return n
}
