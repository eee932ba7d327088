package fft

import "fmt"

// Square transforms complex arrays of n by n in place, by radix-2 steps in a fixed order of unfused operations, so that
// the bits are the same everywhere. Methods only read it: calls may run at the same time.
type Square struct {
	n       int
	turn    []root // n-th roots of unity
	reverse []int32
}

// NewSquare prepares the transform of side n. It panics unless n is a power of two.
func NewSquare(n int) *Square {
	if n < 1 || n&(n-1) != 0 {
		panic(fmt.Sprintf("fft: side %d is not a power of two", n))
	}
	f := &Square{n: n, turn: roots(nil, n), reverse: make([]int32, n)}
	for i := 1; i < n; i++ {
		f.reverse[i] = f.reverse[i>>1] >> 1
		if i&1 != 0 {
			f.reverse[i] |= int32(n >> 1)
		}
	}
	return f
}

// line transforms re, im in place; sign is -1 forward, +1 backward. It does not scale.
func (f *Square) line(re, im []float64, sign float64) {
	n := f.n
	re, im = re[:n], im[:n]
	for i, j := range f.reverse {
		if int(j) > i {
			re[i], re[j] = re[j], re[i]
			im[i], im[j] = im[j], im[i]
		}
	}
	for half := 1; half < n; half *= 2 {
		step := n / (2 * half)
		for k := range half {
			c, s := f.turn[k*step].re, sign*f.turn[k*step].im
			for i := k; i < n; i += 2 * half {
				j := i + half
				tr := float64(re[j]*c) - float64(im[j]*s)
				ti := float64(re[j]*s) + float64(im[j]*c)
				re[j], im[j] = re[i]-tr, im[i]-ti
				re[i], im[i] = re[i]+tr, im[i]+ti
			}
		}
	}
}

// Forward replaces x, element (col, row) at row·n+col, by X[u, v] = Σ x[col, row]·exp(-2πi·(u·col+v·row)/n). re and im
// are its real and imaginary parts.
func (f *Square) Forward(re, im []float64) { f.transform(re, im, -1) }

// Backward is the inverse of [Square.Forward]: the transform with +2πi, divided by n².
func (f *Square) Backward(re, im []float64) {
	f.transform(re, im, +1)
	k := 1 / float64(f.n*f.n)
	for i := range re {
		re[i] *= k
		im[i] *= k
	}
}

// transform does all rows and then all columns. It does not scale.
func (f *Square) transform(re, im []float64, sign float64) {
	n := f.n
	if len(re) != n*n || len(im) != n*n {
		panic(fmt.Sprintf("fft: %d and %d numbers for side %d", len(re), len(im), n))
	}
	for range 2 {
		for y := range n {
			f.line(re[y*n:], im[y*n:], sign)
		}
		f.transpose(re)
		f.transpose(im)
	}
}

// transpose exchanges rows and columns, in squares that fit the cache.
func (f *Square) transpose(v []float64) {
	const tile = 16
	n := f.n
	for y0 := 0; y0 < n; y0 += tile {
		for x0 := y0; x0 < n; x0 += tile {
			for y := y0; y < min(y0+tile, n); y++ {
				for x := max(x0, y+1); x < min(x0+tile, n); x++ {
					v[y*n+x], v[x*n+y] = v[x*n+y], v[y*n+x]
				}
			}
		}
	}
}
