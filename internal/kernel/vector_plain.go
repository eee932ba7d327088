//go:build !amd64 || noasm

package kernel

// What only amd64 has assembly for.

func jpegBlocksVector(d []uint8, ds int, s []uint8, ss, n int, t *JPEGTable) bool { return false }

func pcgVector(p *PCG, n int) bool { return false }

func runsVector(dst, sums []uint64, from, to []int) int { return 0 }

func addBitsVector(dst []float64, src []uint64, shift, mask uint64, weight float64) int { return 0 }

func tonesVector(dst []Color, src []uint8) int { return 0 }

func colorsToBytesVector(dst []uint8, src []Color) int { return 0 }

func moveColorsVector(dst, src []Color, w, h int, xs, ys []int32, x, y int32) int { return 0 }

func displaceVector(dst, src []Color, w, h, x, y int, dx, dy []float32) int { return 0 }

func addNormalsVector(dst, src []uint8, z []float32, sigma, share float64) int { return 0 }

func snowVector(dst, src, flakes []uint8, mix, rest float32) int { return 0 }

func fogVector(dst, src []uint8, cloud []float64, amount, top, all float64) int { return 0 }

func mudVector(dst, src []uint8, weight []float64, color *[3]float32) int { return 0 }

func waterVector(d, s, a, b []uint8, top, strength float32, color *[3]float32) int { return 0 }

func bytesToNumbersVector(dst []float64, src []uint8, white float64) int { return 0 }

func scaleAddVector(dst []float64, src []float32, scale, add float64) int { return 0 }

func round32Vector(dst []float32, src []float64, scale float64) int { return 0 }

func uniformsVector(dst []float32, words []uint64) int { return 0 }

func quantumToBytesVector(dst []uint8, src []float64) int { return 0 }

func tonePlanesVector(dst []float64, src []uint8) int { return 0 }

func meanToBytesVector(dst []uint8, x []float64, sums []float32, count float32) int { return 0 }

func chamferVector(dst, near, far []int32, side, corner, knight int32) int { return 0 }

func impulsesVector(dst []uint8, words []uint64, cut uint32) int { return 0 }

func addImpulsesVector(dst, src, impulses []uint8) int { return 0 }

func escapeVector(m *EscapeMap, o *Orbits, n int) bool { return false }

func fft4Vector(y, x Complex, dy, dx, n int, t *[6]float64) int { return 0 }

func fftOddVector(o *FFTOdd, y, x Complex, dy, dx, n int) int { return 0 }

func moveVector(n *LightNet, re, im float64) int { return 0 }

func gatherVector(n *LightNet, light []float64, re, im, focus float64) int { return 0 }
