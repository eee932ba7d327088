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
