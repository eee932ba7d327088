package conv

import (
	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/internal/detmath"
)

// An isa is an instruction set and how wide its vectors are. Its loops, tile and outer, are called through runTile
// and runOuter rather than from here, as arguments of unknown functions would have to be allocated.
type isa struct {
	level   cpu.Level
	lanes   int  // floats in a vector; weights are packed in panels of whole vectors
	vectors int  // most vectors in a panel
	half    *isa // for panels of at most half a vector; may be nil
	fours   bool // there is a loop for groups of four channels
	strips  bool // there is a loop for strips of pixels
}

// plainISA is the specification. Its panels are four columns wide, as many sums as detmath.FMA32x4 does at once.
var plainISA = isa{lanes: 4, vectors: 1}

// A tile is the work of one call of the inner loop of Forward and InputGrad: some pixels by one panel of columns.
//
//	c[cOff[p]+j] = (add: c[cOff[p]+j]) + (bias: bias[j])
//		+ sum over t, k of a[aOff[p]+taps[t].a+k] * b[(taps[t].b+k)*width+j]
//
// for all pixels p and columns j < cols <= width, width being vectors times the lanes of the instruction set. The sum
// is one chain of fused multiply-adds in the order of t and k that starts at zero; bias, then c are added at its end.
type tile struct {
	a          []float32
	aOff, cOff []int32 // one a pixel
	taps       []tap
	kc         int
	b          []float32
	c          []float32
	cols       int
	vectors    int
	bias       []float32 // nil: none
	add        bool
	fours      bool // groups of four channels; see [grouping]
	ahead      ahead
}

// A tap is where, from a pixel's beginning, kc floats lie, and in which row of b their weights begin.
type tap struct{ a, b int }

// An outer is the work of one call of the inner loop of WeightGrad: a sum of outer products over the pixels of
// images.
//
//	c[i*ldc+j] += sum over p < images, y < rows, x < n of
//		a[p*aPic+y*aRow+x*aStep+i] * b[p*bPic+y*bRow+x*bStep+j]
//
// for i < m and j < cols. The sum is one chain of fused multiply-adds in the order of p, y and x that starts at
// zero and is added to c.
type outer struct {
	a, b, c           []float32
	n, rows, images   int
	aStep, aRow, aPic int
	bStep, bRow, bPic int
	m, ldc            int
	cols              int
	vectors           int
	aheadA, aheadB    ahead
}

func tilePlain(t *tile) {
	for p := range t.aOff {
		var s [4]float32
		for _, tap := range t.taps {
			b := t.b[4*tap.b:]
			for _, x := range t.a[t.aOff[p]:][tap.a : tap.a+t.kc] {
				detmath.FMA32x4(&s, x, (*[4]float32)(b))
				b = b[4:]
			}
		}
		t.finish(p, &s)
	}
}

// finish adds what a tile starts from to the sums of pixel p and stores them.
func (t *tile) finish(p int, s *[4]float32) {
	c := t.c[t.cOff[p]:][:t.cols]
	for j := range c {
		v := s[j]
		if t.bias != nil {
			v += t.bias[j]
		}
		if t.add {
			v += c[j]
		}
		c[j] = v
	}
}

func outerPlain(o *outer) {
	for i := range o.m {
		var s [4]float32
		for y := range o.images * o.rows {
			p, row := y/o.rows, y%o.rows
			a, b := o.a[p*o.aPic+row*o.aRow+i:], o.b[p*o.bPic+row*o.bRow:]
			for x := range o.n {
				w := b[x*o.bStep:]
				if o.cols == 4 {
					detmath.FMA32x4(&s, a[x*o.aStep], (*[4]float32)(w))
					continue
				}
				for j, v := range w[:o.cols] {
					s[j] = detmath.FMA32(a[x*o.aStep], v, s[j])
				}
			}
		}
		for j := range o.cols {
			o.c[i*o.ldc+j] += s[j]
		}
	}
}
