//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/cpu"
)

// atLevel runs f with no more than the given instruction set.
func atLevel(l cpu.Level, f func()) {
	old := level
	level = min(l, old)
	defer func() { level = old }()
	f()
}

// twins runs f on every instruction set of this processor and returns the result of plain Go and all others, by name.
func twins[T any](f func() T) (want T, got map[string]T) {
	atLevel(cpu.Plain, func() { want = f() })
	got = map[string]T{}
	for _, l := range cpu.Levels()[1:] {
		atLevel(l, func() { got[l.String()] = f() })
	}
	return want, got
}

func TestThereIsAssemblyToCompare(t *testing.T) {
	if level == cpu.Plain {
		t.Skip("this processor has no AVX2: there is no assembly to compare with plain Go")
	}
}

func mustEqual(t *testing.T, what string, n int, got, want []uint8) {
	t.Helper()
	if !bytes.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s of %d pixels: byte %d is %d, want %d", what, n, i, got[i], want[i])
			}
		}
	}
}

// FuzzTwins proves that assembly and plain Go give the same bytes for every loop but Warp, which FuzzWarp covers.
func FuzzTwins(f *testing.F) {
	for n := range 70 {
		f.Add(uint64(n), uint16(n), uint8(n*37), float32(n)/20, uint8(n))
	}
	f.Add(uint64(1), uint16(1024), uint8(128), float32(0.118), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, v uint8, factor float32, count uint8) {
		r := rand.New(rand.NewPCG(seed, 7))
		w, h := 1+int(size%67), 1+int(size/67%29)
		if factor != factor {
			return // every caller refuses a factor that is no number
		}
		n := w * h
		src := testImage(r, w, h)
		bytesOf := func(what string, f func(dst []uint8)) {
			want, got := twins(func() []uint8 {
				dst := make([]uint8, len(src))
				f(dst)
				return dst
			})
			for name, g := range got {
				mustEqual(t, what+" with "+name, n, g, want)
			}
		}
		var table Table
		for i := range table {
			table[i] = uint8(r.Uint32())
		}
		bytesOf("Lookup", func(dst []uint8) { Lookup(dst, src, &table) })
		bytesOf("Lookup in place", func(dst []uint8) { copy(dst, src); Lookup(dst, dst, &table) })
		bytesOf("And", func(dst []uint8) { And(dst, src, v) })
		bytesOf("InvertFrom", func(dst []uint8) { InvertFrom(dst, src, v) })
		bytesOf("Gray", func(dst []uint8) { Gray(dst, src) })
		bytesOf("ColorBlend", func(dst []uint8) { ColorBlend(dst, src, factor) })
		bytesOf("Sharpen", func(dst []uint8) { Sharpen(dst, src, w, h, factor) })

		type bounds struct{ lo, hi [3]uint8 }
		wantBounds, gotBounds := twins(func() bounds { lo, hi := MinMax(src); return bounds{lo, hi} })
		for name, b := range gotBounds {
			if b != wantBounds {
				t.Fatalf("MinMax of %d pixels with %s: %v, want %v", n, name, b, wantBounds)
			}
		}
		wantSum, gotSum := twins(func() uint64 { return LumaSum(src) })
		for name, sum := range gotSum {
			if sum != wantSum {
				t.Fatalf("LumaSum of %d pixels with %s: %d, want %d", n, name, sum, wantSum)
			}
		}

		k := 1 + int(count)%MaxMix
		srcs, weights := make([][]uint8, k), make([]float32, k)
		for i := range srcs {
			srcs[i], weights[i] = testImage(r, w, h), r.Float32()*2/float32(k)
			if seed%5 == 0 {
				weights[i] -= r.Float32()
			}
		}
		bytesOf("MixBytes", func(dst []uint8) { MixBytes(dst, srcs, weights) })
		scale, bias := [3]float32{r.Float32(), r.Float32(), 1}, [3]float32{r.Float32(), -r.Float32(), 0}
		wantPlanes, gotPlanes := twins(func() []float32 {
			dst := make([]float32, 3*n)
			MixPlanes(dst, srcs, weights, &scale, &bias)
			return dst
		})
		for name, p := range gotPlanes {
			if !slices.Equal(p, wantPlanes) {
				t.Fatalf("MixPlanes of %d pixels, %d images differs with %s", n, k, name)
			}
		}
	})
}

