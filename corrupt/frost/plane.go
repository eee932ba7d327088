package frost

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

// plane is a field of one float32 a pixel, w columns and h rows.
type plane struct {
	w, h int
	v    []float32
}

func newPlane(w, h int) *plane { return &plane{w, h, make([]float32, w*h)} }

func (p *plane) row(y int) []float32 { return p.v[y*p.w:][:p.w] }

// middle returns the w by h values in the middle of p, or p itself if it has that size.
func (p *plane) middle(w, h int) *plane {
	if p.w == w && p.h == h {
		return p
	}
	m := newPlane(w, h)
	x, y := (p.w-w)/2, (p.h-h)/2
	for j := range h {
		copy(m.row(j), p.row(y + j)[x:])
	}
	return m
}

func (p *plane) clone() *plane {
	c := newPlane(p.w, p.h)
	copy(c.v, p.v)
	return c
}

// at returns the value of the pixel that (x, y) lies in, or of the nearest one in the plane.
func (p *plane) at(x, y float64) float64 {
	i := min(max(int(x), 0), p.w-1)
	j := min(max(int(y), 0), p.h-1)
	return float64(p.v[j*p.w+i])
}

// spline holds where the outputs of an axis lie between lattice points: the first of four points and their weights,
// those of the uniform cubic B-spline.
type spline struct {
	index  []int32
	weight [][4]float32
}

func newSpline(n int, cell float64) spline {
	s := spline{make([]int32, n), make([][4]float32, n)}
	for i := range n {
		at := float64(i) / cell
		whole := math.Floor(at)
		t := at - whole
		u := 1 - t
		t2, u2 := float64(t*t), float64(u*u)
		s.index[i] = int32(whole)
		s.weight[i] = [4]float32{
			float32(float64(u2*u) / 6),
			float32((4 - float64(6*t2) + float64(3*float64(t2*t))) / 6),
			float32((4 - float64(6*u2) + float64(3*float64(u2*u))) / 6),
			float32(float64(t2*t) / 6),
		}
	}
	return s
}

// addNoise adds smooth noise: the cubic B-spline through uniform numbers in [-amount, amount) on a lattice of the given
// pitch, in pixels. It has no visible grid and no sharp edge.
func (p *plane) addNoise(amount, pitchX, pitchY float64, r *rng.Rand) {
	sx, sy := newSpline(p.w, pitchX), newSpline(p.h, pitchY)
	n := int(sx.index[p.w-1]) + 4
	var lattice [4][]float32
	draw := func(row []float32) {
		for i := range row {
			row[i] = float32(r.Uniform(-amount, amount))
		}
	}
	for k := range lattice {
		lattice[k] = make([]float32, n)
		draw(lattice[k])
	}
	mid := make([]float32, n)
	last := int32(0)
	for y := range p.h {
		for ; last < sy.index[y]; last++ {
			lattice[0], lattice[1], lattice[2], lattice[3] = lattice[1], lattice[2], lattice[3], lattice[0]
			draw(lattice[3])
		}
		w := sy.weight[y]
		a, b, c, d := lattice[0], lattice[1][:n], lattice[2][:n], lattice[3][:n]
		for i := range mid {
			mid[i] = float32(w[0]*a[i]) + float32(w[1]*b[i]) + float32(w[2]*c[i]) + float32(w[3]*d[i])
		}
		row := p.row(y)
		for x, i := range sx.index[:len(row)] {
			m, w := mid[i:][:4], &sx.weight[x]
			row[x] += float32(w[0]*m[0]) + float32(w[1]*m[1]) + float32(w[2]*m[2]) + float32(w[3]*m[3])
		}
	}
}

// clouds returns noise of several octaves, each of half the pitch of the one before and gain times its amount.
func clouds(w, h int, pitch, gain float64, octaves int, r *rng.Rand) *plane {
	p := newPlane(w, h)
	for amount := 1.0; octaves > 0; octaves-- {
		p.addNoise(amount, pitch, pitch, r)
		pitch, amount = max(pitch/2, 1), float64(amount*gain)
	}
	return p
}

// mean returns the mean of p and of the squares of its values.
func (p *plane) mean() (mean, square float64) {
	for _, v := range p.v {
		f := float64(v)
		mean += f
		square += float64(f * f)
	}
	n := float64(len(p.v))
	return mean / n, square / n
}

