//go:build (!amd64 && !arm64) || noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

var _ = cpu.Select("pixels") // there is no assembly in this build

// EachLevel runs f, in this build once: there is no assembly.
func EachLevel(f func(name string)) { f(cpu.Plain.String()) }

func lookupVector(dst, src []uint8, t *Table) int { return 0 }

func minMaxVector(src []uint8, lo, hi *[3]uint8) int { return 0 }

func lumaSumVector(src []uint8) (int, uint64) { return 0, 0 }

func grayVector(dst, src []uint8) int { return 0 }

func colorBlendVector(dst, src []uint8, f float32) int { return 0 }

func sharpenVector(dst, up, row, down []uint8, f float32) int { return 0 }

func mixBytesVector(dst []uint8, srcs [][]uint8, weights []float32) int { return 0 }

func mixPlanesVector(d []float32, s [][]uint8, w []float32, scale, b *[3]float32) int { return 0 }

func andVector(dst, src []uint8, mask uint8) int { return 0 }

func invertFromVector(dst, src []uint8, threshold uint8) int { return 0 }

func sumPairsVector(dst, src []float64, lo, hi []int, w []float64) int { return 0 }

func sumTapsVector(dst, src []float64, off []int, w []float64) int { return 0 }

func matMulVector(dst, p, q []float64, m, w int) int { return 0 }

func lerpRowsVector(dst, a, b []float64, e, f float64) int { return 0 }

func addStretchedVector(sums []float32, line []float64, index []int32, frac []float64) int { return 0 }

func unitToBytesVector(dst []uint8, src []float64) int { return 0 }

func addFourVector(dst, a, b, c, d []uint64) int { return 0 }

func pixAddVector(cur []float32, other []uint8, a, b, c float32) int { return 0 }

func pixMultiplyVector(cur []float32, other []uint8, a, b, c float32) int { return 0 }

func scaleBiasVector(dst, src []float32, scale, bias float32) int { return 0 }

func planesToBytesVector(dst []uint8, src []float32) int { return 0 }

func blendVector(dst, v, u []float32, a, b float32) int { return 0 }

func sinVector(dst, src []float64, a, b float64) int { return 0 }

func sinCosVector(sin, cos, src []float64, a float64) int { return 0 }

func angleVector(dst, v []float64, u, b, low, high, inv float64) int { return 0 }

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool { return false }

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool { return false }

func yccToRGBVector(dst, y, cb, cr []uint8) int { return 0 }

func rgbToYCCVector(y, cb, cr, pix []uint8) int { return 0 }

func halveRowsVector(dst, a, b []uint8) int { return 0 }

func triangleVector(dst, near, far []uint8, at, n int) int { return 0 }

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool { return false }

func inverseBlockVector(dst []uint8, stride int, w *[32]int64) bool { return false }

func scaleHSVVector(dst, src []uint8, multiply, add, raise float64) int { return 0 }

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

func fft4Vector(y, x Complex, dy, dx, n int, t *[6]float64) int { return 0 }

func fftOddVector(o *FFTOdd, y, x Complex, dy, dx, n int) int { return 0 }

func moveVector(n *LightNet, re, im float64) int { return 0 }

func gatherVector(n *LightNet, light []float64, re, im, focus float64) int { return 0 }

func pcgVector(p *PCG, n int) bool { return false }

func jpegBlocksVector(d []uint8, ds int, s []uint8, ss, n int, t *JPEGTable) bool { return false }
