package kernel

import "fmt"

// SumPairs sets dst[i] = w[0]*src[lo[0]+i] + Σ (src[lo[k]+i] + src[hi[k]+i])*w[k], k from the last down to 1, added in that
// order in float64: one pass of a symmetric filter. lo and hi are offsets into src, one for each weight; every window of
// len(dst) numbers from them lies within src. dst must not overlap the windows.
func SumPairs(dst, src []float64, lo, hi []int, w []float64) {
	if len(w) == 0 || len(lo) < len(w) || len(hi) < len(w) {
		panic(fmt.Sprintf("kernel: %d weights with %d and %d offsets", len(w), len(lo), len(hi)))
	}
	for k := range w {
		mustHold(src, lo[k], len(dst))
		mustHold(src, hi[k], len(dst))
	}
	for i := sumPairsVector(dst, src, lo, hi, w); i < len(dst); i++ {
		s := float64(src[lo[0]+i] * w[0])
		for k := len(w) - 1; k > 0; k-- {
			s += float64((src[lo[k]+i] + src[hi[k]+i]) * w[k])
		}
		dst[i] = s
	}
}

// SumTaps sets dst[i] to the sum of src[off[k]+i]*w[k], added from k = 0 on in float64: one pass of any filter. Every
// window of len(dst) numbers from an offset lies within src. dst must not overlap the windows.
func SumTaps(dst, src []float64, off []int, w []float64) {
	if len(off) < len(w) {
		panic(fmt.Sprintf("kernel: %d weights with %d offsets", len(w), len(off)))
	}
	for k := range w {
		mustHold(src, off[k], len(dst))
	}
	for i := sumTapsVector(dst, src, off, w); i < len(dst); i++ {
		s := 0.0
		for k, f := range w {
			s += float64(src[off[k]+i] * f)
		}
		dst[i] = s
	}
}

// mustHold panics unless src has n numbers from offset on.
func mustHold(src []float64, offset, n int) {
	if offset < 0 || offset > len(src)-n {
		panic(fmt.Sprintf("kernel: a window of %d numbers at %d in %d", n, offset, len(src)))
	}
}

// MatMul sets the m by w matrix dst to the product of the m by m matrix p and the m by w matrix q, all in row order; each
// sum runs over the columns of p from the first on, in float64. dst must not overlap p or q.
func MatMul(dst, p, q []float64, m, w int) {
	if len(p) < m*m || len(q) < m*w || len(dst) < m*w {
		panic(fmt.Sprintf("kernel: product of %d by %d numbers into %d for %dx%d", len(p), len(q), len(dst), m, w))
	}
	from := matMulVector(dst, p, q, m, w)
	for i := range m {
		for x := from; x < w; x++ {
			s := 0.0
			for k, u := range p[i*m:][:m] {
				s += float64(u * q[k*w+x])
			}
			dst[i*w+x] = s
		}
	}
}

// LerpRows sets dst[i] = a[i]*(1-f) + b[i]*f in float64. The slices have one length; dst may be a or b.
func LerpRows(dst, a, b []float64, f float64) {
	if len(a) != len(dst) || len(b) != len(dst) {
		panic(fmt.Sprintf("kernel: %d and %d numbers into %d", len(a), len(b), len(dst)))
	}
	e := 1 - f
	for i := lerpRowsVector(dst, a, b, e, f); i < len(dst); i++ {
		dst[i] = float64(a[i]*e) + float64(b[i]*f)
	}
}

// AddStretched adds to every sums[i] the number line[index[i]]*(1-frac[i]) + line[index[i]+1]*frac[i], computed in float64
// and rounded to float32. index does not fall and rises by at most one from element to element: a line stretched by a
// factor of at least 1. sums, index and frac have one length.
func AddStretched(sums []float32, line []float64, index []int32, frac []float64) {
	n := len(sums)
	if len(index) != n || len(frac) != n {
		panic(fmt.Sprintf("kernel: %d indices and %d weights for %d sums", len(index), len(frac), n))
	}
	if n == 0 {
		return
	}
	mustHold(line, int(index[0]), 2)
	mustHold(line, int(index[n-1]), 2)
	for i := addStretchedVector(sums, line, index, frac); i < n; i++ {
		p, u := line[index[i]:][:2:2], frac[i]
		sums[i] += float32(float64(p[0]*(1-u)) + float64(p[1]*u))
	}
}
