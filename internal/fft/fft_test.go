package fft

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// source gives the same numbers on every machine, evenly spread over -2 to 2.
type source uint64

func (s *source) next() float64 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return float64(int64(*s)>>33) / (1 << 29)
}

func (s *source) fill(parts ...[]float64) {
	for _, p := range parts {
		for i := range p {
			p[i] = s.next()
		}
	}
}

var lengths = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 28, 30, 31, 35, 49, 64, 77, 97, 105, 128, 224, 243, 299}

// near fails the test unless two numbers agree as far as a transform of length n can.
func near(t *testing.T, what string, n, k int, got, want complex128) {
	t.Helper()
	if !(cmplx.Abs(got-want) <= 1e-12*float64(n)) {
		t.Fatalf("%s, length %d: element %d is %v, want %v", what, n, k, got, want)
	}
}

// Batches of all kinds of lengths against gonum's transform.
func TestBatch(t *testing.T) {
	var f Batch
	r := source(1)
	for _, n := range lengths {
		for _, batch := range []int{1, 3} {
			var x, y Plane
			x.Resize(n * batch)
			y.Resize(n * batch)
			r.fill(x.Re, x.Im)
			want := make([][]complex128, batch)
			for b := range want {
				want[b] = make([]complex128, n)
				for j := range n {
					want[b][j] = complex(x.Re[j*batch+b], x.Im[j*batch+b])
				}
				fourier.NewCmplxFFT(n).Sequence(want[b], want[b])
			}
			f.Set(n)
			got := f.Inverse(x, y, batch)
			for b := range want {
				for j, w := range want[b] {
					near(t, "batch", n, j, complex(got.Re[j*batch+b], got.Im[j*batch+b]), w)
				}
			}
		}
	}
}

// A Batch that has been set allocates nothing, whichever lengths it had before.
func TestBatchAllocs(t *testing.T) {
	var f Batch
	var x, y Plane
	x.Resize(105)
	y.Resize(105)
	run := func() {
		for _, n := range []int{105, 77, 64} {
			f.Set(n)
			f.Inverse(x.Part(0, n), y.Part(0, n), 1)
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The transform of rows and then columns against gonum's, and back.
func TestSquare(t *testing.T) {
	r := source(2)
	for _, n := range []int{1, 2, 4, 16, 64} {
		re, im := make([]float64, n*n), make([]float64, n*n)
		r.fill(re, im)
		before := make([]complex128, n*n)
		for i := range before {
			before[i] = complex(re[i], im[i])
		}
		want := make([]complex128, n*n)
		oracle, column := fourier.NewCmplxFFT(n), make([]complex128, n)
		for y := range n {
			oracle.Coefficients(want[y*n:][:n], before[y*n:][:n])
		}
		for x := range n {
			for y := range n {
				column[y] = want[y*n+x]
			}
			for y, v := range oracle.Coefficients(nil, column) {
				want[y*n+x] = v
			}
		}
		f := NewSquare(n)
		f.Forward(re, im)
		for i, w := range want {
			near(t, "forward", n*n, i, complex(re[i], im[i]), w)
		}
		f.Backward(re, im)
		for i, w := range before {
			near(t, "back", n*n, i, complex(re[i], im[i]), w)
		}
	}
}

func TestSquarePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"side 0":    func() { NewSquare(0) },
		"side 12":   func() { NewSquare(12) },
		"too few":   func() { NewSquare(4).Forward(make([]float64, 16), make([]float64, 15)) },
		"too many":  func() { NewSquare(4).Backward(make([]float64, 17), make([]float64, 16)) },
		"side 1023": func() { NewSquare(1023) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestLine(t *testing.T) {
	r := source(3)
	for _, n := range lengths {
		f := NewLine(n)
		s := f.Scratch()
		for range 2 {
			x := make([]complex128, n)
			for i := range x {
				x[i] = complex(r.next(), r.next())
			}
			want := fourier.NewCmplxFFT(n).Coefficients(nil, x)
			f.Forward(x, s)
			for k, w := range want {
				near(t, "line", n, k, x[k], w)
			}
		}
	}
}

// TestPinned holds the bits of the transforms whose results are in published images; no processor and no architecture
// may change them.
func TestPinned(t *testing.T) {
	h := fnv.New64a()
	put := func(parts ...[]float64) {
		for _, p := range parts {
			for _, v := range p {
				_ = binary.Write(h, binary.LittleEndian, math.Float64bits(v))
			}
		}
	}
	r := source(4)
	var b Batch
	for _, n := range lengths {
		var x, y Plane
		x.Resize(2 * n)
		y.Resize(2 * n)
		r.fill(x.Re, x.Im)
		b.Set(n)
		x = b.Inverse(x, y, 2)
		put(x.Re, x.Im)
	}
	if got, want := h.Sum64(), uint64(0xd17f029f6235ff44); got != want {
		t.Errorf("Batch: hash %#x, want %#x", got, want)
	}
	h.Reset()
	for _, n := range []int{1, 2, 4, 8, 32, 64} {
		re, im := make([]float64, n*n), make([]float64, n*n)
		r.fill(re, im)
		f := NewSquare(n)
		f.Forward(re, im)
		put(re, im)
		f.Backward(re, im)
		put(re, im)
	}
	if got, want := h.Sum64(), uint64(0x31ab5a162f3f900); got != want {
		t.Errorf("Square: hash %#x, want %#x", got, want)
	}
}

func BenchmarkBatch(b *testing.B) {
	var f Batch
	var x, y Plane
	const n, batch = 224, 113
	x.Resize(n * batch)
	y.Resize(n * batch)
	f.Set(n)
	for b.Loop() {
		f.Inverse(x, y, batch)
	}
}

func BenchmarkSquare(b *testing.B) {
	const n = 256
	f := NewSquare(n)
	re, im := make([]float64, n*n), make([]float64, n*n)
	for b.Loop() {
		f.Forward(re, im)
	}
}

func BenchmarkLine(b *testing.B) {
	f := NewLine(224)
	s, x := f.Scratch(), make([]complex128, 224)
	for b.Loop() {
		f.Forward(x, s)
	}
}
