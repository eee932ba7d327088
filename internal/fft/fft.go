// Package fft holds the discrete Fourier transforms of the project:
//
//   - [Batch]: many signals that lie side by side, any length, backward. For the noise of package corrupt/cbar and the
//     mix apr, where a transform is most of the work.
//   - [Square]: the two-dimensional transform, in place, of sides that are powers of two, forward and backward. For
//     generated mixing sets.
//   - [Line]: one signal of any length, forward. For the Hartley transform of package fvis, beside which a network runs.
//
// There are three because the last bits of a transform reach the bytes of images, which must not change, and each rounds
// in an order of its own:
//
//   - Batch adds before it multiplies by roots of unity (decimation in frequency), takes factors of four first, and sums
//     the terms of an odd factor in pairs.
//   - Square and Line multiply before they add (decimation in time), Square by two and two, Line by the prime factors
//     from the smallest.
//   - For powers of two Line rounds as Square does, where the compiler does not fuse. It takes more than twice the time
//     (length 256), because it cannot work in place. Square cannot take the place of Line, whose lengths are the sides of
//     photographs: 224, 299.
//
// What they share are the roots of unity, from package detmath.
//
// They are not gonum's transforms, which may round differently on processors that fuse a multiplication and an addition,
// and which allocate.
package fft

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
)

// root is exp(i·angle).
type root struct{ re, im float64 }

// roots returns exp(2πi·k/n) for k below n, in the memory of dst where that suffices.
func roots(dst []root, n int) []root {
	dst = buffer.Resize(dst, n)
	for k := range dst {
		a := 2 * math.Pi * float64(k) / float64(n)
		dst[k] = root{detmath.Cos(a), detmath.Sin(a)}
	}
	return dst
}

// times returns the product with re + i·im.
func (t root) times(re, im float64) (float64, float64) {
	return float64(t.re*re) - float64(t.im*im), float64(t.re*im) + float64(t.im*re)
}
