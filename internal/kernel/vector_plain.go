//go:build !amd64 || noasm

package kernel

// What only amd64 has assembly for.

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool { return false }

func sumPairsVector(dst, src []float64, lo, hi []int, w []float64) int { return 0 }

func sumTapsVector(dst, src []float64, off []int, w []float64) int { return 0 }

func matMulVector(dst, p, q []float64, m, w int) int { return 0 }

func lerpRowsVector(dst, a, b []float64, e, f float64) int { return 0 }

func addStretchedVector(sums []float32, line []float64, index []int32, frac []float64) int { return 0 }

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool { return false }

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool { return false }

func jpegBlocksVector(d []uint8, ds int, s []uint8, ss, n int, t *JPEGTable) bool { return false }

func inverseBlockVector(dst []uint8, stride int, w *[32]int64) bool { return false }

func yccToRGBVector(dst, y, cb, cr []uint8) int { return 0 }

func rgbToYCCVector(y, cb, cr, pix []uint8) int { return 0 }

func halveRowsVector(dst, a, b []uint8) int { return 0 }

func triangleVector(dst, near, far []uint8, at, n int) int { return 0 }

func unitToBytesVector(dst []uint8, src []float64) int { return 0 }
func addFourVector(dst, a, b, c, d []uint64) int       { return 0 }

func pixAddVector(cur []float32, other []uint8, a, b, c float32) int { return 0 }

func pixMultiplyVector(cur []float32, other []uint8, a, b, c float32) int { return 0 }

func scaleBiasVector(dst, src []float32, scale, bias float32) int { return 0 }

func planesToBytesVector(dst []uint8, src []float32) int { return 0 }

func blendVector(dst, v, u []float32, a, b float32) int { return 0 }

func sinVector(dst, src []float64, a, b float64) int { return 0 }

func sinCosVector(sin, cos, src []float64, a float64) int { return 0 }

func angleVector(dst, v []float64, u, b, low, high, inv float64) int { return 0 }

func scaleHSVVector(dst, src []uint8, multiply, add, raise float64) int { return 0 }
