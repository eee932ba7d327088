package filter

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// DefocusKernel returns the kernel of the defocus blur, side by side numbers in row order, and its side: a disc of the
// given radius (ones where x²+y² <= radius², divided by their number) on the grid -8…8, or -ceil(radius)…ceil(radius)
// if that is wider, smoothed by a Gaussian of standard deviation alias on 3x3 points (5x5 on the wider grid), border
// reflect101 at the edge of the grid. All in float32 as OpenCV's GaussianBlur.
func DefocusKernel(radius, alias float64) (kernel []float32, side int) {
	half, tap := defocusGrid(radius, alias)
	side = 2*half + 1
	disc, n := make([]float32, side*side), 0
	eachInDisc(half, radius, func(x, y int) {
		disc[(y+half)*side+x+half] = 1
		n++
	})
	for i := range disc {
		disc[i] /= float32(n)
	}
	rows, kernel := make([]float32, side*side), make([]float32, side*side)
	smooth := func(dst, src []float32, step, other int) {
		for a := range side {
			for b := range side {
				s := float32(src[a*other+b*step] * tap[0])
				for k := 1; k < len(tap); k++ {
					l, r := Reflect101.At(b-k, side), Reflect101.At(b+k, side)
					s += float32((src[a*other+l*step] + src[a*other+r*step]) * tap[k])
				}
				dst[a*other+b*step] = s
			}
		}
	}
	smooth(rows, disc, 1, side)
	smooth(kernel, rows, side, 1)
	return kernel, side
}

// defocusGrid returns half the side of the kernel's grid, and the weights of the smoothing for distances 0, 1, ...
func defocusGrid(radius, alias float64) (half int, tap []float32) {
	half, r := 8, 1
	if radius > 8 {
		half, r = int(math.Ceil(radius)), 2
	}
	sum := 0.0
	for k := range r + 1 {
		w := float32(detmath.Exp(-float64(k*k) / (2 * alias * alias)))
		tap = append(tap, w)
		if sum += float64(w); k > 0 {
			sum += float64(w)
		}
	}
	for k := range tap {
		tap[k] = float32(float64(tap[k]) / sum)
	}
	return half, tap
}

// eachInDisc calls f for every point of the disc.
func eachInDisc(half int, radius float64, f func(x, y int)) {
	for y := -half; y <= half; y++ {
		for x := -half; x <= half; x++ {
			if float64(x*x+y*y) <= float64(radius*radius) {
				f(x, y)
			}
		}
	}
}

// Defocus correlates images with the kernel of [DefocusKernel], border reflect101.
//
// It sums whole numbers over the disc, row by row as differences of running sums, and smooths the sums: that is the kernel, but for what
// its grid cuts off and reflects where the disc touches the edge of the grid, which is added tap by tap, and for the
// rounding of the kernel's entries to float32, of which the effect on the sum of all weights is kept (it decides
// whether an even area keeps its level when the result is truncated). All other differences together stay below 1/500
// of a gray level. Parity: within one level of the correlation in float64.
//
// The zero Defocus is ready for Set. It keeps what it worked out for the last few kernels, owns buffers and is not safe
// for concurrent use.
type Defocus struct {
	*defocusPlan
	plans []*defocusPlan
	next  int

	padded, runs, sums, totals []uint64 // runs are the sums of each row of padded, from its start on
	enter, leave               []int
	plane, rows                []float64
	lo, hi                     []int
}

// maxPlans is enough for the five severities and some of another profile.
const maxPlans = 8

// defocusPlan is what one kernel amounts to.
type defocusPlan struct {
	radius, alias float64
	half          int       // reach of the disc
	width         []int     // half the length of the disc's row y = 0, 1, ...
	tap           []float64 // smoothing for distance 0, 1, ..., whose square carries the weight of a point of the disc
	extra         []tapGroup
}

// tapGroup is a set of kernel points of one weight. The kernel has the symmetry of a square and an extra tap is never
// at its middle, so the number of points is a multiple of four.
type tapGroup struct {
	weight float64
	points [][2]int // (x, y)
}

// Taps of the smoothing below leastTap of the whole and taps of the correction below leastExtra are left out; together
// they change a result by less than 1/500 of a gray level. Correction taps within leastTap of another are taken for
// equal.
const (
	leastTap   = 1e-9
	leastExtra = 1e-7
)

// Set chooses the radius of the disc and the standard deviation of its smoothing, in pixels.
func (d *Defocus) Set(radius, alias float64) {
	for _, p := range d.plans {
		if p.radius == radius && p.alias == alias {
			d.defocusPlan = p
			return
		}
	}
	d.defocusPlan = newDefocusPlan(radius, alias)
	if len(d.plans) < maxPlans {
		d.plans = append(d.plans, d.defocusPlan)
		return
	}
	d.plans[d.next] = d.defocusPlan
	d.next = (d.next + 1) % maxPlans
}

