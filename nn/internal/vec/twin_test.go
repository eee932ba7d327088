//go:build (amd64 || arm64) && !noasm

package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/cpu"
)

// same reports whether two numbers have the same bits, or are both no number.
func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// on runs f with an instruction set, and reports whether the processor has it.
func on(l cpu.Level, f func()) bool {
	old := level
	if l > old {
		return false
	}
	level = l
	defer func() { level = old }()
	f()
	return true
}

// value draws a number: now and then a zero of either sign, or one that makes sums cancel or underflow.
func value(r *rand.Rand) float32 {
	switch r.IntN(10) {
	case 0:
		return [...]float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-130, -0x1p-80, 3e30}[r.IntN(7)]
	case 1:
		return float32(r.IntN(7)-3) / 8
	}
	return float32(r.NormFloat64())
}

// TestTwins runs every loop on every instruction set against plain Go, which has to give the same bits: all channel
// counts around the vectors' widths, gaps between pixels, and canaries behind what may be written.
func TestTwins(t *testing.T) {
	if level == cpu.Plain {
		t.Skip("this machine has none, or AUGMIX_CPU is plain: there is no assembly to compare with plain Go")
	}
	for _, l := range cpu.Levels()[1:] {
		t.Run(l.String(), func(t *testing.T) {
			for _, c := range []int{1, 3, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 80, 108, 130} {
				for _, n := range []int{1, 2, 5, 16} {
					for _, gap := range []int{0, 5} {
						compareTwins(t, l, c, n, gap)
					}
				}
			}
			compareTwins(t, l, 130, 2020, 5) // in several runs
		})
	}
}

func compareTwins(t *testing.T, l cpu.Level, c, n, gap int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(c), uint64(n)))
	random := func(k int) []float32 {
		x := make([]float32, k)
		for i := range x {
			x[i] = value(r)
		}
		return x
	}
	s := c + gap
	x, dz, out, y := random(n*s), random(n*c), random(n*s), random(n*c)
	a, b, k := random(c), random(c), random(c)
	loops := map[string]func(z, o, sum, dot []float32){
		"affine":     func(_, o, _, _ []float32) { Affine(o, s, x, s, n, c, a, b, false) },
		"affine+":    func(_, o, _, _ []float32) { Affine(o, s, x, s, n, c, a, b, true) },
		"affineAdd":  func(z, o, _, _ []float32) { AffineAdd(o, s, x, s, z, c, n, c, a, b, false) },
		"affineAdd+": func(z, o, _, _ []float32) { AffineAdd(o, s, x, s, z, c, n, c, a, b, true) },
		"moments":    func(_, _, sum, dot []float32) { Moments(sum, dot, x, s, n, c) },
		"sums":       func(z, _, sum, dot []float32) { NormSums(sum, dot, z, x, s, n, c, a, b, k, false) },
		"sums+":      func(z, _, sum, dot []float32) { NormSums(sum, dot, z, x, s, n, c, a, b, k, true) },
		"grad":       func(z, o, _, _ []float32) { NormGrad(o, s, z, c, x, s, n, c, a, b, k, false) },
		"grad+":      func(z, o, _, _ []float32) { NormGrad(o, s, z, c, x, s, n, c, a, b, k, true) },
		"add":        func(z, _, _, _ []float32) { Add(z, y) },
		"addRows":    func(z, o, _, _ []float32) { AddRows(o, s, z, c, n, c) },
		"addScaled":  func(z, _, _, _ []float32) { AddScaled(z, y, 0.3) },
		"relu":       func(z, _, _, _ []float32) { ReLU(z) },
		"reluGrad":   func(z, _, _, _ []float32) { ReLUGrad(z, z, y) },
		"max":        func(z, _, _, _ []float32) { Max(z, y) },
		"maxIndex": func(z, o, _, _ []float32) {
			index := make([]uint16, n*c)
			MaxIndex(z, index, y, 513)
			MaxIndex(z, index, x[:n*c], 7)
			for i, k := range index {
				o[i] = float32(k)
			}
		},
		"sgd":       func(z, o, _, _ []float32) { SGD(o[:n*c], y, z, 0.1, 0.9, 5e-4, true, false) },
		"sgd first": func(z, o, _, _ []float32) { SGD(o[:n*c], y, z, 0.1, 0.9, 5e-4, false, true) },
		"gelu":      func(z, _, _, _ []float32) { Scale(z, 5); GELU(z, true) },
		"geluGrad":  func(z, o, _, _ []float32) { Scale(o, 5); GELUGrad(z, o[:n*c], true) },
	}
	for name, f := range loops {
		var got, want [4][]float32
		run := func(res *[4][]float32) {
			*res = [4][]float32{slices.Clone(dz), slices.Clone(out), make([]float32, c+1), make([]float32, c+1)}
			f(res[0], res[1], res[2][:c], res[3][:c])
		}
		on(cpu.Plain, func() { run(&want) })
		on(l, func() { run(&got) })
		for i := range got {
			for j, v := range got[i] {
				if w := want[i][j]; !same(v, w) {
					t.Fatalf("%s on %s of %d pixels, %d channels, gap %d: array %d element %d is %x, want %x",
						name, l, n, c, gap, i, j, v, w)
				}
			}
		}
	}
}

