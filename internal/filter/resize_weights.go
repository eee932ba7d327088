package filter

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
)

// fractionBits is the precision of the weights: with 8 bits of a channel and 2 spare ones a sum fits 32 bits.
const fractionBits = 22

// weights says how a line of samples becomes one of another length: sample i of the result is the sum over t of
// w[i*taps+t] times sample start[i]+t. Lines that need fewer taps are filled up with weight 0.
type weights struct {
	of       weightsOf
	start    []int
	w        []uint64 // two's complement
	taps     int
	positive bool // no weight is negative, and no rounding can bring a sum of 255s to 256
	exact    []float64

	// The same for package kernel: weights as 32-bit numbers in the order of w, or in its blocks of columns.
	narrow, blockStart, blocks []int32
}

// weightsOf is what the weights depend on.
type weightsOf struct {
	in       int
	from, to float32
	out      int
	filter   Filter
}

// set computes the weights that bring the samples between from and to, of in samples, to out ones. It reports whether
// they are new.
func (c *weights) set(in int, from, to float32, out int, f Filter) bool {
	of := weightsOf{in, from, to, out, f}
	if c.of == of {
		return false
	}
	c.of = of
	base, fn := f.function()
	scale := float64(to-from) / float64(out)
	stretch := max(scale, 1)
	reach := float64(base * stretch)
	squeeze := 1 / stretch

	c.taps = min(2*int(math.Ceil(reach))+1, in)
	c.start = buffer.Resize(c.start, out)
	c.w = buffer.Resize(c.w, out*c.taps)
	c.exact = buffer.Resize(c.exact, c.taps)
	most := 0
	for i := range out {
		center := float64(from) + float64((float64(i)+0.5)*scale)
		lo := max(int(center-reach+0.5), 0)
		hi := min(int(center+reach+0.5), in)
		e := c.exact[:hi-lo]
		sum := 0.0
		for t := range e {
			e[t] = fn(float64((float64(t+lo) - center + 0.5) * squeeze))
			sum += e[t]
		}
		w := c.w[i*c.taps:][:c.taps]
		clear(w)
		pad := max(lo+c.taps-in, 0) // where the taps would leave the line they begin earlier
		c.start[i] = lo - pad
		for t, v := range e {
			if sum != 0 {
				v /= sum
			}
			w[pad+t] = uint64(fixedWeight(v))
		}
		most = max(most, hi-lo)
	}
	c.shrink(most)
	c.positive = (f == Box || f == Bilinear) && c.taps < 1<<13
	return true
}

// shrink lowers the number of taps to what is needed.
func (c *weights) shrink(taps int) {
	for i := range c.of.out {
		old := c.w[i*c.taps:][:c.taps]
		skip := 0 // zeros before the first weight
		for skip < c.taps-taps && old[skip] == 0 {
			skip++
		}
		copy(c.w[i*taps:], old[skip:][:taps])
		c.start[i] += skip
	}
	c.taps = taps
	c.w = c.w[:c.of.out*taps]
}

// narrowRows sets narrow, for resizing rows.
func (c *weights) narrowRows() {
	c.narrow = buffer.Resize(c.narrow, len(c.w))
	for i, v := range c.w {
		c.narrow[i] = int32(v)
	}
}

// narrowColumns sets blockStart and blocks, for resizing columns.
func (c *weights) narrowColumns() {
	const size = kernel.ColumnBlock
	n := (c.of.out + size - 1) / size
	c.blockStart, c.blocks = buffer.Resize(c.blockStart, n*size), buffer.Resize(c.blocks, n*size*c.taps)
	clear(c.blockStart)
	clear(c.blocks)
	for i, start := range c.start[:c.of.out] {
		c.blockStart[i] = int32(start)
		for t := range c.taps {
			c.blocks[(i/size*c.taps+t)*size+i%size] = int32(c.w[i*c.taps+t])
		}
	}
}

// used returns the first sample that a weight belongs to and the one after the last.
func (c *weights) used() (first, end int) {
	first = c.of.in
	for _, s := range c.start {
		first, end = min(first, s), max(end, s+c.taps)
	}
	return first, end
}

// fixedWeight rounds a weight to its fixed-point form, halves away from zero.
func fixedWeight(v float64) int64 {
	if v < 0 {
		return int64(float64(v*(1<<fractionBits)) - 0.5)
	}
	return int64(float64(v*(1<<fractionBits)) + 0.5)
}

// function returns the half-width of the filter and the filter. The expressions keep Pillow's order of operations.
func (f Filter) function() (halfWidth float64, fn func(x float64) float64) {
	switch f {
	case Box:
		return 0.5, boxWeight
	case Bilinear:
		return 1, triangleWeight
	case Bicubic:
		return 2, cubicWeight
	case Lanczos:
		return 3, lanczosWeight
	}
	panic("filter: " + f.String() + " is no resize filter")
}

// boxWeight is closed at its right end only, so that a sample on a border is counted once.
func boxWeight(x float64) float64 {
	if x > -0.5 && x <= 0.5 {
		return 1
	}
	return 0
}

func triangleWeight(x float64) float64 { return max(1-math.Abs(x), 0) }

func cubicWeight(x float64) float64 {
	const a = -0.5
	x = math.Abs(x)
	switch {
	case x < 1:
		p := float64((a+2)*x) - (a + 3)
		return float64(float64(p*x)*x) + 1
	case x < 2:
		p := float64((x-5)*x) + 8
		return (float64(p*x) - 4) * a
	}
	return 0
}

func lanczosWeight(x float64) float64 {
	if x >= -3 && x < 3 {
		return sinc(x) * sinc(x/3)
	}
	return 0
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x = float64(x * math.Pi)
	return detmath.Sin(x) / x
}
