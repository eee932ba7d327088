package winograd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn/internal/conv"
)

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// shapes have even and odd sizes, all paddings, and more than one chunk.
var shapes = []conv.Shape{
	{H: 8, W: 8, In: 16, Out: 32, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 7, W: 9, In: 32, Out: 16, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 4, W: 5, In: 16, Out: 32, KH: 3, KW: 3, Stride: 1, Pad: 0, Groups: 1},
	{H: 5, W: 3, In: 48, Out: 16, KH: 3, KW: 3, Stride: 1, Pad: 2, Groups: 1},
	{H: 2, W: 2, In: 32, Out: 16, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 24, W: 20, In: 96, Out: 160, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 29, W: 30, In: 160, Out: 128, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1}, // more than kernelFloats, and spans of 7, 7 and 1
}

// TestSpans computes as many rows of tiles at once as a sum goes over, and more: the bits are the same.
func TestSpans(t *testing.T) {
	s := shapes[len(shapes)-1]
	r := rand.New(rand.NewPCG(1, 3))
	w, src := random(r, 9*s.In*s.Out), random(r, s.H*s.W*s.In)
	ddst := random(r, s.H*s.W*s.Out)
	var results [2][]float32
	for i, floats := range []int{0, spanFloats} {
		c := plan(s, floats)
		if c.span == c.chunk != (i == 0) {
			t.Fatalf("%d rows of tiles at a time, %d a sum", c.span, c.chunk)
		}
		c.NeedInputGrad = true
		c.Pack(w)
		scratch := make([]float32, c.Scratch())
		dst, dsrc, dw := make([]float32, len(ddst)), make([]float32, len(src)), make([]float32, c.GradLen())
		c.Forward(dst, src, nil, false, 0, 1, scratch)
		c.Backward(dw, dsrc, src, ddst, false, scratch)
		results[i] = slices.Concat(dst, dsrc, dw)
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("spans of several chunks give other numbers")
	}
}

// TestAgainstDirect compares all passes with package conv, which is tested against naive sums.
func TestAgainstDirect(t *testing.T) {
	for _, s := range shapes {
		for _, add := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v/%v", s, add), func(t *testing.T) { compare(t, s, add) })
		}
	}
}

// TestImages compares several images at once with one by one: more than go at once, with and without adding.
func TestImages(t *testing.T) {
	s := conv.Shape{H: 5, W: 6, In: 160, Out: 128, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1}
	c := New(s)
	c.NeedInputGrad = true
	n := c.Images() + 2
	r := rand.New(rand.NewPCG(1, 4))
	c.Pack(random(r, 9*s.In*s.Out))
	in, out := s.H*s.W*s.In, s.H*s.W*s.Out
	src, ddst, bias := random(r, n*in), random(r, n*out), random(r, s.Out)
	scratch := make([]float32, c.Scratch())
	for _, add := range []bool{false, true} {
		dst, dsrc := random(r, n*out), random(r, n*in)
		wantDst, wantSrc := slices.Clone(dst), slices.Clone(dsrc)
		dw, wantDW := make([]float32, c.GradLen()), make([]float32, c.GradLen())
		c.ForwardImages(dst, src, bias, add, n, scratch)
		c.BackwardImages(dw, dsrc, src, ddst, add, n, scratch)
		c.BackwardImages(nil, dsrc, nil, ddst, add, n, scratch)
		c.BackwardImages(dw, nil, src, ddst, add, n, scratch)
		for range 2 {
			for i := range n {
				c.Backward(wantDW, nil, src[i*in:(i+1)*in], ddst[i*out:(i+1)*out], add, scratch)
			}
			for i := range n {
				c.Backward(nil, wantSrc[i*in:(i+1)*in], nil, ddst[i*out:(i+1)*out], add, scratch)
			}
		}
		for i := range n {
			c.Forward(wantDst[i*out:(i+1)*out], src[i*in:(i+1)*in], bias, add, 0, 1, scratch)
		}
		if !slices.Equal(dst, wantDst) || !slices.Equal(dsrc, wantSrc) || !slices.Equal(dw, wantDW) {
			t.Errorf("add %v: other numbers than image by image", add)
		}
	}
}

