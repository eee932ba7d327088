package conv

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/internal/cpu"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/racedetector"
)

// reference is a convolution as its definition says: meet gets every triple of an output, an input and a weight that meet,
// n at a time: the inputs follow each other, the weights lie KH·KW apart.
func reference(s Shape, meet func(out, in, w, n int)) {
	outH, outW := (s.H+2*s.Pad-s.KH)/s.Stride+1, (s.W+2*s.Pad-s.KW)/s.Stride+1
	in, out := s.In/s.Groups, s.Out/s.Groups
	for y := range outH {
		for x := range outW {
			for o := range s.Out {
				for ky := range s.KH {
					for kx := range s.KW {
						iy, ix := y*s.Stride+ky-s.Pad, x*s.Stride+kx-s.Pad
						if iy < 0 || iy >= s.H || ix < 0 || ix >= s.W {
							continue
						}
						meet((y*outW+x)*s.Out+o, (iy*s.W+ix)*s.In+o/out*in, (o*in*s.KH+ky)*s.KW+kx, in)
					}
				}
			}
		}
	}
}

// guarded returns n random numbers between two runs of a number that check finds changed. The memory is allocate's.
func guarded(r *rand.Rand, n int) (data []float32, check func() bool) {
	const guard, mark = 64, 12345.5
	all, behind := allocate(guard, n)
	for i := range all {
		all[i] = mark
	}
	data = all[guard : guard+n : guard+n]
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	return data, func() bool {
		for i := range guard {
			if all[i] != mark || i < behind && all[guard+n+i] != mark {
				return false
			}
		}
		return true
	}
}

// allocate returns memory for n numbers behind guard others, and before some others, the number of which it returns.
// A test replaces it by one whose memory ends where no reading is allowed.
var allocate = func(guard, n int) (all []float32, behind int) { return make([]float32, n+2*guard), guard }

// closeTo compares with a reference whose terms' magnitudes add up to size.
func closeTo(got []float32, want, size []float64) error {
	for i, g := range got {
		// A chain of n roundings of a sum is off by at most n 2^-24 times the sum of magnitudes; random ones by far
		// less.
		if d := math.Abs(float64(g) - want[i]); !(d <= 2e-6*size[i]+1e-30) {
			return fmt.Errorf("number %d is %v, want %v (off by %.3g of %.3g)", i, g, want[i], d, size[i])
		}
	}
	return nil
}

