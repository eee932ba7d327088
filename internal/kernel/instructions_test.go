package kernel

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// mark stands in the log of an emulator before and after each loop of TestInstructions.
//
//go:noinline
func mark() {}

// instructionLoop is something to count the instructions of.
type instructionLoop struct {
	name string
	f    func()
}

// TestInstructions calls loops between marks, at each level, and prints their names: tools/bench/instructions.sh counts what
// an emulator ran between them.
func TestInstructions(t *testing.T) {
	if os.Getenv("AUGMIX_INSTRUCTIONS") == "" {
		t.Skip("it is for tools/bench/instructions.sh")
	}
	const n = 32
	r := rand.New(rand.NewPCG(1, 2))
	src, dst := make([]uint8, 4*n*n), make([]uint8, 4*n*n)
	for i := range src {
		src[i] = uint8(r.Uint32()) | uint8(i%4/3*255)
	}
	var table Table
	srcs, weights := [][]uint8{src, src, src}, []float32{0.3, 0.3, 0.4}
	planes, numbers, more := make([]float32, 3*n*n), make([]float64, 5*n*n), make([]float64, 5*n*n)
	for i := range numbers {
		numbers[i] = r.Float64()
	}
	lo, hi, w := make([]int, 8), make([]int, 8), make([]float64, 8)
	index, frac, words := make([]int32, n*n), make([]float64, n*n), make([]uint64, n*n)
	for i := range index {
		index[i] = int32(i / 2)
	}
	one, taps, square := &[3]float32{1, 1, 1}, []int32{1 << 20, 1 << 20, 1 << 20, 1 << 20}, numbers[:n*n]
	starts, columns := make([]int32, n*n), make([]int32, 4*n*n)
	c, s := math.Cos(0.2), math.Sin(0.2)
	rotation := &Affine{c, s, 16 - 16*c - 16*s, -s, c, 16 + 16*s - 16*c}
	for _, l := range append([]instructionLoop{
		{"Lookup", func() { Lookup(dst, src, &table) }},
		{"MinMax", func() { MinMax(src) }},
		{"And", func() { And(dst, src, 0xf0) }},
		{"InvertFrom", func() { InvertFrom(dst, src, 100) }},
		{"LumaSum", func() { LumaSum(src) }},
		{"Gray", func() { Gray(dst, src) }},
		{"ColorBlend", func() { ColorBlend(dst, src, 0.3) }},
		{"Sharpen", func() { Sharpen(dst, src, n, n, 0.3) }},
		{"MixBytes of 3", func() { MixBytes(dst, srcs, weights) }},
		{"MixPlanes of 3", func() { MixPlanes(planes, srcs, weights, one, one) }},
		{"Warp, rotation", func() { Warp(dst, src, n, n, rotation, [4]uint8{}) }},
		{"Warp, rows sheared", func() { Warp(dst, src, n, n, &Affine{A: 1, B: 0.0437, E: 1}, [4]uint8{}) }},
		{"Warp, columns sheared", func() { Warp(dst, src, n, n, &Affine{A: 1, D: 0.0437, E: 1}, [4]uint8{}) }},
		{"PixAdd", func() { PixAdd(planes, src, 0.5, 0.002, 0.1) }},
		{"PixMultiply", func() { PixMultiply(planes, src, 0.5, 0.5) }},
		{"ScaleBias, number", func() { ScaleBias(planes[:n*n], planes[:n*n], 0.5, 0.5) }},
		{"Blend, number", func() { Blend(planes[:n*n], planes[:n*n], planes[n*n:2*n*n], 0.5, 0.5) }},
		{"PlanesToBytes", func() { PlanesToBytes(dst, planes) }},
		{"UnitToBytes", func() { UnitToBytes(dst, numbers[:3*n*n]) }},
		{"AddFour, number", func() { AddFour(words, words, words, words, words) }},
		{"SumPairs of 8 weights, number", func() { SumPairs(more[:n*n], numbers, lo, hi, w) }},
		{"SumTaps of 8 weights, number", func() { SumTaps(more[:n*n], numbers, lo, w) }},
		{"MatMul of 32 by 32, number", func() { MatMul(more, square, square, n, n) }},
		{"LerpRows, number", func() { LerpRows(more[:n*n], square, square, 0.3) }},
		{"AddStretched, number", func() { AddStretched(planes[:n*n], numbers, index, frac) }},
		{"Sin, number", func() { Sin(more[:n*n], square, 3, 1) }},
		{"SinCos, number", func() { SinCos(more[:n*n], more[n*n:2*n*n], square, 3) }},
		{"Angle, number", func() { Angle(more[:n*n], square, 0.3) }},
		{"ResizeRow of 4 weights", func() { ResizeRow(dst[:4*n*n/4], src, n*n, taps) }},
		{"ResizeColumns of 4 weights", func() { ResizeColumns(dst, src, starts, columns, 4) }},
		{"ScaleHSV", func() { ScaleHSV(dst, src, 2, 0.1, 0.1) }},
		{"YCCToRGB", func() { YCCToRGB(dst, src[:n*n], src[n*n:2*n*n], src[2*n*n:3*n*n]) }},
		{"RGBToYCC", func() { RGBToYCC(dst[:n*n], dst[n*n:2*n*n], dst[2*n*n:3*n*n], src) }},
	}, corruptionLoops(r, dst, src)...) {
		EachLevel(func(level string) {
			l.f()
			os.Stdout.WriteString("loop " + level + " " + l.name + "\n")
			mark()
			l.f()
			mark()
		})
	}
}