// FuzzTwins is TestTwins for channel counts, pixels and gaps that nobody thought of.
func FuzzTwins(f *testing.F) {
	f.Add(uint8(17), uint8(3), uint8(0))
	f.Add(uint8(64), uint8(1), uint8(7))
	f.Add(uint8(109), uint8(9), uint8(1))
	f.Fuzz(func(t *testing.T, c, n, gap uint8) {
		for _, l := range cpu.Levels()[1:] {
			compareTwins(t, l, 1+int(c), 1+int(n)%64, int(gap)%80)
		}
	})
}

func TestWinogradTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range cpu.Levels()[1:] {
		for _, c := range []int{8, 12, 16, 24, 32, 48, 128} {
			for _, n := range []int{1, 2, 5} {
				row, pos := (2*n+3)*c, n*c+4
				tiles, pix, bias := make([]float32, 16*pos), make([]float32, 4*row), make([]float32, c)
				for _, x := range [][]float32{tiles, pix, bias} {
					for i := range x {
						x[i] = value(r)
					}
				}
				for name, f := range map[string]func(tiles, pix []float32){
					"input":       func(v, p []float32) { WinogradInput(v, pos, p, row, n, c) },
					"output":      func(v, p []float32) { WinogradOutput(p, row, v, pos, n, c, bias, false) },
					"output add":  func(v, p []float32) { WinogradOutput(p, row, v, pos, n, c, bias, true) },
					"output grad": func(v, p []float32) { WinogradOutputGrad(v, pos, p, row, n, c) },
					"input grad":  func(v, p []float32) { WinogradInputGrad(p, row, v, pos, n, c) },
				} {
					var got, want [2][]float32
					run := func(to *[2][]float32) {
						*to = [2][]float32{append([]float32{}, tiles...), append([]float32{}, pix...)}
						f(to[0], to[1])
					}
					on(cpu.Plain, func() { run(&want) })
					on(l, func() { run(&got) })
					for i := range got {
						for j, v := range got[i] {
							if w := want[i][j]; !same(v, w) {
								t.Fatalf("%s on %s, %d tiles, %d channels: array %d element %d is %x, want %x",
									name, l, n, c, i, j, v, w)
							}
						}
					}
				}
			}
		}
	}
}