// checkShape compares the three passes with the reference.
func checkShape(s Shape, seed uint64, addBias, add bool) error {
	r := rand.New(rand.NewPCG(seed, 1))
	c := New(s)
	c.NeedInputGrad = true
	nOut := c.OutH() * c.OutW() * s.Out
	var checks []func() bool
	vec := func(n int) []float32 {
		d, check := guarded(r, n)
		checks = append(checks, check)
		return d
	}
	src, w, ddst := vec(s.H*s.W*s.In), vec(c.WeightLen()), vec(nOut)
	dst, dsrc, scratch := vec(nOut), vec(s.H*s.W*s.In), vec(c.Scratch())
	dw := vec(c.GradLen())
	var bias []float32
	if addBias {
		bias = vec(s.Out)
	}
	for i := range scratch {
		scratch[i] = float32(math.NaN())
	}
	type sum struct{ v, size []float64 }
	start := func(from []float32, keep bool) sum {
		t := sum{make([]float64, len(from)), make([]float64, len(from))}
		for i, v := range from {
			if keep {
				t.v[i], t.size[i] = float64(v), math.Abs(float64(v))
			}
		}
		return t
	}
	wantDst, wantSrc, wantW := start(dst, add), start(dsrc, add), start(w, false)
	if bias != nil {
		for i := range dst {
			wantDst.v[i] += float64(bias[i%s.Out])
			wantDst.size[i] += math.Abs(float64(bias[i%s.Out]))
		}
	}
	put := func(v, size *float64, p float64) {
		*v += p
		*size += math.Abs(p)
	}
	reference(s, func(o, i, k, n int) {
		grad := float64(ddst[o])
		for j := range n {
			x, weight := float64(src[i+j]), float64(w[k])
			put(&wantDst.v[o], &wantDst.size[o], x*weight)
			put(&wantSrc.v[i+j], &wantSrc.size[i+j], grad*weight)
			put(&wantW.v[k], &wantW.size[k], grad*x)
			k += s.KH * s.KW
		}
	})

	keepDst, keepSrc := append([]float32(nil), dst...), append([]float32(nil), dsrc...)
	c.Pack(w)
	c.Pack(w) // packing twice changes nothing
	c.Forward(dst, src, bias, add, 0, c.OutH(), scratch)
	if err := closeTo(dst, wantDst.v, wantDst.size); err != nil {
		return fmt.Errorf("Forward: %w", err)
	}
	c.InputGrad(dsrc, ddst, add, 0, s.H, scratch)
	if err := closeTo(dsrc, wantSrc.v, wantSrc.size); err != nil {
		return fmt.Errorf("InputGrad: %w", err)
	}
	// Rows in pieces give the same bits.
	pieces := func(n int, f func(y0, y1 int)) {
		for y := 0; y < n; {
			end := min(n, y+1+r.IntN(n))
			f(y, end)
			y = end
		}
	}
	pieces(c.OutH(), func(y0, y1 int) { c.Forward(keepDst, src, bias, add, y0, y1, scratch) })
	for i := range dst {
		if keepDst[i] != dst[i] {
			return fmt.Errorf("Forward in pieces: number %d is %v, in one %v", i, keepDst[i], dst[i])
		}
	}
	pieces(s.H, func(y0, y1 int) { c.InputGrad(keepSrc, ddst, add, y0, y1, scratch) })
	for i := range dsrc {
		if keepSrc[i] != dsrc[i] {
			return fmt.Errorf("InputGrad in pieces: number %d is %v, in one %v", i, keepSrc[i], dsrc[i])
		}
	}
	// The weight gradient adds to what is there.
	old := append([]float32(nil), dw...)
	pieces(c.OutH(), func(y0, y1 int) { c.WeightGrad(dw, src, ddst, y0, y1, scratch) })
	got, before := vec(len(w)), make([]float32, len(w))
	c.UnpackGrad(got, dw)
	c.UnpackGrad(before, old)
	for i, v := range before {
		wantW.v[i] += float64(v)
		wantW.size[i] += math.Abs(float64(v))
	}
	if err := closeTo(got, wantW.v, wantW.size); err != nil {
		return fmt.Errorf("WeightGrad: %w", err)
	}
	// A batch of images is the sum of its images.
	const batch = 3
	srcs, grads, one := vec(batch*len(src)), vec(batch*len(ddst)), vec(len(dw))
	clear(one)
	clear(dw)
	for i := range batch {
		c.WeightGrad(one, srcs[i*len(src):(i+1)*len(src)], grads[i*len(ddst):(i+1)*len(ddst)], 0, c.OutH(), scratch)
	}
	c.WeightGradEach(dw, srcs, grads, batch, scratch)
	if !slices.Equal(one, dw) {
		return errors.New("WeightGradEach gives other bits than image by image")
	}
	clear(dw)
	c.WeightGradBatch(dw, srcs, grads, batch, scratch)
	for i, v := range dw {
		if d := math.Abs(float64(v - one[i])); d > 1e-4*math.Sqrt(float64(c.OutH()*c.OutW())) {
			return fmt.Errorf("WeightGradBatch: number %d is %v, image by image %v", i, v, one[i])
		}
	}
	clear(one)
	c.WeightGradBatch(one, srcs, grads, batch, scratch)
	if !slices.Equal(one, dw) {
		return errors.New("WeightGradBatch gives other bits the second time")
	}
	for i, ok := range checks {
		if !ok() {
			return fmt.Errorf("buffer %d was written outside its bounds", i)
		}
	}
	return nil
}

// shapes are those of the papers' networks, smaller where size does not matter, and odd ones.
var shapes = []Shape{
	{H: 8, W: 8, In: 3, Out: 16, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 8, W: 8, In: 32, Out: 32, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 8, W: 8, In: 32, Out: 64, KH: 3, KW: 3, Stride: 2, Pad: 1, Groups: 1},
	{H: 8, W: 8, In: 32, Out: 64, KH: 1, KW: 1, Stride: 2, Pad: 0, Groups: 1},
	{H: 7, W: 7, In: 32, Out: 64, KH: 1, KW: 1, Stride: 2, Pad: 0, Groups: 1},
	{H: 6, W: 6, In: 48, Out: 12, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 5, W: 5, In: 342, Out: 171, KH: 1, KW: 1, Stride: 1, Pad: 0, Groups: 1},
	{H: 10, W: 10, In: 10, Out: 24, KH: 3, KW: 3, Stride: 1, Pad: 0, Groups: 1},
	{H: 23, W: 23, In: 3, Out: 64, KH: 7, KW: 7, Stride: 2, Pad: 3, Groups: 1},
	{H: 35, W: 35, In: 3, Out: 8, KH: 11, KW: 11, Stride: 4, Pad: 2, Groups: 1},
	{H: 9, W: 9, In: 16, Out: 10, KH: 1, KW: 1, Stride: 1, Pad: 1, Groups: 1},
	{H: 8, W: 8, In: 128, Out: 128, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 4},
	{H: 7, W: 7, In: 128, Out: 128, KH: 3, KW: 3, Stride: 2, Pad: 1, Groups: 32},
	{H: 9, W: 11, In: 24, Out: 24, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 6},
	{H: 5, W: 6, In: 8, Out: 8, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 2},
	{H: 7, W: 7, In: 48, Out: 48, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 48},
	{H: 7, W: 7, In: 6, Out: 12, KH: 5, KW: 5, Stride: 2, Pad: 2, Groups: 6},
	{H: 7, W: 7, In: 520, Out: 96, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 56, W: 56, In: 24, Out: 8, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1},
	{H: 4, W: 6, In: 5, Out: 7, KH: 1, KW: 1, Stride: 3, Pad: 2, Groups: 1},
	{H: 1, W: 1, In: 1, Out: 1, KH: 1, KW: 1, Stride: 1, Pad: 0, Groups: 1},
	{H: 2, W: 9, In: 4, Out: 6, KH: 2, KW: 4, Stride: 5, Pad: 0, Groups: 2},
	{H: 3, W: 3, In: 2, Out: 3, KH: 3, KW: 3, Stride: 1, Pad: 5, Groups: 1},
	{H: 8, W: 8, In: 36, Out: 36, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 2},
}