func compare(t *testing.T, s conv.Shape, add bool) {
	r := rand.New(rand.NewPCG(1, uint64(s.H)))
	fast, direct := New(s), conv.New(s)
	fast.NeedInputGrad, direct.NeedInputGrad = true, true
	w, bias := random(r, 9*s.In*s.Out), random(r, s.Out)
	fast.Pack(w)
	direct.Pack(w)
	n := direct.OutH() * direct.OutW() * s.Out
	src, ddst := random(r, s.H*s.W*s.In), random(r, n)
	scratch, other := random(r, fast.Scratch()), make([]float32, direct.Scratch())

	got, want := random(r, n), make([]float32, n)
	copy(want, got)
	for part := range 3 {
		fast.Forward(got, src, bias, add, part, 3, scratch)
	}
	direct.Forward(want, src, bias, add, 0, direct.OutH(), other)
	near(t, "result", got, want)

	got = random(r, len(src))
	want = append([]float32{}, got...)
	dw, sums := make([]float32, fast.GradLen()), make([]float32, direct.GradLen())
	fast.Backward(dw, got, src, ddst, add, scratch)
	direct.InputGrad(want, ddst, add, 0, s.H, other)
	direct.WeightGrad(sums, src, ddst, 0, direct.OutH(), other)
	near(t, "input gradient", got, want)
	dg, dgWant := make([]float32, len(w)), make([]float32, len(w))
	fast.UnpackGrad(dg, dw)
	direct.UnpackGrad(dgWant, sums)
	near(t, "weight gradient", dg, dgWant)
	fast.Backward(nil, got, src, ddst, false, scratch)
	direct.InputGrad(want, ddst, false, 0, s.H, other)
	near(t, "input gradient alone", got, want)
}

func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	var top, worst float64
	for i, v := range want {
		top = max(top, math.Abs(float64(v)))
		worst = max(worst, math.Abs(float64(v-got[i])))
	}
	if !(worst <= 4e-6*top) {
		t.Fatalf("%s is %v of the largest value off", what, worst/top)
	}
}

func BenchmarkPasses(b *testing.B) {
	for _, s := range []conv.Shape{
		{H: 32, W: 32, In: 16, Out: 32, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 32, W: 32, In: 32, Out: 32, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 16, W: 16, In: 64, Out: 64, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 8, W: 8, In: 128, Out: 128, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 32, W: 32, In: 96, Out: 96, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 16, W: 16, In: 192, Out: 192, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 56, W: 56, In: 64, Out: 64, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 28, W: 28, In: 128, Out: 128, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 14, W: 14, In: 256, Out: 256, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
		{H: 7, W: 7, In: 512, Out: 512, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		fast, direct := New(s), conv.New(s)
		fast.NeedInputGrad, direct.NeedInputGrad = true, true
		w := random(r, 9*s.In*s.Out)
		fast.Pack(w)
		direct.Pack(w)
		// Several images, as a training step has, so that they do not stay in the cache.
		const images = 8
		n, m := s.H*s.W*s.In, s.H*s.W*s.Out
		src, dst := random(r, images*n), random(r, images*m)
		dsrc, dw := make([]float32, n), make([]float32, max(fast.GradLen(), direct.GradLen()))
		scratch := make([]float32, max(fast.Scratch(), direct.Scratch()))
		flops := 18 * float64(s.In*s.Out*s.H*s.W) / 1e9
		for _, f := range []struct {
			name  string
			flops float64
			run   func(x, y []float32)
		}{
			{"forward/fast", flops, func(x, y []float32) { fast.Forward(y, x, nil, false, 0, 1, scratch) }},
			{"forward/direct", flops, func(x, y []float32) { direct.Forward(y, x, nil, false, 0, s.H, scratch) }},
			{"backward/fast", 2 * flops, func(x, y []float32) {
				fast.Backward(dw[:fast.GradLen()], dsrc, x, y, false, scratch)
			}},
			{"backward/direct", 2 * flops, func(x, y []float32) {
				direct.WeightGrad(dw[:direct.GradLen()], x, y, 0, s.H, scratch)
				direct.InputGrad(dsrc, y, false, 0, s.H, scratch)
			}},
		} {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", s.H, s.In, s.Out, f.name), func(b *testing.B) {
				for i := range b.N {
					i %= images
					f.run(src[i*n:(i+1)*n], dst[i*m:(i+1)*m])
				}
				// Operations of the direct sum, whichever algorithm runs.
				b.ReportMetric(f.flops*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
			})
		}
	}
}
