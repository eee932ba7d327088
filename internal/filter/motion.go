package filter

import (
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// Motion is ImageMagick 6's one-sided motion blur on 8-bit images. Tap i = 0…n-1, n = 2·ceil(radius)+1, weighs
// exp(-i²/2σ²), normalized to sum 1, and lies at column ceil(i·cos θ - ½), row ceil(i·sin θ - ½) from the output pixel
// (θ in degrees, rows downward), border nearest. Samples are 16-bit inside (a byte times 257): the sum is rounded to
// the nearest 16-bit value, and that to the nearest byte as releases up to 6.9.10 do, or divided by 257 and truncated
// (Truncate) as later ones do.
//
// Parity: exact, but for sums within rounding error of a half. The zero Motion is ready for Set; it owns buffers.
type Motion struct {
	// Truncate selects the conversion from 16 to 8 bits of ImageMagick 6.9.11 and later.
	Truncate bool

	weights      []float64 // of samples 0…255, for sums in 16-bit units
	dx, dy       []int
	off          []int
	padded, line []float64
}

// Set chooses the radius and the standard deviation, in pixels, the latter above 0, and the angle in degrees.
func (m *Motion) Set(radius, sigma, degrees float64) {
	n := 2*int(math.Ceil(radius)) + 1
	m.weights, m.dx, m.dy = buffer.Resize(m.weights, n), buffer.Resize(m.dx, n), buffer.Resize(m.dy, n)
	sum := 0.0
	for i := range n {
		m.weights[i] = detmath.Exp(-float64(i*i) / (2 * sigma * sigma))
		sum += m.weights[i]
	}
	// ImageMagick takes the direction from the point n samples away, as here: at multiples of 30° taps lie half-way
	// between pixels, and the rounding of this detour decides the side.
	angle := degrees * (math.Pi / 180)
	y, x := float64(n)*detmath.Sin(angle), float64(n)*detmath.Cos(angle)
	length := math.Sqrt(float64(y*y) + float64(x*x))
	for i := range n {
		m.weights[i] = m.weights[i] / sum * 257
		m.dx[i] = int(math.Ceil(float64(i)*x/length - 0.5))
		m.dy[i] = int(math.Ceil(float64(i)*y/length - 0.5))
	}
}

// Image makes dst the blurred src. dst must not share memory with src.
func (m *Motion) Image(dst, src *raster.Image) {
	dst.Reset(src.W, src.H)
	m.blur(dst.Pix, src.Pix, src.W, src.H, 4)
}

// Gray makes dst the blurred src, w by h bytes. It panics unless both have that length. dst must not share memory with
// src.
func (m *Motion) Gray(dst, src []uint8, w, h int) {
	if len(dst) != w*h || len(src) != w*h {
		panic(fmt.Sprintf("filter: %d and %d bytes for a gray image of %dx%d", len(dst), len(src), w, h))
	}
	m.blur(dst, src, w, h, 1)
}

// blur works on images of step bytes a pixel: 1, or 4 of which the last is opaque. Of the padded rows those in reach are kept,
// row k at k modulo their number.
func (m *Motion) blur(dst, src []uint8, w, h, step int) {
	c := min(step, 3)
	left, right := max(0, -slices.Min(m.dx)), max(0, slices.Max(m.dx))
	up, down := max(0, -slices.Min(m.dy)), max(0, slices.Max(m.dy))
	stride, held := (left+w+right)*c, min(up+1+down, h)
	m.padded = buffer.Resize(m.padded, held*stride)
	m.off, m.line = buffer.Resize(m.off, len(m.weights)), buffer.Resize(m.line, w*c)
	for y, next := 0, 0; y < h; y++ {
		for ; next < min(y+down+1, h); next++ {
			pad(m.padded[next%held*stride:][:stride], src[next*w*step:][:w*step], step, left)
		}
		for i := range m.off {
			m.off[i] = Nearest.At(y+m.dy[i], h)%held*stride + (left+m.dx[i])*c
		}
		kernel.SumTaps(m.line, m.padded, m.off, m.weights)
		m.store(dst[y*w*step:][:w*step], step)
	}
}

// pad makes line the samples of a row from the left-th pixel on, with those of its edges repeated on both sides.
func pad(line []float64, row []uint8, step, left int) {
	c, w := min(step, 3), len(row)/step
	mid := line[left*c:][:w*c]
	if step == 1 {
		for x, v := range row {
			mid[x] = float64(v)
		}
	} else {
		kernel.BytesToNumbers(mid, row, 1)
	}
	for x := range left {
		copy(line[x*c:], mid[:c])
	}
	for at := (left + w) * c; at < len(line); at += c {
		copy(line[at:], mid[len(mid)-c:])
	}
}

// store converts a line of sums to bytes.
func (m *Motion) store(dst []uint8, step int) {
	if step == 4 && !m.Truncate {
		kernel.QuantumToBytes(dst, m.line)
		return
	}
	j := 0
	for i := 0; i < len(dst); i++ {
		switch {
		case i&3 == 3 && step == 4:
			dst[i] = 255
			continue
		case m.Truncate:
			dst[i] = uint8(min(uint32(m.line[j]+0.5), 65535) / 257)
		default:
			dst[i] = kernel.QuantumToByte(m.line[j])
		}
		j++
	}
}
