//go:build !arm64

package detmath

// FMA32 returns x*y + z with a single rounding, the bits of a processor's fused multiply-add for float32.
func FMA32(x, y, z float32) float32 { return soft32(x, y, z) }

// FMA32x4 adds x*w to four sums, as FMA32 does.
func FMA32x4(sum *[4]float32, x float32, w *[4]float32) { soft32x4(sum, x, w) }
