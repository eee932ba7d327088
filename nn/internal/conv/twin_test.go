package conv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// passes returns what the three passes of a convolution and its gradient give at the level in use.
func passes(s Shape, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 2))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			if x[i] = float32(r.NormFloat64()); r.IntN(4) == 0 {
				x[i] = 0
			}
		}
		return x
	}
	c := New(s)
	c.NeedInputGrad = true
	w, bias := random(c.WeightLen()), random(s.Out)
	src, ddst := random(2*s.H*s.W*s.In), random(2*c.OutH()*c.OutW()*s.Out)
	dst, dsrc := random(len(ddst)/2), random(len(src)/2)
	scratch, dw, grad := make([]float32, c.Scratch()), make([]float32, c.GradLen()), make([]float32, len(w))
	c.Pack(w)
	c.Forward(dst, src[:len(dsrc)], bias, seed%2 == 0, 0, c.OutH(), scratch)
	c.InputGrad(dsrc, ddst[:len(dst)], seed%2 == 0, 0, s.H, scratch)
	c.WeightGrad(dw, src[:len(dsrc)], ddst[:len(dst)], 0, c.OutH(), scratch)
	c.WeightGradBatch(dw, src, ddst, 2, scratch)
	c.UnpackGrad(grad, dw)
	m := min(s.In, 70)
	product := make([]float32, m*(s.Out+2))
	Gemm(product[2*m:], src[:m], bias, m, s.Out, 1, false, false, false)
	for _, transB := range []bool{false, true} { // as many products of a row as fit, with sums of up to H*W*In terms
		k := len(src) / 2 / m
		Gemm(product[:2*m], src[:m*k], src[len(src)-2*k:], m, 2, k, false, transB, true)
	}
	return slices.Concat(dst, dsrc, grad, product)
}

// All levels give the same bits.
func TestTwins(t *testing.T) {
	all := slices.Clone(shapes)
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		g := 1 + r.IntN(9)*r.IntN(2)
		s := Shape{
			H: 4 + r.IntN(9), W: 4 + r.IntN(9), In: g * (1 + r.IntN(40)), Out: g * (2 + r.IntN(60)), KH: 1 + r.IntN(4),
			KW: 1 + r.IntN(4), Stride: 1 + r.IntN(3), Pad: r.IntN(3), Groups: g,
		}
		all = append(all, s)
	}
	want := make([][]float32, len(all))
	eachLevel(t, func(t *testing.T) {
		for i, s := range all {
			got := passes(s, uint64(i))
			if want[i] == nil {
				want[i] = got
			}
			if !slices.Equal(got, want[i]) {
				t.Errorf("%+v: other bits than plain Go", s)
			}
		}
	})
}

// Strips, of both instruction sets' widths, give the bits of tiles: with sums of several blocks, strides, and rows that end within a
// vector. Both directions have three channels in turn.
func TestStrips(t *testing.T) {
	all := []Shape{
		{H: 9, W: 40, In: 3, Out: 16, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 31, W: 43, In: 3, Out: 12, KH: 7, KW: 7, Stride: 2, Pad: 3, Groups: 1},
		{H: 40, W: 40, In: 3, Out: 8, KH: 11, KW: 11, Stride: 4, Pad: 2, Groups: 1},
		{H: 8, W: 8, In: 3, Out: 300, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 5, W: 21, In: 3, Out: 2100, KH: 1, KW: 2, Stride: 1, Pad: 0, Groups: 1},
		{H: 20, W: 17, In: 64, Out: 3, KH: 3, KW: 3, Stride: 1, Pad: 0, Groups: 1},
		{H: 24, W: 50, In: 64, Out: 3, KH: 9, KW: 9, Stride: 1, Pad: 4, Groups: 1},
	}
	want := make([][]float32, len(all))
	eachLevel(t, func(t *testing.T) {
		for i, s := range all {
			c := New(s)
			if strips := c.forward.turned+c.backward.turned > 0; strips != isas[level].strips {
				t.Errorf("%+v: strips %v", s, strips)
			}
			got := passes(s, uint64(i))
			if want[i] == nil {
				want[i] = got
			}
			if !slices.Equal(got, want[i]) {
				t.Errorf("%+v: other bits than plain Go", s)
			}
		}
	})
}

// FuzzTwins is TestTwins for shapes that nobody thought of.
func FuzzTwins(f *testing.F) {
	f.Add([]byte{8, 8, 3, 16, 3, 3, 1, 1, 0}, uint64(1))
	f.Add([]byte{4, 5, 13, 6, 2, 1, 1, 0, 1}, uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		s, ok := fuzzedShape(b)
		if !ok {
			return
		}
		var want []float32
		eachLevel(t, func(t *testing.T) {
			got := passes(s, seed)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v, seed %d: other bits than plain Go", s, seed)
			}
		})
	})
}
