package image2image

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// relu sets the negative values of x to zero and returns x.
func relu(x feature) feature {
	vec.ReLU(x.v)
	return x
}

// clip bounds the values of x and returns x.
func clip(x feature, lo, hi float32) feature {
	for i, v := range x.v {
		x.v[i] = min(max(v, lo), hi)
	}
	return x
}

// sum adds y to x, frees y and returns x.
func (s *Scratch) sum(x, y feature) feature {
	vec.Add(x.v, y.v)
	s.free(y)
	return x
}

// sigmoid is 1/(1+exp(-x)).
func sigmoid(v float32) float32 { return float32(1 / (1 + detmath.Exp(-float64(v)))) }

// concat joins the channels of features of one size and frees nothing.
func (s *Scratch) concat(xs ...feature) feature {
	c := 0
	for _, x := range xs {
		c += x.c
	}
	y := s.new(xs[0].h, xs[0].w, c)
	at := 0
	for _, x := range xs {
		for p := range x.h * x.w {
			copy(y.v[p*c+at:][:x.c], x.v[p*x.c:])
		}
		at += x.c
	}
	return y
}

// border says what lies outside an image.
type border uint8

const (
	zero   border = iota
	mirror        // the image reflected, without repeating the edge
)

// pad returns x with a border, or without some of its rows and columns where a number is negative.
func (s *Scratch) pad(x feature, top, bottom, left, right int, b border) feature {
	y := s.new(x.h+top+bottom, x.w+left+right, x.c)
	at := func(i, n int) int { // of pixel i outside the n that there are; -1: nowhere
		switch {
		case i >= 0 && i < n:
			return i
		case b == mirror:
			return reflect(i, n)
		}
		return -1
	}
	first, end := max(left, 0), min(left+x.w, y.w)
	for j := range y.h {
		row := y.v[j*y.w*y.c:][:y.w*y.c]
		from := at(j-top, x.h)
		if from < 0 {
			clear(row)
			continue
		}
		src := x.v[from*x.w*x.c:][:x.w*x.c]
		copy(row[first*x.c:end*x.c], src[(first-left)*x.c:])
		for i := 0; i < y.w; i++ {
			if i == first {
				if i = end; i == y.w {
					break
				}
			}
			pixel := row[i*x.c:][:x.c]
			if k := at(i-left, x.w); k >= 0 {
				copy(pixel, src[k*x.c:])
			} else {
				clear(pixel)
			}
		}
	}
	return y
}

// reflect continues 0..n-1 by reflection without repeating the edges.
func reflect(i, n int) int {
	if n == 1 {
		return 0
	}
	period := 2*n - 2
	if i = ((i % period) + period) % period; i >= n {
		return period - i
	}
	return i
}

// same is a convolution with TensorFlow's padding SAME of zeros, which is uneven for even sizes. It frees x.
func (s *Scratch) same(x feature, l *layer, stride int) feature {
	total := func(n int) int { return max((n+stride-1)/stride*stride-stride+l.k-n, 0) }
	th, tw := total(x.h), total(x.w)
	if th%2 == 0 && th == tw {
		return s.into(x, l, stride, th/2)
	}
	y := s.pad(x, th/2, th-th/2, tw/2, tw-tw/2, zero)
	s.free(x)
	return s.into(y, l, stride, 0)
}

// mirrored is a convolution whose border is the image reflected. It frees x.
func (s *Scratch) mirrored(x feature, l *layer, stride int) feature {
	n := l.k / 2
	y := s.pad(x, n, n, n, n, mirror)
	s.free(x)
	return s.into(y, l, stride, 0)
}

// double repeats every pixel in both directions and frees x.
func (s *Scratch) double(x feature) feature {
	y := s.new(2*x.h, 2*x.w, x.c)
	for j := range x.h {
		row := y.v[2*j*y.w*y.c:][:y.w*y.c]
		for i := range x.w {
			pixel := x.v[(j*x.w+i)*x.c:][:x.c]
			copy(row[2*i*x.c:], pixel)
			copy(row[(2*i+1)*x.c:], pixel)
		}
		copy(y.v[(2*j+1)*y.w*y.c:], row)
	}
	s.free(x)
	return y
}

