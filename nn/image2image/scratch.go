package image2image

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/nn/internal/conv"
	"github.com/augmix-go/augmix/nn/internal/winograd"
	"github.com/augmix-go/augmix/raster"
)

// Scratch is the working memory of one goroutine. The zero value is ready; it grows to what the images need and is reused
// from then on.
type Scratch struct {
	spare   [][]float32 // memory of features that are done with
	kernels map[kernelKey]*kernel
	work    []float32 // of the kernels
	sums    []float64 // of norms
	affine  [2][]float32
	changes []change    // of the network, for the image at hand
	fresh   [][]float32 // memory of changed weights
	noise   *noise2Net
	image   raster.Image // of a style
	codes   [2]Code
}

// feature is an activation: h rows of w pixels of c channels, channels side by side.
type feature struct {
	h, w, c int
	v       []float32
}

// new returns a feature whose values are unspecified.
func (s *Scratch) new(h, w, c int) feature {
	n, best := h*w*c, -1
	for i, m := range s.spare {
		if cap(m) >= n && (best < 0 || cap(m) < cap(s.spare[best])) {
			best = i
		}
	}
	f := feature{h: h, w: w, c: c}
	if best < 0 {
		f.v = make([]float32, n)
		return f
	}
	f.v = s.spare[best][:n]
	last := len(s.spare) - 1
	s.spare[best] = s.spare[last]
	s.spare = s.spare[:last]
	return f
}

// free gives the memory of features back.
func (s *Scratch) free(fs ...feature) {
	for _, f := range fs {
		s.spare = append(s.spare, f.v)
	}
}

// kernelKey says for what a convolution was planned.
type kernelKey struct {
	layer             *layer
	h, w, stride, pad int
	changed           bool // with weights that are not the layer's own
}

// kernel is a convolution of one size with its weights, by either algorithm.
type kernel struct {
	direct *conv.Conv
	fast   *winograd.Conv
	oh, ow int
	need   int // floats of working memory
	packed bool
}

// maxKernels bounds the plans that a scratch keeps: those of about a dozen sizes of the networks here.
const maxKernels = 1000

// kernel returns the layer's convolution of a size, without its weights where it is new.
func (s *Scratch) kernel(key kernelKey) *kernel {
	k := s.kernels[key]
	if k == nil {
		if s.kernels == nil || len(s.kernels) >= maxKernels {
			s.kernels, s.spare = map[kernelKey]*kernel{}, nil
		}
		l := key.layer
		k = newKernel(conv.Shape{
			H: key.h, W: key.w, In: l.in, Out: l.out, KH: l.k, KW: l.k, Stride: key.stride, Pad: key.pad, Groups: l.groups,
		})
		s.kernels[key] = k
	}
	return k
}

func newKernel(shape conv.Shape) *kernel {
	k := &kernel{}
	if winograd.Fits(shape) {
		k.fast = winograd.New(shape)
		k.oh, k.ow, k.need = shape.H+2*shape.Pad-2, shape.W+2*shape.Pad-2, k.fast.Scratch()
		return k
	}
	k.direct = conv.New(shape)
	k.oh, k.ow, k.need = k.direct.OutH(), k.direct.OutW(), k.direct.Scratch()
	return k
}

func (k *kernel) pack(w []float32) {
	if k.packed = true; k.fast != nil {
		k.fast.Pack(w)
		return
	}
	k.direct.Pack(w)
}

func (k *kernel) run(dst, src, bias, work []float32) {
	if k.fast != nil {
		k.fast.Forward(dst, src, bias, false, 0, 1, work)
		return
	}
	k.direct.Forward(dst, src, bias, false, 0, k.oh, work)
}

// conv returns the convolution of x, with pad zeros on every side.
func (s *Scratch) conv(x feature, l *layer, stride, pad int) feature {
	w, act := s.changed(l)
	changed := l.random || w != nil
	if w == nil {
		w = l.w
	}
	k := s.kernel(kernelKey{l, x.h, x.w, stride, pad, changed})
	if changed || !k.packed {
		k.pack(w)
	}
	s.work = buffer.Resize(s.work, max(k.need, cap(s.work)))
	y := s.new(k.oh, k.ow, l.out)
	k.run(y.v, x.v, l.b, s.work)
	if act != nil {
		y = act(s, y)
	}
	return y
}

// into is conv that frees x.
func (s *Scratch) into(x feature, l *layer, stride, pad int) feature {
	y := s.conv(x, l, stride, pad)
	s.free(x)
	return y
}