// TestTranspose compares all levels with the definition, at sizes around the block's, with gaps and canaries in them.
func TestTranspose(t *testing.T) {
	for _, l := range cpu.Levels() {
		on(l, func() {
			for _, rows := range []int{1, 3, 4, 7, 8, 9, 16, 21} {
				for _, cols := range []int{1, 7, 8, 9, 24, 29} {
					ds, ss := rows+2, cols+1
					src, dst := make([]float32, rows*ss), make([]float32, cols*ds)
					for i := range src {
						src[i] = float32(1 + i)
					}
					Transpose(dst, ds, src, ss, rows, cols)
					for k, got := range dst {
						want := float32(0)
						if i, j := k%ds, k/ds; i < rows {
							want = src[i*ss+j]
						}
						if got != want {
							t.Fatalf("%v, %d rows and %d columns: element %d is %v, want %v", l, rows, cols, k, got, want)
						}
					}
				}
			}
		})
	}
}

// TestKernelTwins compares the transforms of Winograd's kernels with plain Go.
func TestKernelTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 8, 15, 16, 40, 256} {
		plane, pos := n+3, n+5
		src := make([]float32, 16*pos)
		for i := range src {
			src[i] = value(r)
		}
		for _, l := range cpu.Levels()[1:] {
			for name, f := range map[string]func(dst []float32){
				"kernel":      func(dst []float32) { WinogradKernel(dst, pos, src, plane, n) },
				"kernel grad": func(dst []float32) { WinogradKernelGrad(dst, plane, src, pos, n) },
			} {
				got, want := make([]float32, 16*pos), make([]float32, 16*pos)
				on(cpu.Plain, func() { f(want) })
				if !on(l, func() { f(got) }) {
					continue
				}
				for i, v := range got {
					if !same(v, want[i]) {
						t.Fatalf("%s on %s of %d kernels: element %d is %x, want %x", name, l, n, i, v, want[i])
					}
				}
			}
		}
	}
}

// TestNaNPasses checks that the loops do not lose what tells a diverged training.
func TestNaNPasses(t *testing.T) {
	nan := float32(math.NaN())
	for _, l := range cpu.Levels() {
		on(l, func() {
			one, zero := []float32{1}, []float32{0}
			x := make([]float32, 32)
			fill := func() []float32 {
				for i := range x {
					x[i] = nan
				}
				return x
			}
			for name, f := range map[string]func(){
				"relu":   func() { ReLU(x) },
				"gelu":   func() { GELU(x, true) },
				"max":    func() { y := make([]float32, 32); Max(y, x); copy(x, y) },
				"affine": func() { Affine(x, 1, x, 1, 32, 1, one, zero, true) },
			} {
				fill()
				f()
				for i, v := range x {
					if v == v {
						t.Errorf("%s on %s: element %d is %v", name, l, i, v)
						break
					}
				}
			}
		})
	}
}

func BenchmarkLoops(b *testing.B) {
	const n, c = 1024, 32
	x, z, o := make([]float32, n*c), make([]float32, n*c), make([]float32, n*c)
	p := make([]float32, c)
	for name, f := range map[string]func(){
		"affine":   func() { Affine(o, c, x, c, n, c, p, p, true) },
		"moments":  func() { Moments(p, p, x, c, n, c) },
		"sums":     func() { NormSums(p, p, z, x, c, n, c, p, p, p, true) },
		"grad":     func() { NormGrad(o, c, z, c, x, c, n, c, p, p, p, true) },
		"add":      func() { Add(o, x) },
		"gelu":     func() { GELU(x, true) },
		"geluGrad": func() { GELUGrad(z, x, true) },
		"sgd":      func() { SGD(x, o, z, 0.1, 0.9, 5e-4, true, false) },
	} {
		for _, l := range cpu.Levels() {
			on(l, func() {
				b.Run(fmt.Sprintf("%s/%s", name, l), func(b *testing.B) {
					for range b.N {
						f()
					}
					b.ReportMetric(float64(n*c*b.N)/b.Elapsed().Seconds()/1e9, "Gfloat/s")
				})
			})
		}
	}
}
