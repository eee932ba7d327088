package mix

import (
	"math"
	"sync"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/rng"
)

// maxCut is the largest cut-off of the series of color maps and displacements.
const maxCut = 100

// drawFilter draws a 3x3 filter: the identity and normal values of a deviation below sigma.
func (p *primeScratch) drawFilter(sigma float64, r *rng.Rand) *[9]float64 {
	sigma *= r.Float64()
	r.FillNormal(p.kernel[:])
	for i := range p.kernel {
		p.kernel[i] *= sigma
	}
	p.kernel[4]++
	return &p.kernel
}

// filter convolves the chain with a 3x3 filter in row order, as networks do: without turning it.
func (p *primeScratch) filter(w, h int, f *[9]float64) {
	out := p.nextPlanes()
	p.line = buffer.Resize(p.line, 4*(w+2))
	var rows [3][]float32
	for i := range rows {
		rows[i] = p.line[i*(w+2):][:w+2]
	}
	sum := p.line[3*(w+2):][:w]
	for c := range 3 {
		plane := p.chain[c*w*h:][:w*h]
		load := func(row []float32, y int) {
			y = min(max(y, 0), h-1)
			copy(row[1:], plane[y*w:][:w])
			row[0], row[w+1] = row[1], row[w]
		}
		load(rows[1], 0)
		load(rows[2], 0)
		for y := range h {
			rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
			load(rows[2], y+1)
			kernel.Blend(sum, rows[0][:w], rows[0][1:w+1], float32(f[0]), float32(f[1]))
			for i := 2; i < 9; i++ {
				kernel.Blend(sum, sum, rows[i/3][i%3:][:w], 1, float32(f[i]))
			}
			for x, v := range sum {
				out[(c*h+y)*w+x] = min(max(v, 0), 1)
			}
		}
	}
	p.swap()
}

// colorWaves returns sin(nπv) of v = i/255 for n from 1, a row of 256 each.
var colorWaves = sync.OnceValue(func() []float32 {
	var sines [510]float64 // sin(πi/255)
	for i := range sines {
		sines[i] = float64(i)
	}
	kernel.Sin(sines[:], sines[:], math.Pi/255, 0)
	table := make([]float32, maxCut*256)
	for n := 1; n <= maxCut; n++ {
		for i := 1; i < 255; i++ { // at both ends they are 0
			table[(n-1)*256+i] = float32(sines[n*i%510])
		}
	}
	return table
})

// drawColors draws a color map for each channel: the values of i/255, not clipped.
func (p *primeScratch) drawColors(temperature float64, r *rng.Rand) *[3][257]float32 {
	cut := 1 + r.IntN(maxCut)
	deviation := math.Sqrt(float64(temperature * r.Float64()))
	waves := colorWaves()
	for c := range p.colors {
		t := &p.colors[c]
		for i := range 256 {
			t[i] = float32(i) / 255
		}
		for n := range cut {
			kernel.Blend(t[:256], t[:256], waves[n*256:][:256], 1, float32(deviation*r.Normal()))
		}
		t[256] = t[255] // read with weight 0
	}
	return &p.colors
}

// recolor maps the values of the chain.
func (p *primeScratch) recolor(maps *[3][257]float32) {
	plane := len(p.chain) / 3
	for c := range maps {
		t := &maps[c]
		for i, v := range p.chain[c*plane:][:plane] {
			v = float32(v * 255) // not fused with the difference below
			k := int(v)
			f := v - float32(k)
			p.chain[c*plane+i] = min(max(float32(t[k]*(1-f))+float32(t[k+1]*f), 0), 1)
		}
	}
}

// drawDisplacement draws p.dx and p.dy in pixels, or returns false where an image is too small for one.
func (p *primeScratch) drawDisplacement(w, h int, r *rng.Rand) bool {
	side := min(w, h)
	if side < 3 {
		return false
	}
	cut := 2 + r.IntN(min(maxCut, side-1)-1)
	least := 0.5
	most := max(least, float64(side)/(math.Pi*float64(cut)))
	length := least * detmath.Exp(float64(r.Float64()*detmath.Log(most/least)))
	p.sines(w, h)
	p.displacement(w, h, cut, length, r)
	return true
}

// sines makes the tables for images of w by h.
func (p *primeScratch) sines(w, h int) {
	if p.w == w && p.h == h {
		return
	}
	p.w, p.h = w, h
	p.sinX, p.sinY = buffer.Resize(p.sinX, maxCut*w), buffer.Resize(p.sinY, maxCut*h)
	for k := range maxCut {
		row := p.sinX[k*w:][:w]
		for x := range row {
			row[x] = (float64(x) + 0.5) / float64(w)
		}
		kernel.Sin(row, row, float64(k+1)*math.Pi, 0)
	}
	for y := range h {
		row := p.sinY[y*maxCut:][:maxCut]
		for k := range row {
			row[k] = float64(k + 1)
		}
		kernel.Sin(row, row, (float64(y)+0.5)/float64(h)*math.Pi, 0)
	}
}

// displacement draws the fields. length is the root mean square of each in pixels, over pixels and draws: a wave of coefficient
// β has the mean square β²/4.
func (p *primeScratch) displacement(w, h, cut int, length float64, r *rng.Rand) {
	blocks := (h + cut - 1) / cut // the last may go beyond the image
	p.rows = buffer.Resize(p.rows, blocks*cut*cut)
	for y := range h {
		copy(p.rows[y*cut:][:cut], p.sinY[y*maxCut:])
	}
	clear(p.rows[h*cut:])
	energy := 0.0
	for l := 1; l <= cut; l++ {
		for k := 1; k*k+l*l <= cut*cut; k++ {
			energy += 0.25 / float64(k*k+l*l)
		}
	}
	scale := length / math.Sqrt(energy)
	p.waves, p.half = buffer.Resize(p.waves, cut*cut), buffer.Resize(p.half, cut*w)
	p.fields = buffer.Resize(p.fields, 2*blocks*cut*w)
	p.dx, p.dy = p.fields[:blocks*cut*w], p.fields[blocks*cut*w:]
	for _, field := range [2][]float64{p.dx, p.dy} {
		clear(p.waves)
		for l := 1; l <= cut; l++ {
			for k := 1; k*k+l*l <= cut*cut; k++ {
				p.waves[(l-1)*cut+k-1] = scale * r.Normal() / math.Sqrt(float64(k*k+l*l))
			}
		}
		kernel.MatMul(p.half, p.waves, p.sinX, cut, w)
		for b := range blocks {
			kernel.MatMul(field[b*cut*w:], p.rows[b*cut*cut:], p.half, cut, w)
		}
	}
}

// displace fetches every pixel of the chain from where dx and dy say, linearly between four pixels.
func (p *primeScratch) displace(w, h int) {
	out, n := p.nextPlanes(), w*h
	for y := range h {
		for x := range w {
			i := y*w + x
			sx := min(max(float64(x)+p.dx[i], 0), float64(w-1))
			sy := min(max(float64(y)+p.dy[i], 0), float64(h-1))
			x0, y0 := int(sx), int(sy)
			u, v := float32(sx-float64(x0)), float32(sy-float64(y0))
			a, b := y0*w, min(y0+1, h-1)*w
			x1 := min(x0+1, w-1)
			for c := 0; c < 3*n; c += n {
				src := p.chain[c:][:n]
				top := float32(src[a+x0]*(1-u)) + float32(src[a+x1]*u)
				low := float32(src[b+x0]*(1-u)) + float32(src[b+x1]*u)
				out[c+i] = float32(top*(1-v)) + float32(low*v)
			}
		}
	}
	p.swap()
}