// center shifts p to mean 0.
func (p *plane) center() {
	mean, _ := p.mean()
	m := float32(mean)
	for i := range p.v {
		p.v[i] -= m
	}
}

// level shifts and scales p to mean 0 and standard deviation 1; a constant plane becomes 0.
func (p *plane) level() {
	mean, square := p.mean()
	scale := float32(0)
	if deviation := math.Sqrt(max(square-float64(mean*mean), 0)); deviation > 1e-6 {
		scale = float32(1 / deviation)
	}
	m := float32(mean)
	for i, v := range p.v {
		p.v[i] = (v - m) * scale
	}
}

// blurrer smooths planes; it owns buffers.
type blurrer struct{ sum, out []float32 }

// blur replaces every value by the mean of the square of 2·radius+1 pixels around it, the given number of times.
// The border is repeated. Three times come close to a Gaussian.
func (z *blurrer) blur(p *plane, radius, times int) {
	for range times {
		z.rows(p, radius)
		z.columns(p, radius)
	}
}

func (z *blurrer) reserve(p *plane) {
	if len(z.out) != len(p.v) {
		z.sum, z.out = make([]float32, p.w), make([]float32, len(p.v))
	}
}

func (z *blurrer) rows(p *plane, radius int) {
	z.reserve(p)
	scale := 1 / float32(2*radius+1)
	for y := range p.h {
		row := p.row(y)
		var sum float32
		for k := -radius; k <= radius; k++ {
			sum += row[min(max(k, 0), p.w-1)]
		}
		for x := range row {
			z.out[x] = float32(sum * scale)
			sum += row[min(x+radius+1, p.w-1)] - row[max(x-radius, 0)]
		}
		copy(row, z.out)
	}
}

func (z *blurrer) columns(p *plane, radius int) {
	z.reserve(p)
	clear(z.sum)
	for k := -radius; k <= radius; k++ {
		for x, v := range p.row(min(max(k, 0), p.h-1)) {
			z.sum[x] += v
		}
	}
	scale := 1 / float32(2*radius+1)
	for y := range p.h {
		out := z.out[y*p.w:][:p.w]
		in, old := p.row(min(y+radius+1, p.h-1)), p.row(max(y-radius, 0))
		for x, s := range z.sum {
			out[x] = s * scale
			z.sum[x] = s + (in[x] - old[x])
		}
	}
	copy(p.v, z.out)
}

// addRelief adds what a grazing light from direction (lx, ly) does to the surface p: gain times the slope towards it.
func (p *plane) addRelief(height *plane, lx, ly, gain float32) {
	lx, ly = lx*gain*.5, ly*gain*.5
	for y := range p.h {
		up, mid, down := height.row(max(y-1, 0)), height.row(y), height.row(min(y+1, p.h-1))
		out := p.row(y)
		last := p.w - 1
		for x := range out {
			gx := mid[min(x+1, last)] - mid[max(x-1, 0)]
			gy := down[x] - up[x]
			out[x] -= float32(gx*lx) + float32(gy*ly)
		}
	}
}

// sample returns p between its pixel centers by bilinear interpolation, the border repeated.
func (p *plane) sample(x, y float32) float32 {
	x, y = min(max(x, 0), float32(p.w-1)), min(max(y, 0), float32(p.h-1))
	i, j := int(x), int(y)
	u, v := x-float32(i), y-float32(j)
	right, below := min(i+1, p.w-1)-i, (min(j+1, p.h-1)-j)*p.w
	q := p.v[j*p.w+i:]
	a := q[0] + float32(u*(q[right]-q[0]))
	b := q[below] + float32(u*(q[below+right]-q[below]))
	return a + float32(v*(b-a))
}

// warped returns p looked up at places displaced by (dx, dy) times reach, its outermost margin left away.
func (p *plane) warped(dx, dy *plane, reach float32, margin int) *plane {
	out := newPlane(p.w-2*margin, p.h-2*margin)
	for y := range out.h {
		row, ox, oy := out.row(y), dx.row(y), dy.row(y)
		for x := range row {
			row[x] = p.sample(float32(x+margin)+float32(ox[x]*reach), float32(y+margin)+float32(oy[x]*reach))
		}
	}
	return out
}
