package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// network is the kind "stylegan": a generator with random weights, run forward only. Like StyleGAN it begins with a
// constant of 4 by 4 and at every layer doubles the side, filters, adds noise, takes the leaky rectifier, and scales
// every channel by a style. Its spatial filters are oriented wavelets instead of independent numbers, which is what the
// paper found to turn the clouds of random networks into edges and textures. Each layer is a filter for every channel
// and then a random mixture of the channels; the red, green and blue of all layers are added up. Parity with the
// paper's images: statistical.
type network struct {
	cur, next, tmp []plane
	out            [3]plane
	up             plane
}

const (
	netStart = 4  // side of the constant
	netTaps  = 5  // side of a filter
	netWidth = 16 // channels of the first layers
	netNoisy = 64 // side of the last layer with noise: in finer ones it is grain and nothing else
)

// channels is how many channels a layer of a side has: fewer where they are large, as in StyleGAN.
func channels(side int) int {
	switch {
	case side <= 64:
		return netWidth
	case side <= 128:
		return 12
	}
	return 8
}

func (k *network) paint(dst *raster.Image, r *rng.Rand) {
	if k.cur == nil {
		k.cur, k.next, k.tmp = make([]plane, netWidth), make([]plane, netWidth), make([]plane, netWidth)
	}
	for c := range k.cur {
		k.cur[c].reset(netStart, netStart)
		for i := range k.cur[c].v {
			k.cur[c].v[i] = float32(r.Normal())
		}
	}
	for c := range k.out {
		k.out[c].reset(netStart, netStart)
		clear(k.out[c].v)
	}
	width := netWidth
	gain := r.Uniform(0.8, 1.4) // how much more or less a layer counts than the one before it
	weight := 1.0
	for side := 2 * netStart; side <= dst.W; side *= 2 {
		// A stream of its own for each layer: what a larger image adds does not change the rest.
		lr := rng.New(r.Uint64())
		width = k.layer(width, side, lr)
		k.toRGB(width, side, float32(weight), lr)
		weight *= gain
	}
	k.color(dst, r)
}

// layer makes the channels of the next side and returns their number.
func (k *network) layer(in, side int, r *rng.Rand) int {
	out := channels(side)
	for c := range in {
		enlarge(&k.next[c], &k.cur[c])
		var w [netTaps * netTaps]float32
		wavelet(&w, r)
		convolve(&k.tmp[c], &k.next[c], &w)
	}
	rough := float32(r.Uniform(0, 0.4)) // of the noise, for those channels that have some
	for o := range out {
		p := &k.next[o]
		p.reset(side, side)
		clear(p.v)
		for c := range in {
			w := float32(r.Normal())
			src := k.tmp[c].v[:len(p.v)]
			for i, v := range src {
				p.v[i] += float32(w * v)
			}
		}
		noise := float32(0)
		if side <= netNoisy && r.Float64() < 0.4 {
			noise = rough
		}
		p.style(r, noise)
	}
	k.cur, k.next = k.next, k.cur
	return out
}

// style normalizes a channel, adds noise and a bias, rectifies and scales.
func (p *plane) style(r *rng.Rand, noise float32) {
	p.normalize()
	bias, scale := float32(float64(0.8*r.Normal())-0.5), float32(detmath.Exp(float64(0.5*r.Normal())))
	if noise > 0 {
		s := rng.New(r.Uint64())
		for i := range p.v {
			p.v[i] += float32(noise * (float32(s.Float64()) - 0.5) * 3.46) // variance noise^2
		}
	}
	for i, v := range p.v {
		if v += bias; v < 0 {
			v *= 0.2
		}
		p.v[i] = v * scale
	}
}

// normalize gives the values mean 0 and variance 1.
func (p *plane) normalize() {
	sum, square := 0.0, 0.0
	for _, v := range p.v {
		sum += float64(v)
		square += float64(float64(v) * float64(v))
	}
	n := float64(len(p.v))
	mean := sum / n
	k := 1 / math.Sqrt(max(square/n-float64(mean*mean), 1e-12))
	m, f := float32(mean), float32(k)
	for i, v := range p.v {
		p.v[i] = (v - m) * f
	}
}