// eachLevel runs f for every instruction set of this processor.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	best := level
	defer func() { level = best }()
	for _, level = range cpu.Levels() {
		t.Run(level.String(), f)
	}
}

func TestShapes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for i, s := range shapes {
			if err := checkShape(s, uint64(i), i%2 == 0, i%3 == 0); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		}
	})
}

func TestRandomShapes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			groups := rapid.SampledFrom([]int{1, 1, 1, 2, 3, 4, 8}).Draw(r, "groups")
			s := Shape{
				KH: rapid.IntRange(1, 5).Draw(r, "kh"), KW: rapid.IntRange(1, 5).Draw(r, "kw"),
				In: groups * rapid.IntRange(1, 40).Draw(r, "in"), Out: groups * rapid.IntRange(1, 70).Draw(r, "out"),
				Stride: rapid.IntRange(1, 4).Draw(r, "stride"), Pad: rapid.IntRange(0, 3).Draw(r, "pad"),
				Groups: groups,
			}
			s.H = rapid.IntRange(max(1, s.KH-2*s.Pad), 12).Draw(r, "h")
			s.W = rapid.IntRange(max(1, s.KW-2*s.Pad), 12).Draw(r, "w")
			bias, add := rapid.Bool().Draw(r, "bias"), rapid.Bool().Draw(r, "add")
			if err := checkShape(s, 7, bias, add); err != nil {
				r.Fatalf("%+v: %v", s, err)
			}
		})
	})
}

func FuzzShapes(f *testing.F) {
	f.Add([]byte{8, 8, 3, 16, 3, 3, 1, 1, 1}, true, false)
	f.Add([]byte{7, 7, 32, 48, 1, 1, 2, 0, 1}, false, true)
	f.Add([]byte{5, 6, 3, 2, 2, 4, 3, 2, 7}, false, false)
	f.Fuzz(func(t *testing.T, b []byte, bias, add bool) {
		s, ok := fuzzedShape(b)
		if !ok {
			return
		}
		eachLevel(t, func(t *testing.T) {
			if err := checkShape(s, 3, bias, add); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		})
	})
}

// fuzzedShape makes a shape of bytes, if they give one. Shapes of more than 16 million products are left out: the plain loops
// that they are compared with take seconds, which a fuzzer calls hung.
func fuzzedShape(b []byte) (Shape, bool) {
	if len(b) < 9 {
		return Shape{}, false
	}
	in := func(i, most int) int { return int(b[i]) % most }
	groups := 1 + in(8, 9)
	s := Shape{
		H: 1 + in(0, 20), W: 1 + in(1, 20), In: groups * (1 + in(2, 60)), Out: groups * (1 + in(3, 60)),
		KH: 1 + in(4, 7), KW: 1 + in(5, 7), Stride: 1 + in(6, 6), Pad: in(7, 8), Groups: groups,
	}
	if s.H+2*s.Pad < s.KH || s.W+2*s.Pad < s.KW {
		return s, false
	}
	h, w := (s.H+2*s.Pad-s.KH)/s.Stride+1, (s.W+2*s.Pad-s.KW)/s.Stride+1
	return s, h*w*s.KH*s.KW*s.In/groups*s.Out <= 16<<20
}