// shuffle is PyTorch's PixelShuffle: n*n channels become n by n pixels. It frees x.
func (s *Scratch) shuffle(x feature, n int) feature {
	c := x.c / (n * n)
	y := s.new(n*x.h, n*x.w, c)
	for p := range x.h * x.w {
		j, i := p/x.w, p%x.w
		for k, v := range x.v[p*x.c:][:x.c] {
			row, col := n*j+k/n%n, n*i+k%n
			y.v[(row*y.w+col)*c+k/(n*n)] = v
		}
	}
	s.free(x)
	return y
}

// reduce averages squares of n by n pixels, of which the sides are multiples.
func (s *Scratch) reduce(x feature, n int) feature {
	if n == 2 {
		return s.half(x)
	}
	y := s.new(x.h/n, x.w/n, x.c)
	clear(y.v)
	for p := range x.h * x.w {
		at := (p/x.w/n*y.w + p%x.w/n) * x.c
		vec.Add(y.v[at:][:x.c], x.v[p*x.c:][:x.c])
	}
	return y.times(1 / float32(n*n))
}

// half averages squares of two by two pixels; sides are even.
func (s *Scratch) half(x feature) feature {
	y := s.new(x.h/2, x.w/2, x.c)
	row := x.w * x.c
	for p := range y.h * y.w {
		at := p/y.w*2*row + p%y.w*2*x.c
		for c := range x.c {
			up := x.v[at+c] + x.v[at+x.c+c]
			down := x.v[at+row+c] + x.v[at+row+x.c+c]
			y.v[p*x.c+c] = (up + down) / 4
		}
	}
	return y
}

// moments returns the mean and the variance over the pixels of each of n runs of neighboring channels, for every channel.
func (s *Scratch) moments(x feature, n int) (mean, variance []float64) {
	s.sums = buffer.Resize(s.sums, 2*x.c)
	mean, variance = s.sums[:x.c], s.sums[x.c:]
	clear(s.sums)
	for at := 0; at < len(x.v); at += x.c {
		for c, v := range x.v[at:][:len(mean)] {
			mean[c] += float64(v)
		}
	}
	overRuns(mean, n, len(x.v)/n)
	for at := 0; at < len(x.v); at += x.c {
		sums := variance[:len(mean)]
		for c, v := range x.v[at:][:len(mean)] {
			d := float64(v) - mean[c]
			sums[c] += float64(d * d)
		}
	}
	overRuns(variance, n, len(x.v)/n)
	return mean, variance
}

// overRuns replaces sums of channels by the mean of the size values of their run, of n.
func overRuns(sums []float64, n, size int) {
	each := len(sums) / n
	for ; len(sums) > 0; sums = sums[each:] {
		all := 0.0
		for _, v := range sums[:each] {
			all += v
		}
		for c := range each {
			sums[c] = all / float64(size)
		}
	}
}

// normalize takes each of n runs of channels to mean 0 and variance 1 over the pixels, then channel c to gain[c] times that
// plus offset[c]; nil is 1 and 0. Instance norm has as many runs as channels, group norm fewer. It returns x.
func (s *Scratch) normalize(x feature, n int, eps float64, gain, offset []float32) feature {
	mean, variance := s.moments(x, n)
	scale, shift := buffer.Resize(s.affine[0], x.c), buffer.Resize(s.affine[1], x.c)
	s.affine[0], s.affine[1] = scale, shift
	for c := range scale {
		scale[c], shift[c] = rsqrt(variance[c]+eps), 0
		if gain != nil {
			scale[c] *= gain[c]
			shift[c] = offset[c]
		}
		shift[c] -= float32(float32(mean[c]) * scale[c])
	}
	for at := 0; at < len(x.v); at += x.c {
		pixel, shift := x.v[at:][:len(scale)], shift[:len(scale)]
		for c, v := range pixel {
			pixel[c] = float32(v*scale[c]) + shift[c]
		}
	}
	return x
}
