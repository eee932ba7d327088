package fvis

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// axes turn three decorrelated channels into red, green and blue: the principal axes of the colors of the 50 000
// training images of CIFAR-10, each as long as its standard deviation, divided by the length of the first. They are
// brightness, red against blue, and green against both. The last two are lengthened by chroma: what PixMix's authors
// found to matter, beside structure, is color (their Table 4).
var axes = [3][3]float64{
	{0.558, 0.201 * chroma, 0.057 * chroma},
	{0.577, 0.013 * chroma, -0.106 * chroma},
	{0.596, -0.201 * chroma, 0.050 * chroma},
}

const chroma = 1.6

// Constants of the ascent, chosen by eye for many shades and structure of many sizes after [DefaultSteps] steps. The
// rate is the way of a coefficient in a step, which Adam makes about the same for all of them: how fast the sizes of
// structure grow is up to the factors that coefficients are multiplied by. In photographs amplitudes fall like one over
// the frequency; a little steeper keeps the finest structure, which early layers prefer, from covering the rest.
const (
	rate      = 0.25
	beta1     = 0.9
	beta2     = 0.98
	startStd  = 0.6  // of the coefficients
	lastRate  = 0.1  // of rate, at the last step
	gain      = 0.42 // of the image before the logistic function
	falling   = 1.25 // power of the frequency
	adamFloor = 1e-12
)

// image is one image in the making.
type image struct {
	n       int
	h       *hartley
	scratch *hartleyScratch
	scale   []float64 // by frequency
	theta   [3][]float64
	m, v    [3][]float64 // Adam's averages
	plane   [3][]float64 // decorrelated, then of the gradient
	rgb     [3][]float64 // on [0, 1]
	warp    warp
	rand    rng.Rand
}

func newImage(h *hartley, scale []float64) *image {
	p := &image{n: h.n, h: h, scratch: h.scratch(), scale: scale}
	for c := range 3 {
		for _, s := range []*[]float64{&p.theta[c], &p.m[c], &p.v[c], &p.plane[c], &p.rgb[c]} {
			*s = make([]float64, h.n*h.n)
		}
	}
	return p
}

// scales returns the factor of each coefficient: one over a power of its frequency in cycles an image, at least one.
func scales(n int) []float64 {
	s := make([]float64, n*n)
	for y := range n {
		for x := range n {
			u, v := float64(min(x, n-x)), float64(min(y, n-y))
			s[y*n+x] = gain * float64(n) / detmath.Pow(math.Max(math.Sqrt(u*u+v*v), 1), falling)
		}
	}
	return s
}

// start draws the coefficients that the ascent begins with.
func (p *image) start(key rng.Key) {
	p.rand = key.Rand()
	for c := range 3 {
		p.rand.FillNormal(p.theta[c])
		for i := range p.theta[c] {
			p.theta[c][i] *= startStd
		}
		clear(p.m[c])
		clear(p.v[c])
	}
}

// draw makes the pixels of the coefficients.
func (p *image) draw() {
	for c := range 3 {
		for i, t := range p.theta[c] {
			p.plane[c][i] = p.scale[i] * t
		}
	}
	p.h.pair(p.scratch, p.plane[0], p.plane[1])
	p.h.pair(p.scratch, p.plane[2], nil)
	for i := range p.plane[0] {
		for c := range 3 {
			a := &axes[c]
			x := float64(a[0]*p.plane[0][i]) + float64(a[1]*p.plane[1][i]) + float64(a[2]*p.plane[2][i])
			p.rgb[c][i] = 1 / (1 + detmath.Exp(-x))
		}
	}
}

// input writes the normalized planes of the image under a new warp.
func (p *image) input(dst []float32, mean, std [3]float32) {
	p.warp = drawWarp(&p.rand, p.n)
	n2 := p.n * p.n
	p.warp.each(func(i int, at *[4]int, w *[4]float64) {
		for c := range 3 {
			s := p.rgb[c]
			v := float64(w[0]*s[at[0]]) + float64(w[1]*s[at[1]])
			v = v + float64(w[2]*s[at[2]]) + float64(w[3]*s[at[3]])
			dst[c*n2+i] = (float32(v) - mean[c]) / std[c]
		}
	})
}

// climb takes the gradient by the planes that input wrote and makes step number t of total.
func (p *image) climb(grad []float32, std [3]float32, t, total int) {
	p.gradient(grad, std)
	p.adam(t, total)
}

// gradient takes the gradient by the planes back to the coefficients, into plane: each step of draw and input
// transposed.
func (p *image) gradient(grad []float32, std [3]float32) {
	n2 := p.n * p.n
	for c := range 3 {
		clear(p.plane[c])
	}
	p.warp.each(func(i int, at *[4]int, w *[4]float64) {
		for c := range 3 {
			g := float64(grad[c*n2+i] / std[c])
			for k := range 4 {
				p.plane[c][at[k]] += float64(w[k] * g)
			}
		}
	})
	for i := range n2 {
		var by [3]float64
		for c := range 3 {
			v := p.rgb[c][i]
			g := p.plane[c][i] * v * (1 - v)
			for k := range 3 {
				by[k] += float64(axes[c][k] * g)
			}
		}
		for k := range 3 {
			p.plane[k][i] = by[k]
		}
	}
	p.h.pair(p.scratch, p.plane[0], p.plane[1])
	p.h.pair(p.scratch, p.plane[2], nil)
	for c := range 3 {
		for i := range p.plane[c] {
			p.plane[c][i] *= p.scale[i]
		}
	}
}

// adam moves the coefficients up the gradient in plane (Kingma and Ba, Adam, 2015), at a rate that falls like a cosine.
func (p *image) adam(t, total int) {
	fall := (1 + detmath.Cos(math.Pi*float64(t)/float64(total))) / 2
	r := rate * (lastRate + float64((1-lastRate)*fall))
	c1 := 1 - detmath.Pow(beta1, float64(t+1))
	c2 := 1 - detmath.Pow(beta2, float64(t+1))
	for c := range 3 {
		m, v := p.m[c], p.v[c]
		for i, g := range p.plane[c] {
			m[i] = float64(beta1*m[i]) + float64((1-beta1)*g)
			v[i] = float64(beta2*v[i]) + float64((1-beta2)*g*g)
			p.theta[c][i] += r * (m[i] / c1) / (math.Sqrt(v[i]/c2) + adamFloor)
		}
	}
}

// image writes the image.
func (p *image) image(dst *raster.Image) {
	p.draw()
	dst.Reset(p.n, p.n)
	for i := range p.rgb[0] {
		px := dst.Pix[4*i : 4*i+4 : 4*i+4]
		for c := range 3 {
			px[c] = uint8(float64(p.rgb[c][i]*255) + 0.5)
		}
		px[3] = 255
	}
}
