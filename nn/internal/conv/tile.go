package conv

import "github.com/augmix-go/augmix/internal/cpu"

// An isa is an instruction set and how wide its vectors are. Its loops, tile and outer, are called through runTile
// and runOuter rather than from here, as arguments of unknown functions would have to be allocated.
type isa struct {
	level   cpu.Level
	lanes   int  // floats in a vector; weights are packed in panels of whole vectors
	vectors int  // most vectors in a panel
	half    *isa // for panels of at most half a vector; may be nil
}

// plainISA is the specification. Its panels are four columns wide: two pixels by four columns are eight sums, which
// the compiler keeps in registers.
var plainISA = isa{lanes: 4, vectors: 1}

// A tile is the work of one call of the inner loop of Forward and InputGrad: some pixels by one panel of columns.
//
//	c[cOff[p]+j] = (add: c[cOff[p]+j]) + (bias: bias[j])
//		+ sum over t, k of a[aOff[p]+taps[t].a+k] * b[(taps[t].b+k)*width+j]
//
// for all pixels p and columns j < cols <= width, width being vectors times the lanes of the instruction set. The sum
// is one chain in the order of t and k that starts at zero; bias, then c are added at its end.
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
// for i < m and j < cols. The sum is one chain in the order of p, y and x that starts at zero.
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
	for p := 0; p < len(t.aOff); p += 2 {
		last := min(p+1, len(t.aOff)-1) // an odd pixel is paired with itself
		a0, a1 := t.a[t.aOff[p]:], t.a[t.aOff[last]:]
		var s00, s01, s02, s03, s10, s11, s12, s13 float32
		for _, tap := range t.taps {
			r0, r1, b := a0[tap.a:tap.a+t.kc], a1[tap.a:tap.a+t.kc], t.b[4*tap.b:]
			r1 = r1[:len(r0)]
			for k, x0 := range r0 {
				x1, w := r1[k], b[:4]
				b = b[4:]
				s00 += x0 * w[0]
				s01 += x0 * w[1]
				s02 += x0 * w[2]
				s03 += x0 * w[3]
				s10 += x1 * w[0]
				s11 += x1 * w[1]
				s12 += x1 * w[2]
				s13 += x1 * w[3]
			}
		}
		t.finish(p, &[4]float32{s00, s01, s02, s03})
		if last > p {
			t.finish(last, &[4]float32{s10, s11, s12, s13})
		}
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
	for i := 0; i < o.m; i += 2 {
		pair := i+1 < o.m
		var s0, s1 [4]float32
		for y := range o.images * o.rows {
			p, row := y/o.rows, y%o.rows
			a, b := o.a[p*o.aPic+row*o.aRow+i:], o.b[p*o.bPic+row*o.bRow:]
			if pair && o.cols == 4 {
				outerRow(&s0, &s1, a, b, o.n, o.aStep, o.bStep)
				continue
			}
			for x := range o.n {
				for j, v := range b[x*o.bStep:][:o.cols] {
					s0[j] += a[x*o.aStep] * v
					if pair {
						s1[j] += a[x*o.aStep+1] * v
					}
				}
			}
		}
		for j := range o.cols {
			o.c[i*o.ldc+j] += s0[j]
			if pair {
				o.c[(i+1)*o.ldc+j] += s1[j]
			}
		}
	}
}

// outerRow adds a row of n pixels to two rows of four sums.
func outerRow(s0, s1 *[4]float32, a, b []float32, n, aStep, bStep int) {
	s00, s01, s02, s03 := s0[0], s0[1], s0[2], s0[3]
	s10, s11, s12, s13 := s1[0], s1[1], s1[2], s1[3]
	ia, ib := 0, 0
	for range n {
		p, w := a[ia:ia+2], b[ib:ib+4]
		x0, x1 := p[0], p[1]
		s00 += x0 * w[0]
		s01 += x0 * w[1]
		s02 += x0 * w[2]
		s03 += x0 * w[3]
		s10 += x1 * w[0]
		s11 += x1 * w[1]
		s12 += x1 * w[2]
		s13 += x1 * w[3]
		ia += aStep
		ib += bStep
	}
	*s0, *s1 = [4]float32{s00, s01, s02, s03}, [4]float32{s10, s11, s12, s13}
}