func newDefocusPlan(radius, alias float64) *defocusPlan {
	p := &defocusPlan{radius: radius, alias: alias, half: int(radius)}
	n := 0
	for y := 0; y <= p.half; y++ {
		w := int(math.Sqrt(float64(radius*radius) - float64(y*y)))
		p.width = append(p.width, w)
		if n += 2*w + 1; y > 0 {
			n += 2*w + 1
		}
	}
	_, tap := defocusGrid(radius, alias)
	for _, w := range tap {
		if w > leastTap {
			p.tap = append(p.tap, float64(w))
		}
	}
	sum := p.correct(n)
	flat := 0.0
	for k, w := range p.tap {
		if flat += w; k > 0 {
			flat += w
		}
	}
	f := math.Sqrt(sum/float64(n)) / flat // for each of the two directions
	for k := range p.tap {
		p.tap[k] *= f
	}
	return p
}

// correct sets the taps to add to the smoothed disc of n points to make it the kernel, and returns the sum of the
// weights that the smoothed disc has to carry so that the sum of all is that of the kernel.
func (p *defocusPlan) correct(n int) float64 {
	kernel, side := DefocusKernel(p.radius, p.alias)
	e := len(p.tap) - 1
	wide := side + 2*e
	rest := make([]float64, wide*wide)
	sum := 0.0
	for i, v := range kernel {
		rest[(i/side+e)*wide+i%side+e] = float64(v)
		sum += float64(v)
	}
	mid := wide / 2
	eachInDisc(p.half, p.radius, func(x, y int) {
		for dy := -e; dy <= e; dy++ {
			for dx := -e; dx <= e; dx++ {
				w := p.tap[max(dx, -dx)] * p.tap[max(dy, -dy)]
				rest[(mid+y+dy)*wide+mid+x+dx] -= w / float64(n)
			}
		}
	})
	for i, v := range rest {
		if math.Abs(v) >= leastExtra {
			sum -= v
			p.addTap(v, [2]int{i%wide - mid, i/wide - mid})
		}
	}
	return sum
}

func (p *defocusPlan) addTap(weight float64, point [2]int) {
	at := slices.IndexFunc(p.extra, func(g tapGroup) bool { return math.Abs(g.weight-weight) < leastTap })
	if at < 0 {
		at = len(p.extra)
		p.extra = append(p.extra, tapGroup{weight: weight})
	}
	p.extra[at].points = append(p.extra[at].points, point)
}

// lanes says how many bits of a 64-bit word each channel of a sum takes, and how many channels share a word.
func (d *Defocus) lanes() (bits uint, channels int) {
	if area := float64(2*d.half+1) * float64(2*d.half+1); area*255 < 1<<21 {
		return 21, 3
	}
	return 32, 2
}

// Image makes dst the blurred src, truncated to bytes. dst must not share memory with src.
func (d *Defocus) Image(dst, src *raster.Image) {
	dst.Reset(src.W, src.H)
	for i := 3; i < len(dst.Pix); i += 4 {
		dst.Pix[i] = 255
	}
	bits, channels := d.lanes()
	for c := 0; c < 3; c += channels {
		d.channels(dst, src, c, min(channels, 3-c), bits)
	}
}

// channels blurs n channels from c on.
func (d *Defocus) channels(dst, src *raster.Image, c, n int, bits uint) {
	e := len(d.tap) - 1
	margin := d.half + e
	for i := range d.extra {
		for _, p := range d.extra[i].points {
			margin = max(margin, p[0], p[1])
		}
	}
	stride := src.W + 2*margin
	d.pad(src, margin, c, n, bits)
	w, held := src.W+2*e, 2*e+1
	d.sums, d.plane = buffer.Resize(d.sums, w), buffer.Resize(d.plane, w*held*n)
	for y, next := 0, 0; y < src.H; y++ {
		for ; next < y+held; next++ {
			d.discRow(d.sums, d.runs[(next+margin-e-d.half)*(stride+1)+margin-e-d.half:], stride+1)
			row := d.plane[next%held*w*n:][:w*n]
			clear(row)
			addScaled(row, d.sums, 1, n, bits)
		}
		d.finish(dst, y, margin, stride, c, n, bits)
	}
}

// addScaled adds the n channels of packed sums, bits wide each, times weight to dst, one channel after the other.
func addScaled(dst []float64, sums []uint64, weight float64, n int, bits uint) {
	for k := range n {
		kernel.AddBits(dst[k*len(sums):][:len(sums)], sums, uint(k)*bits, bits, weight)
	}
}

