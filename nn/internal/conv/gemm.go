package conv

import (
	"fmt"
	"math"
	"sync"

	"github.com/augmix-go/augmix/nn/internal/vec"
)

// Gemm computes dst = a b, or with add dst += a b, for matrices stored row by row without gaps: dst is m by n, a is m
// by k (with transA k by m), b is k by n (with transB n by k). dst must not overlap a or b. It panics if a length
// does not fit. An element is made of sums of gemmTerms products each, added up in order: its bits do not depend on m and n,
// nor on transB. It allocates nothing but working memory that later calls use again.
func Gemm(dst, a, b []float32, m, n, k int, transA, transB, add bool) {
	if m < 0 || n < 0 || k < 0 || len(dst) != m*n || len(a) != m*k || len(b) != k*n {
		panic(fmt.Sprintf("conv: Gemm: %d numbers from %d and %d for m = %d, n = %d, k = %d",
			len(dst), len(a), len(b), m, n, k))
	}
	if max(m, n, k) > math.MaxInt32/maxRows {
		panic(fmt.Sprintf("conv: Gemm: m = %d, n = %d, k = %d", m, n, k))
	}
	if m == 0 || n == 0 {
		return
	}
	if !add && (k == 0 || transA) { // the inner loop for a transposed a can only add
		clear(dst)
	}
	if k == 0 {
		return
	}
	w := works.Get().(*gemmWork)
	defer works.Put(w)
	g := gemm{dst: dst, a: a, b: b, m: m, n: n, k: k, transB: transB, add: add}
	cols, do := n, g.tiles
	switch {
	case transA:
		do = g.outer
	case transB && n > m: // packing a costs less than packing b
		cols, do = m, g.turned
	}
	for i := 0; ; i++ {
		p, ok := panelAt(i, cols, 1, isas[level])
		if !ok {
			return
		}
		do(w, p)
	}
}

type gemm struct {
	dst, a, b   []float32
	m, n, k     int
	transB, add bool
}

const (
	// gemmTerms is how many rows of b are packed at a time: a panel of them, 48 KiB, is used from the second-level
	// cache at the latest.
	gemmTerms = 256
	// maxRows is how many rows of a are multiplied at a time.
	maxRows = 64
	// maxWidth is the widest panel of any instruction set.
	maxWidth = 48
)

// gemmWork is working memory: rows of a panel, a block of dst turned, and where rows begin.
type gemmWork struct {
	panel      []float32
	block      [maxRows * maxWidth]float32
	aOff, cOff [maxRows]int32
}

var works = sync.Pool{New: func() any { return new(gemmWork) }}

// rows returns memory for rows of a panel.
func (w *gemmWork) rows(rows int, p panel) []float32 {
	if n := rows * p.width; len(w.panel) < n {
		w.panel = make([]float32, n)
	}
	return w.panel[:rows*p.width]
}

// offsets notes where the rows of matrices with rows of so many floats begin.
func (w *gemmWork) offsets(a, c int) {
	for i := range maxRows {
		w.aOff[i], w.cOff[i] = int32(i*a), int32(i*c)
	}
}

// packMatrix copies the columns of a panel from rows of n floats.
func packMatrix(dst, src []float32, n int, p panel) {
	if p.cols < p.width {
		clear(dst)
	}
	for at := p.col; len(dst) > 0; at += n {
		copy(dst[:p.cols], src[at:])
		dst = dst[p.width:]
	}
}

// packTransposed copies terms floats, from float k0 on, of rows of k floats: rows p.col and the next become the
// columns of a panel.
func packTransposed(dst, src []float32, k, k0, terms int, p panel) {
	if p.cols < p.width {
		clear(dst)
	}
	vec.Transpose(dst, p.width, src[p.col*k+k0:], k, p.cols, terms)
}

// pack packs rows k0 to k0+terms of a panel of b.
func (g *gemm) pack(w *gemmWork, p panel, k0, terms int) []float32 {
	dst := w.rows(terms, p)
	if g.transB {
		packTransposed(dst, g.b, g.k, k0, terms, p)
	} else {
		packMatrix(dst, g.b[k0*g.n:], g.n, p)
	}
	return dst
}

// tiles makes the columns of a panel of dst from the rows of a.
func (g *gemm) tiles(w *gemmWork, p panel) {
	w.offsets(g.k, g.n)
	for k0 := 0; k0 < g.k; k0 += gemmTerms {
		terms := min(gemmTerms, g.k-k0)
		t := tile{
			taps: firstTap[:], kc: terms, b: g.pack(w, p, k0, terms), cols: p.cols, vectors: p.vectors,
			add: g.add || k0 > 0,
		}
		for i := 0; i < g.m; i += maxRows {
			n := min(maxRows, g.m-i)
			t.a, t.aOff = g.a[i*g.k+k0:], w.aOff[:n]
			t.c, t.cOff = g.dst[i*g.n+p.col:], w.cOff[:n]
			runTile(p.isa, &t)
		}
	}
}

var firstTap [1]tap

// turned makes the rows of a panel of dst, whose columns are rows of a, from the rows of b: the transposed product,
// block by block.
func (g *gemm) turned(w *gemmWork, p panel) {
	w.offsets(g.k, p.width)
	b := w.rows(g.k, p)
	packTransposed(b, g.a, g.k, 0, g.k, p)
	t := tile{taps: firstTap[:], c: w.block[:], cols: p.cols, vectors: p.vectors}
	for i := 0; i < g.n; i += maxRows {
		n := min(maxRows, g.n-i)
		t.aOff, t.cOff = w.aOff[:n], w.cOff[:n]
		dst := g.dst[p.col*g.n+i:]
		if g.add {
			for j := range p.cols {
				for r, v := range dst[j*g.n:][:n] {
					w.block[r*p.width+j] = v
				}
			}
		}
		t.ahead = aheadOf(g.b[i*g.k:], n*g.k, 4*n*g.k, ceilDiv(n, 8)*(g.k/4))
		for k0 := 0; k0 < g.k; k0 += gemmTerms { // the sums of tiles
			t.kc, t.add = min(gemmTerms, g.k-k0), g.add || k0 > 0
			t.a, t.b = g.b[i*g.k+k0:], b[k0*p.width:]
			runTile(p.isa, &t)
		}
		for j := range p.cols {
			for r := range dst[j*g.n:][:n] {
				dst[j*g.n+r] = w.block[r*p.width+j]
			}
		}
	}
}

// outer adds to the columns of a panel of dst, for a transposed a.
func (g *gemm) outer(w *gemmWork, p panel) {
	for k0 := 0; k0 < g.k; k0 += gemmTerms {
		terms := min(gemmTerms, g.k-k0)
		o := outer{
			a: g.a[k0*g.m:], c: g.dst[p.col:], n: terms, rows: 1, images: 1,
			aStep: g.m, bStep: g.n, m: g.m, ldc: g.n, cols: p.cols, vectors: p.vectors,
		}
		if g.transB {
			o.b, o.bStep = g.pack(w, p, k0, terms), p.width
		} else {
			o.b = g.b[k0*g.n+p.col:]
		}
		runOuter(p.isa, &o)
	}
}