// wavelet makes a filter: a Gabor function of random direction, frequency and phase without its mean, of norm 1, or now
// and then a plain blur.
func wavelet(w *[netTaps * netTaps]float32, r *rng.Rand) {
	a, phase := r.Uniform(0, math.Pi), r.Uniform(0, 2*math.Pi)
	freq := r.Uniform(0.12, 0.3) // cycles a pixel
	long := r.Uniform(1, 2)
	blur := r.Float64() < 0.2
	sin, cos := detmath.Sin(a), detmath.Cos(a)
	var v [netTaps * netTaps]float64
	mean, norm := 0.0, 0.0
	for i := range v {
		x, y := float64(i%netTaps-netTaps/2), float64(i/netTaps-netTaps/2)
		s, t := float64(x*cos)+float64(y*sin), float64(y*cos)-float64(x*sin)
		g := detmath.Exp(-float64(s*s)/1.6 - float64(t*t)/(1.6*long))
		v[i] = g
		if !blur {
			v[i] = float64(g * detmath.Cos(float64(2*math.Pi*freq*s)+phase))
		}
		mean += v[i] / float64(len(v))
	}
	if blur {
		mean = 0
	}
	for i := range v {
		v[i] -= mean
		norm += float64(v[i] * v[i])
	}
	k := 1 / math.Sqrt(max(norm, 1e-12))
	for i := range v {
		w[i] = float32(v[i] * k)
	}
}

// enlarge makes dst twice as large as src, between the nearest values, on a torus.
func enlarge(dst, src *plane) {
	n := src.w
	dst.reset(2*n, 2*n)
	for y := range n {
		row, below := src.v[y*n:][:n], src.v[(y+1)%n*n:][:n]
		top, bottom := dst.v[2*y*2*n:][:2*n], dst.v[(2*y+1)*2*n:][:2*n]
		for x := range n {
			a, b, c, d := row[x], row[(x+1)%n], below[x], below[(x+1)%n]
			top[2*x], top[2*x+1] = a, (a+b)/2
			bottom[2*x], bottom[2*x+1] = (a+c)/2, (a+b+c+d)/4
		}
	}
}

// convolve makes dst src through the filter, on a torus.
func convolve(dst, src *plane, w *[netTaps * netTaps]float32) {
	n := src.w
	dst.reset(n, n)
	for y := range n {
		row := dst.v[y*n:][:n]
		clear(row)
		for dy := range netTaps {
			line := src.v[((y+dy-netTaps/2+n)%n)*n:][:n]
			t := w[dy*netTaps:][:netTaps]
			a, b, c, d, e := t[0], t[1], t[2], t[3], t[4]
			tap := func(x int) float32 {
				return float32(a*line[(x+n-2)%n]) + float32(b*line[(x+n-1)%n]) + float32(c*line[x]) +
					float32(d*line[(x+1)%n]) + float32(e*line[(x+2)%n])
			}
			row[0] += tap(0)
			row[1] += tap(1)
			for x := 2; x < n-2; x++ {
				l := line[x-2:][:5]
				row[x] += float32(a*l[0]) + float32(b*l[1]) + float32(c*l[2]) + float32(d*l[3]) + float32(e*l[4])
			}
			row[n-2] += tap(n - 2)
			row[n-1] += tap(n - 1)
		}
	}
}

// toRGB adds a random mixture of the channels to the colors so far, enlarged.
func (k *network) toRGB(width, side int, weight float32, r *rng.Rand) {
	for c := range k.out {
		enlarge(&k.up, &k.out[c])
		k.tmp[0].reset(side, side)
		mix := &k.tmp[0]
		clear(mix.v)
		for i := range width {
			w := float32(r.Normal())
			for j, v := range k.cur[i].v {
				mix.v[j] += float32(w * v)
			}
		}
		mix.normalize()
		for j, v := range mix.v {
			k.up.v[j] += float32(weight * v)
		}
		k.out[c], k.up = k.up, k.out[c]
	}
}

// color brings the colors into range by x/sqrt(1+x^2), whose ends are soft.
func (k *network) color(dst *raster.Image, r *rng.Rand) {
	axis := [3]float64{1 + r.Uniform(-0.5, 0.5), 1 + r.Uniform(-0.5, 0.5), 1 + r.Uniform(-0.5, 0.5)}
	u, v, w := frame(axis, r.Uniform(0, 2*math.Pi))
	sv, sw := r.Uniform(0.4, 1.2), r.Uniform(0.4, 1.2)
	var shift [3]float64
	for c := range k.out {
		k.out[c].normalize()
		shift[c] = r.Uniform(-0.3, 0.3)
	}
	for i := range dst.W * dst.H {
		a, b, c := float64(k.out[0].v[i])*2, float64(sv*float64(k.out[1].v[i])), float64(sw*float64(k.out[2].v[i]))
		var out [3]float32
		for j := range out {
			x := shift[j] + float64(a*u[j]) + float64(b*v[j]) + float64(c*w[j])
			out[j] = float32(0.5 + 0.5*x/math.Sqrt(1+float64(x*x)))
		}
		store(dst.Pix[4*i:][:4], rgb{out[0], out[1], out[2]})
	}
}
