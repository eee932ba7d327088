// Package kernel holds the inner loops over pixels. Every loop exists once as plain Go, which is its specification, and
// the slow ones a second time as assembly chosen at run time by CPU feature; both give the same bytes, which fuzz tests
// prove. There is assembly for AVX-512, AVX2 and NEON. Build with -tags noasm to leave it out, or set AUGMIX_CPU to avx2
// or plain to use less of the processor for one run (package internal/cpu).
//
// Pixels are four bytes (red, green, blue, 255), rows follow each other without a gap, as in raster.Image. Arithmetic
// that reaches an output byte is never fused.
package kernel

import "fmt"

// bytesPerPixel is the number of bytes in a pixel.
const bytesPerPixel = 4

func mustSame(dst, src []uint8) {
	if len(dst) != len(src) || len(src)%bytesPerPixel != 0 {
		panic(fmt.Sprintf("kernel: %d bytes from %d", len(dst), len(src)))
	}
}