// pad makes d.padded the packed channels with margin pixels around them, and d.runs their sums.
func (d *Defocus) pad(src *raster.Image, margin, c, n int, bits uint) {
	stride := src.W + 2*margin
	d.padded = buffer.Resize(d.padded, stride*(src.H+2*margin))
	d.runs = buffer.Resize(d.runs, (stride+1)*(src.H+2*margin))
	for y := range src.H + 2*margin {
		row := src.Pix[4*src.W*Reflect101.At(y-margin, src.H):][:4*src.W]
		out := d.padded[y*stride:][:stride]
		pack(out[margin:][:src.W], row[c:], n, bits)
		for x := range margin {
			out[x] = out[margin+Reflect101.At(x-margin, src.W)]
			out[margin+src.W+x] = out[margin+Reflect101.At(src.W+x, src.W)]
		}
		run := d.runs[y*(stride+1):][:stride+1]
		sum := uint64(0)
		run[0] = 0
		for x, v := range out {
			sum += v
			run[x+1] = sum
		}
	}
}

// pack sets dst to n channels of the pixels that src starts with, bits wide each.
func pack(dst []uint64, src []uint8, n int, bits uint) {
	if n == 3 {
		for x := range dst {
			p := src[4*x:][:3:3]
			dst[x] = uint64(p[0]) | uint64(p[1])<<21 | uint64(p[2])<<42
		}
		return
	}
	for x := range dst {
		v := uint64(0)
		for k, p := range src[4*x:][:n] {
			v |= uint64(p) << (uint(k) * bits)
		}
		dst[x] = v
	}
}

// discRow sets dst to the sums over the disc. runs start at the top left corner of the first disc's bounding square.
func (d *Defocus) discRow(dst, runs []uint64, stride int) {
	r := d.half
	d.enter, d.leave = buffer.Resize(d.enter, 2*r+1), buffer.Resize(d.leave, 2*r+1)
	for y := -r; y <= r; y++ {
		hw := d.width[max(y, -y)]
		d.leave[y+r] = (y+r)*stride + r - hw
		d.enter[y+r] = (y+r)*stride + r + hw + 1
	}
	kernel.Runs(dst, runs, d.leave, d.enter)
}

// finish makes row y: it smooths the sums, row k of which is the one k modulo 2e+1 of d.plane, adds the correction and stores.
func (d *Defocus) finish(dst *raster.Image, y, margin, stride, c, n int, bits uint) {
	e := len(d.tap) - 1
	w, held := dst.W+2*e, 2*e+1
	d.lo, d.hi, d.rows = buffer.Resize(d.lo, e+1), buffer.Resize(d.hi, e+1), buffer.Resize(d.rows, (w+dst.W)*n)
	line, out := d.rows[:w*n], d.rows[w*n:][:dst.W*n]
	for k := range d.tap {
		d.lo[k], d.hi[k] = (y+e-k)%held*w*n, (y+e+k)%held*w*n
	}
	kernel.SumPairs(line, d.plane, d.lo, d.hi, d.tap)
	for k := range d.tap {
		d.lo[k], d.hi[k] = e-k, e+k
	}
	for k := range n {
		kernel.SumPairs(out[k*dst.W:][:dst.W], line[k*w:], d.lo, d.hi, d.tap)
	}
	d.addExtra(out, (y+margin)*stride+margin, stride, n, bits)
	pix := dst.Pix[4*y*dst.W:][:4*dst.W]
	for k := range n {
		for x, v := range out[k*dst.W:][:dst.W] {
			pix[4*x+c+k] = uint8(min(max(int32(v), 0), 255))
		}
	}
}

// addExtra adds the correction to a row of results, whose first pixel is d.padded[at].
func (d *Defocus) addExtra(out []float64, at, stride, n int, bits uint) {
	for g := range d.extra {
		group := &d.extra[g]
		d.totals = buffer.Resize(d.totals, len(out)/n)
		clear(d.totals)
		for p := group.points; len(p) >= 4; p = p[4:] {
			d.addFour(at+p[0][1]*stride+p[0][0], at+p[1][1]*stride+p[1][0], at+p[2][1]*stride+p[2][0],
				at+p[3][1]*stride+p[3][0])
		}
		addScaled(out, d.totals, group.weight, n, bits)
	}
}

// addFour adds four rows of packed samples to the totals.
func (d *Defocus) addFour(i, j, k, l int) {
	n := len(d.totals)
	a, b, e, f := d.padded[i:][:n], d.padded[j:][:n], d.padded[k:][:n], d.padded[l:][:n]
	kernel.AddFour(d.totals, a, b, e, f)
}
