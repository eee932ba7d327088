package detmath

// FMA32 returns x*y + z with a single rounding, the bits of a processor's fused multiply-add for float32.
//
// The language lets a compiler fuse this expression, and Go's makes one FMADDS of it for arm64. TestFMA32 fails where one
// does not.
func FMA32(x, y, z float32) float32 { return x*y + z }

// FMA32x4 adds x*w to four sums, as FMA32 does.
func FMA32x4(sum *[4]float32, x float32, w *[4]float32) {
	sum[0], sum[1] = FMA32(x, w[0], sum[0]), FMA32(x, w[1], sum[1])
	sum[2], sum[3] = FMA32(x, w[2], sum[2]), FMA32(x, w[3], sum[3])
}
