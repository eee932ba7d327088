//go:build !amd64 || noasm

package kernel

// What only amd64 has assembly for.

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool { return false }

func jpegBlocksVector(d []uint8, ds int, s []uint8, ss, n int, t *JPEGTable) bool { return false }

func inverseBlockVector(dst []uint8, stride int, w *[32]int64) bool { return false }

func scaleHSVVector(dst, src []uint8, multiply, add, raise float64) int { return 0 }