// FuzzFloatTwins proves the same for the float64 loops.
func FuzzFloatTwins(f *testing.F) {
	for n := range 70 {
		f.Add(uint64(n), uint8(n), uint8(n*5%23))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, taps uint8) {
		r := rand.New(rand.NewPCG(seed, 8))
		n, k := int(size), 1+int(taps%40)
		numbers := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64() * math.Ldexp(1, r.IntN(20)-10)
			}
			return v
		}
		same := func(what string, f func() []float64) {
			want, got := twins(f)
			for name, g := range got {
				if !slices.Equal(g, want) {
					t.Fatalf("%s of %d numbers, %d taps differs with %s", what, n, k, name)
				}
			}
		}
		src, w := numbers(n+50), numbers(k)
		lo, hi := make([]int, k), make([]int, k)
		for i := range lo {
			lo[i], hi[i] = r.IntN(51), r.IntN(51)
		}
		same("SumPairs", func() []float64 { d := make([]float64, n); SumPairs(d, src, lo, hi, w); return d })
		same("SumTaps", func() []float64 { d := make([]float64, n); SumTaps(d, src, lo, w); return d })
		p, q := numbers(k*k), numbers(k*n)
		same("MatMul", func() []float64 { d := make([]float64, k*n); MatMul(d, p, q, k, n); return d })
		same("LerpRows", func() []float64 { d := make([]float64, n); LerpRows(d, src[:n], src[50:], w[0]); return d })
		units := numbers(3 * n)
		wantBytes, gotBytes := twins(func() []uint8 { d := make([]uint8, 4*n); UnitToBytes(d, units); return d })
		for name, g := range gotBytes {
			mustEqual(t, "UnitToBytes with "+name, n, g, wantBytes)
		}
		words := make([]uint64, n+9)
		for i := range words {
			words[i] = r.Uint64()
		}
		wantWords, gotWords := twins(func() []uint64 {
			d := slices.Clone(words[:n])
			AddFour(d, words, words[1:], words[5:], words[9:])
			return d
		})
		for name, g := range gotWords {
			if !slices.Equal(g, wantWords) {
				t.Fatalf("AddFour of %d numbers differs with %s", n, name)
			}
		}
		index, frac := make([]int32, n), make([]float64, n)
		at := r.Int32N(3)
		for i := range index {
			index[i], frac[i] = at, r.Float64()
			at += r.Int32N(2)
		}
		same("AddStretched", func() []float64 {
			sums := make([]float32, n)
			for i := range sums {
				sums[i] = float32(i) / 7
			}
			AddStretched(sums, src[:min(len(src), int(at)+2+int(seed%20))], index, frac)
			d := make([]float64, n)
			for i, v := range sums {
				d[i] = float64(v)
			}
			return d
		})
	})
}

// TestTwinsOfShortAndUnalignedImages goes through all lengths about the sizes of registers, at odd addresses, with the extreme
// values of parameters.
func TestTwinsOfShortAndUnalignedImages(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	var table Table
	for i := range table {
		table[i] = uint8(r.Uint32())
	}
	for n := range 101 {
		src := append([]uint8{0}, testImage(r, n, 1)...)[1:]
		for name, f := range map[string]func(dst []uint8){
			"Lookup":               func(dst []uint8) { Lookup(dst, src, &table) },
			"And 0":                func(dst []uint8) { And(dst, src, 0) },
			"And 255":              func(dst []uint8) { And(dst, src, 255) },
			"InvertFrom 0":         func(dst []uint8) { InvertFrom(dst, src, 0) },
			"InvertFrom 255":       func(dst []uint8) { InvertFrom(dst, src, 255) },
			"Gray":                 func(dst []uint8) { Gray(dst, src) },
			"ColorBlend 0":         func(dst []uint8) { ColorBlend(dst, src, 0) },
			"ColorBlend 1e30":      func(dst []uint8) { ColorBlend(dst, src, 1e30) },
			"Sharpen -1e30, rows":  func(dst []uint8) { Sharpen(dst[:n/3*12], src[:n/3*12], n/3, 3, -1e30) },
			"Sharpen 1.9, columns": func(dst []uint8) { Sharpen(dst[:n/3*12], src[:n/3*12], 3, n/3, 1.9) },
		} {
			want, got := twins(func() []uint8 {
				dst := make([]uint8, 3+4*n)
				f(dst[3:])
				return dst
			})
			for level, g := range got {
				mustEqual(t, name+" with "+level, n, g, want)
			}
		}
	}
}

// TestLookupsOfAllValues: every value of every channel, through a table with the same value nowhere twice in a channel.
func TestLookupsOfAllValues(t *testing.T) {
	var table Table
	src := make([]uint8, 4*256)
	for i := range 256 {
		table[i], table[256+i], table[512+i] = uint8(i*7+3), uint8(i*101+50), uint8(255-i)
		copy(src[4*i:], []uint8{uint8(i), uint8(i + 85), uint8(i * 3), 255})
	}
	EachLevel(func(name string) {
		dst := make([]uint8, len(src))
		Lookup(dst, src, &table)
		for i := 0; i < len(src); i += 4 {
			want := []uint8{table[src[i]], table[256+int(src[i+1])], table[512+int(src[i+2])], 255}
			mustEqual(t, "Lookup with "+name, i/4, dst[i:i+4], want)
		}
	})
}
