package filter

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// Gauss is a Gaussian smoothing filter, separable and cut off, with the arithmetic of SciPy's gaussian_filter on
// float64 samples: weights exp(-i²/2σ²) for |i| <= trunc(truncate·σ + 0.5), normalized to sum 1; first along columns,
// then along rows; for each output the center term first, then the pairs from the farthest to the nearest, each pair
// added before it is multiplied. Parity: bit for bit with SciPy where its exp agrees in the last place.
//
// The zero Gauss is ready for Set. A Gauss owns buffers and is not safe for concurrent use.
type Gauss struct {
	sigma, truncate float64
	weights         []float64 // weights[k] for distance k
	line, rows, out []float64
	lo, hi          []int
	wide            wideScratch
}

// Set chooses the standard deviation sigma, in samples, and the number of standard deviations after which the kernel is
// cut off (4 in SciPy). A sigma at or below 1e-15 makes the filter an identity.
func (g *Gauss) Set(sigma, truncate float64) {
	if len(g.weights) > 0 && g.sigma == sigma && g.truncate == truncate {
		return
	}
	g.sigma, g.truncate = sigma, truncate
	r := 0
	if sigma > 1e-15 {
		r = int(float64(truncate*sigma) + 0.5)
	}
	g.setWeights(r)
	g.lo, g.hi = buffer.Resize(g.lo, r+1), buffer.Resize(g.hi, r+1)
}

// Radius returns the distance of the farthest sample that the filter looks at.
func (g *Gauss) Radius() int { return len(g.weights) - 1 }

// setWeights sets the weights for distances 0…r, normalized as NumPy normalizes the whole kernel.
func (g *Gauss) setWeights(r int) {
	if r == 0 {
		g.weights = append(g.weights[:0], 1)
		return
	}
	c := -0.5 / float64(g.sigma*g.sigma)
	full := buffer.Resize(g.line, 2*r+1)
	g.line = full
	for i := range full {
		full[i] = detmath.Exp(c * float64((i-r)*(i-r)))
	}
	sum := pairwiseSum(full)
	g.weights = buffer.Resize(g.weights, r+1)
	for k := range g.weights {
		g.weights[k] = full[r+k] / sum
	}
}

// pairwiseSum adds as NumPy adds a contiguous array: eight running sums over blocks of at most 128 numbers, blocks
// halved at a multiple of eight.
func pairwiseSum(a []float64) float64 {
	n := len(a)
	if n < 8 {
		s := 0.0
		for _, v := range a {
			s += v
		}
		return s
	}
	if n > 128 {
		h := n / 2
		h -= h % 8
		return pairwiseSum(a[:h]) + pairwiseSum(a[h:])
	}
	var r [8]float64
	copy(r[:], a)
	i := 8
	for ; i+8 <= n; i += 8 {
		for j := range r {
			r[j] += a[i+j]
		}
	}
	s := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < n; i++ {
		s += a[i]
	}
	return s
}

// Blur makes dst the smoothed src, channel by channel. dst takes the size of src and must not share its memory.
//
// A one-channel field whose sides are both below twice the radius is smoothed by matrices instead: the same numbers but
// for rounding in the last places, in time that does not grow with the radius.
func (g *Gauss) Blur(dst, src *Field, border Border) {
	dst.Reset(src.W, src.H, src.C)
	r, c := g.Radius(), src.C
	if r == 0 {
		copy(dst.Pix, src.Pix)
		return
	}
	if c == 1 && 2*r > src.W && 2*r > src.H {
		g.blurWide(dst, src, border)
		return
	}
	for y := range src.H {
		g.smooth(dst.row(y), src.Pix, y, src.W, src.H, c, src.H, border)
	}
}

// Image makes dst the smoothed src: bytes over 255, smoothed, are stored as [Field.ToImage] stores them. dst must not share
// memory with src. Only the rows in reach are there as numbers, for the sake of the caches.
func (g *Gauss) Image(dst, src *raster.Image, border Border) {
	dst.Reset(src.W, src.H)
	w, h, r := src.W, src.H, g.Radius()
	n, held, next := 3*w, min(2*r+1, h), 0
	g.rows, g.out = buffer.Resize(g.rows, held*n), buffer.Resize(g.out, n)
	for y := range h {
		for ; next < min(y+r+1, h); next++ {
			kernel.BytesToNumbers(g.rows[next%held*n:][:n], src.Pix[4*next*w:][:4*w], 255)
		}
		g.smooth(g.out, g.rows, y, w, h, 3, held, border)
		kernel.UnitToBytes(dst.Pix[4*y*w:][:4*w], g.out)
	}
}

// smooth makes dst row y of h rows of w pixels of c channels, smoothed. src holds some of the rows, row k at k modulo held.
func (g *Gauss) smooth(dst, src []float64, y, w, h, c, held int, border Border) {
	r, n := g.Radius(), w*c
	g.line = buffer.Resize(g.line, n+2*r*c)
	for k := range g.weights {
		g.lo[k] = border.At(y-k, h) % held * n
		g.hi[k] = border.At(y+k, h) % held * n
	}
	kernel.SumPairs(g.line[r*c:][:n], src, g.lo, g.hi, g.weights)
	padLine(g.line, r, c, w, border)
	for k := range g.weights {
		g.lo[k], g.hi[k] = (r-k)*c, (r+k)*c
	}
	kernel.SumPairs(dst, g.line, g.lo, g.hi, g.weights)
}

// padLine fills the r pixels of c channels on both sides of the w pixels that stand in the middle of line.
func padLine(line []float64, r, c, w int, border Border) {
	mid := line[r*c:][: w*c : w*c]
	for k := 1; k <= r; k++ {
		a, b := border.At(-k, w)*c, border.At(w-1+k, w)*c
		copy(line[(r-k)*c:][:c], mid[a:])
		copy(line[(r+w-1+k)*c:][:c], mid[b:])
	}
}
