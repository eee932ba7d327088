package image2image

import (
	"math"

	"github.com/augmix-go/augmix/rng"
)

// Shape of Noise2Net: blocks of a Res2Net bottleneck.
const (
	noiseBlocks = 4
	noiseSplits = 4
	noiseWidth  = 16 // channels of a split
	noiseEps    = 1e-5
)

// noise2Net is a network whose weights are others for every image.
type noise2Net struct {
	widen, narrow *layer
	split         [noiseSplits - 1][2]*layer // with kernels of 1x1 and 3x3
}

func newNoise2Net() *noise2Net {
	random := func(out, in, k int) *layer {
		return &layer{out: out, in: in, k: k, groups: 1, random: true, w: make([]float32, out*in*k*k)}
	}
	n := &noise2Net{widen: random(noiseSplits*noiseWidth, 3, 1), narrow: random(3, noiseSplits*noiseWidth, 1)}
	for i := range n.split {
		n.split[i] = [2]*layer{random(noiseWidth, noiseWidth, 1), random(noiseWidth, noiseWidth, 3)}
	}
	return n
}

// draw gives a layer weights from a uniform distribution, as PyTorch's layers start with.
func (l *layer) draw(r *rng.Rand) {
	reach := 1 / math.Sqrt(float64(l.in*l.k*l.k))
	for i := range l.w {
		l.w[i] = float32(r.Uniform(-reach, reach))
	}
}

// Noise2Net runs an image through a Res2Net of four blocks whose weights are drawn for this image, x + eps*block(x) each, after
// Hendrycks et al. (The Many Faces of Robustness, ICCV 2021). eps is drawn from Uniform[0.375, 0.75) once; kernels are 1x1 or
// 3x3 with gaps of 0 to 2 pixels between their taps, drawn for every layer. Norms take the statistics of the image, as a
// batch norm does whose groups are images. v are 3*h*w values in [0, 1] in planes; the network works on (v-mean)/std, and
// the result is clipped to [0, 1].
func Noise2Net(v []float32, w, h int, mean, std [3]float32, r *rng.Rand, s *Scratch) {
	if s.noise == nil {
		s.noise = newNoise2Net()
	}
	x := s.load(v, w, h)
	for i, value := range x.v {
		x.v[i] = (value - mean[i%3]) / std[i%3]
	}
	eps := float32(r.Uniform(0.375, 0.75))
	for range noiseBlocks {
		y := s.noise.block(s, x, r)
		for i, d := range y.v {
			x.v[i] += float32(eps * d)
		}
		s.free(y)
	}
	for i, value := range x.v {
		x.v[i] = float32(value*std[i%3]) + mean[i%3]
	}
	s.store(v, w, h, x)
}

// block leaves x alone.
func (n *noise2Net) block(s *Scratch, x feature, r *rng.Rand) feature {
	n.widen.draw(r)
	wide := s.conv(x, n.widen, 1, 0)
	wide = relu(s.normalize(wide, wide.c, noiseEps, nil, nil))
	var parts [noiseSplits]feature
	for i := range parts {
		parts[i] = s.new(x.h, x.w, noiseWidth)
		for p := range x.h * x.w {
			copy(parts[i].v[p*noiseWidth:][:noiseWidth], wide.v[p*wide.c+i*noiseWidth:])
		}
		if i == noiseSplits-1 { // the last part is passed on as it is
			break
		}
		if i > 0 {
			for k, v := range parts[i-1].v {
				parts[i].v[k] += v
			}
		}
		l, gap := n.split[i][r.IntN(2)], 1+r.IntN(3)
		l.draw(r)
		y := s.dilated(parts[i], l, gap)
		parts[i] = relu(s.normalize(y, y.c, noiseEps, nil, nil))
	}
	s.free(wide)
	all := s.concat(parts[:]...)
	s.free(parts[:]...)
	n.narrow.draw(r)
	y := s.into(all, n.narrow, 1, 0)
	return s.normalize(y, y.c, noiseEps, nil, nil)
}

// dilated is a convolution of the image's own size whose taps lie gap pixels apart: a plain one of every gap-th row and
// column. It frees x.
func (s *Scratch) dilated(x feature, l *layer, gap int) feature {
	if l.k == 1 || gap == 1 {
		return s.into(x, l, 1, l.k/2)
	}
	y := s.new(x.h, x.w, l.out)
	for a := range min(gap, x.h) {
		for b := range min(gap, x.w) {
			part := s.new((x.h-a+gap-1)/gap, (x.w-b+gap-1)/gap, x.c)
			for p := range part.h * part.w {
				at := (p/part.w*gap+a)*x.w + p%part.w*gap + b
				copy(part.v[p*x.c:][:x.c], x.v[at*x.c:])
			}
			part = s.into(part, l, 1, l.k/2)
			for p := range part.h * part.w {
				at := (p/part.w*gap+a)*x.w + p%part.w*gap + b
				copy(y.v[at*l.out:][:l.out], part.v[p*l.out:])
			}
			s.free(part)
		}
	}
	s.free(x)
	return y
}