func TestConcurrentCallsShareOnlyWeights(t *testing.T) {
	c := New(Shape{H: 9, W: 9, In: 20, Out: 24, KH: 3, KW: 3, Stride: 2, Pad: 1, Groups: 1})
	c.NeedInputGrad = true
	r := rand.New(rand.NewPCG(1, 2))
	w, _ := guarded(r, c.WeightLen())
	src, _ := guarded(r, c.H*c.W*c.In)
	grad, _ := guarded(r, c.OutH()*c.OutW()*c.Out)
	c.Pack(w)
	passes := func() (all []float32) {
		dst, dsrc := make([]float32, len(grad)), make([]float32, len(src))
		dw, scratch := make([]float32, c.GradLen()), make([]float32, c.Scratch())
		for range 20 {
			c.Forward(dst, src, nil, true, 0, c.OutH(), scratch)
			c.InputGrad(dsrc, grad, true, 0, c.H, scratch)
			c.WeightGrad(dw, src, grad, 0, c.OutH(), scratch)
		}
		return slices.Concat(dst, dsrc, dw)
	}
	want := passes()
	var got [4][]float32
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = passes() })
	}
	wg.Wait()
	for i := range got {
		if !slices.Equal(got[i], want) {
			t.Errorf("worker %d computes something else than one alone", i)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	eachLevel(t, func(t *testing.T) {
		c := New(Shape{H: 8, W: 8, In: 600, Out: 40, KH: 3, KW: 3, Stride: 2, Pad: 1, Groups: 1})
		c.NeedInputGrad = true
		w := make([]float32, c.WeightLen())
		c.Pack(w)
		src, dst := make([]float32, 2*c.H*c.W*c.In), make([]float32, 2*c.OutH()*c.OutW()*c.Out)
		dw, scratch := make([]float32, c.GradLen()), make([]float32, c.Scratch())
		one, grad := src[:len(src)/2], dst[:len(dst)/2]
		n := testing.AllocsPerRun(5, func() {
			c.Pack(w)
			c.Forward(grad, one, nil, false, 0, c.OutH(), scratch)
			c.InputGrad(one, grad, false, 0, c.H, scratch)
			c.WeightGrad(dw, one, grad, 0, c.OutH(), scratch)
			c.WeightGradBatch(dw, src, dst, 2, scratch)
			c.UnpackGrad(w, dw)
			Gemm(dw[:40*50], src[:40*30], w[:30*50], 40, 50, 30, false, true, true)
		})
		if n > 0 {
			t.Errorf("%v allocations, want none", n)
		}
	})
}

func TestMisuse(t *testing.T) {
	s := Shape{H: 4, W: 5, In: 4, Out: 6, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 2}
	with := func(f func(*Shape)) func() {
		t := s
		f(&t)
		return func() { New(t) }
	}
	c := New(s)
	src, dst, scratch := make([]float32, 80), make([]float32, 120), make([]float32, c.Scratch())
	w, dw := make([]float32, c.WeightLen()), make([]float32, c.GradLen())
	packed := New(s)
	packed.Pack(w)
	first := New(Shape{H: 4, W: 5, In: 3, Out: 6, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1})
	short := make([]float32, first.Scratch()-1)
	for name, f := range map[string]func(){
		"groups do not divide":  with(func(s *Shape) { s.Groups = 4 }),
		"no stride":             with(func(s *Shape) { s.Stride = 0 }),
		"negative padding":      with(func(s *Shape) { s.Pad = -1 }),
		"kernel above image":    with(func(s *Shape) { s.KH = 7 }),
		"gigantic image":        with(func(s *Shape) { s.H, s.W = 1<<20, 1<<20 }),
		"gigantic weights":      with(func(s *Shape) { s.In, s.Out = 1<<20, 1<<20 }),
		"weights too short":     func() { c.Pack(w[1:]) },
		"nothing packed":        func() { c.Forward(dst, src, nil, false, 0, 4, scratch) },
		"no input gradient":     func() { packed.InputGrad(src, dst, false, 0, 4, scratch) },
		"source too short":      func() { packed.Forward(dst, src[1:], nil, false, 0, 4, scratch) },
		"target too short":      func() { packed.Forward(dst[1:], src, nil, false, 0, 4, scratch) },
		"bias too short":        func() { packed.Forward(dst, src, dst[:5], false, 0, 4, scratch) },
		"rows outside":          func() { packed.Forward(dst, src, nil, false, 0, 5, scratch) },
		"rows backwards":        func() { packed.Forward(dst, src, nil, false, 3, 2, scratch) },
		"scratch too short":     func() { first.WeightGrad(dw, src[:60], dst, 0, 4, short) },
		"gradient too short":    func() { packed.WeightGrad(dw[1:], src, dst, 0, 4, scratch) },
		"batch of other length": func() { packed.WeightGradBatch(dw, src, dst, 2, scratch) },
		"unpacking too much":    func() { packed.UnpackGrad(dw, append(dw, 0)) },
		"matrix too short":      func() { Gemm(dst[:6], src[:6], w[:5], 2, 3, 3, false, false, false) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if msg, _ := recover().(string); !strings.HasPrefix(msg, "conv: ") {
					t.Errorf("it panics with %q, want a message of the package", msg)
				}
			}()
			f()
		})
	}
}
