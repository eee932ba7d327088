package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// spectrum are the kinds "spectrum" and "spectrum-color": three independent planes of Gaussian noise whose amplitude
// falls with frequency, the first for brightness and two for color, optionally with the marginals of their wavelet
// coefficients made as peaked as those of photographs, turned into red, green and blue by axes of color. Parity with
// the paper's images: statistical.
type spectrum struct {
	wavelets bool

	n       int
	fft     *fft.Square
	planes  [2]*field // brightness; the two of color
	bands   bands
	weights [2][]float64 // amplitudes by |fx| and |fy|
}

// Exponents of the amplitudes: the paper draws a and b of 1/(|fx|^a + |fy|^b) from 0.5 to 3.5. Near
// the lower end nothing but grain is seen and near the upper nothing but fog, so the range is narrower here.
const (
	leastExponent = 0.8
	mostExponent  = 2.1
)

func (k *spectrum) paint(dst *raster.Image, r *rng.Rand) {
	if n := dst.W; k.n != n {
		k.n, k.fft = n, fft.NewSquare(n)
		k.planes = [2]*field{newField(n), newField(n)}
		k.weights = [2][]float64{make([]float64, n/2), make([]float64, n/2)}
		k.bands.reset(n)
	}
	for _, p := range k.planes {
		a := r.Uniform(leastExponent, mostExponent)
		b := a + r.Uniform(-0.5, 0.5)
		k.noise(p, a, b, r.Uint64())
		k.fft.Backward(p.re, p.im)
		standard(p.re)
		standard(p.im)
	}
	if k.wavelets {
		k.bands.draw(r)
		for _, p := range k.planes {
			for range 2 {
				k.bands.match(k.fft, p)
			}
			standard(p.re)
			standard(p.im)
		}
	}
	k.color(dst, r)
}

// noise fills p with the transform of two independent real planes, one in the real parts and one in the imaginary
// parts of what it is the transform of: complex Gaussian numbers times the amplitude. They are drawn from low to high
// frequencies, ring by ring, so that a larger image of the same seed has the same shapes with finer detail.
func (k *spectrum) noise(p *field, a, b float64, seed uint64) {
	n := k.n
	clear(p.re)
	clear(p.im)
	for f := range k.weights[0] {
		k.weights[0][f] = detmath.Pow(float64(f), a)
		k.weights[1][f] = detmath.Pow(float64(f), b)
	}
	r := rng.New(seed)
	put := func(fx, fy int) {
		w := 1 / (k.weights[0][abs(fx)] + k.weights[1][abs(fy)])
		i := (fy&(n-1))*n + fx&(n-1)
		p.re[i], p.im[i] = float64(w*r.Normal()), float64(w*r.Normal())
	}
	for ring := 1; ring < n/2; ring++ {
		for t := -ring; t <= ring; t++ {
			put(t, -ring)
			put(t, ring)
		}
		for t := -ring + 1; t < ring; t++ {
			put(-ring, t)
			put(ring, t)
		}
	}
}

func abs(v int) int { return max(v, -v) }

// standard gives v mean 0 and variance 1.
func standard(v []float64) {
	mean, sd := moments(v)
	k := 1 / max(sd, 1e-300)
	for i := range v {
		v[i] = (v[i] - mean) * k
	}
}

func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	sum := 0.0
	for _, x := range v {
		d := x - mean
		sum += float64(d * d)
	}
	return mean, math.Sqrt(sum / float64(len(v)))
}

// color turns the planes into colors. In photographs the first principal axis of color is near gray and holds most of
// the variance (Ruderman, Cronin and Chiao, JOSA A 15, 1998); the axis is tilted at random and the two across it get
// from a quarter of its standard deviation to as much, so that colors are richer than those of an average photograph.
func (k *spectrum) color(dst *raster.Image, r *rng.Rand) {
	axis := [3]float64{1 + r.Uniform(-0.45, 0.45), 1 + r.Uniform(-0.45, 0.45), 1 + r.Uniform(-0.45, 0.45)}
	u, v, w := frame(axis, r.Uniform(0, 2*math.Pi))
	sd := r.Uniform(0.16, 0.26)
	su, sv, sw := float64(sd*math.Sqrt(3)), float64(sd*r.Uniform(0.4, 1.5)), float64(sd*r.Uniform(0.4, 1.5))
	var mean [3]float64
	for c := range mean {
		mean[c] = r.Uniform(0.35, 0.65)
	}
	l, c := k.planes[0], k.planes[1]
	for i := range dst.W * dst.H {
		a, b, d := float64(su*l.re[i]), float64(sv*c.re[i]), float64(sw*c.im[i])
		var out [3]float32
		for j := range out {
			out[j] = float32(mean[j] + float64(a*u[j]) + float64(b*v[j]) + float64(d*w[j]))
		}
		store(dst.Pix[4*i:][:4], rgb{out[0], out[1], out[2]})
	}
}

// frame returns three unit vectors at right angles, the first along a, the second turned around it.
func frame(a [3]float64, turn float64) (u, v, w [3]float64) {
	u = unit(a)
	s, t := unit(cross(u, [3]float64{1, 0, 0})), [3]float64{}
	t = cross(u, s)
	sin, cos := detmath.Sin(turn), detmath.Cos(turn)
	for i := range v {
		v[i] = float64(cos*s[i]) + float64(sin*t[i])
	}
	return u, v, cross(u, v)
}

func unit(a [3]float64) [3]float64 {
	k := 1 / math.Sqrt(float64(a[0]*a[0])+float64(a[1]*a[1])+float64(a[2]*a[2]))
	return [3]float64{a[0] * k, a[1] * k, a[2] * k}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
