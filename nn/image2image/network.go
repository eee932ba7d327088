package image2image

import (
	"fmt"
	"strings"
)

// Network is a network that restores images: what comes out has the size of what goes in and looks much like it. It is not
// changed after [New] and may be used by several goroutines, each with its own [Scratch].
type Network struct {
	name     string
	multiple int      // what the sides of its input have to be multiples of; smaller images are continued by reflection
	layers   []*layer // that run, in the order in which they were bound
	body     []*layer // those of them that a distortion may change
	run      func(s *Scratch, x feature) feature
	scale    int                                 // of enlarge; 0: the network does not enlarge
	enlarge  func(s *Scratch, x feature) feature // makes an image larger and frees it
}

// architecture is a row of the table of networks: how a file of its weights is recognized and how it is built.
type architecture struct {
	name   string
	marker string // a tensor that the others do not have
	build  func(b *binder) *Network
}

var architectures = []architecture{
	{"CARN-M", "b1.b1.body.0.weight", carn},
	{"DnCNN", "model.0.weight", dnCNN},
	{"TAEF2", "decoder.19.weight", autoencoder},
	{"EDSR", "head.0.weight", edsr},
}

// New returns the network whose tensors ts are, under the names of its PyTorch program:
//
//	CARN-M   super-resolution by 2 (Ahn et al., ECCV 2018): the image is halved and enlarged again
//	DnCNN    denoising (Zhang et al., 2017), of gray or color images, without batch norms
//	TAEF2    a tiny autoencoder of latents of an eighth of the size (madebyollin/taesd)
//	EDSR     super-resolution by 2, 3 or 4 (Lim et al., 2017), see [EDSR]: the image is reduced and enlarged again
//
// The tensors are kept. The error wraps [ErrWeights] and names the tensor that is missing, of another shape, not finite or
// not the network's.
func New(ts []Tensor) (*Network, error) {
	for _, a := range architectures {
		b := newBinder(a.name, ts)
		if !b.has(a.marker) {
			continue
		}
		n := a.build(b)
		if err := b.done(); err != nil {
			return nil, err
		}
		if n.name = a.name; n.layers == nil {
			n.layers = b.layers
		}
		if n.enlarge != nil {
			n.multiple, n.run = n.scale, func(s *Scratch, x feature) feature {
				small := s.reduce(x, n.scale)
				s.free(x)
				return n.enlarge(s, small)
			}
		}
		for _, l := range n.layers {
			if min(l.in, l.out) >= leastBody {
				n.body = append(n.body, l)
			}
		}
		return n, nil
	}
	var markers, names []string
	for _, a := range architectures {
		markers, names = append(markers, a.marker), append(names, a.name)
	}
	return nil, fmt.Errorf("%w: no tensor is called %s (allowed: weights of %s)", ErrWeights, strings.Join(markers, " or "),
		strings.Join(names, ", "))
}

// String returns the name: CARN-M, DnCNN, TAEF2 or EDSR.
func (n *Network) String() string { return n.name }

// Apply runs the network on an image: v are 3*h*w values in [0, 1] in planes, and become what the network makes of them,
// clipped to that range.
func (n *Network) Apply(v []float32, w, h int, s *Scratch) {
	x := s.load(v, w, h)
	x = s.fit(x, n.multiple, n.multiple)
	s.store(v, w, h, n.run(s, x))
}

// Scale returns what [Network.Enlarge] multiplies sides by; 0 where the network does not enlarge.
func (n *Network) Scale() int { return n.scale }

// Enlarge writes what a network of super-resolution makes of an image to dst: planes as of [Network.Apply], with sides that are
// [Network.Scale] times as long. v is not changed.
func (n *Network) Enlarge(dst, v []float32, w, h int, s *Scratch) {
	if n.enlarge == nil || len(dst) != len(v)*n.scale*n.scale {
		panic(fmt.Sprintf("image2image: %s enlarges %d values to %d", n.name, len(v), len(dst)))
	}
	s.store(dst, w*n.scale, h*n.scale, n.enlarge(s, s.load(v, w, h)))
}

// load returns planes as a feature.
func (s *Scratch) load(v []float32, w, h int) feature {
	if w < 1 || h < 1 || len(v) != 3*w*h {
		panic(fmt.Sprintf("image2image: %d values of an image of %dx%d", len(v), w, h))
	}
	x, n := s.new(h, w, 3), w*h
	r, g, b := v[:n], v[n:][:n], v[2*n:][:n]
	for p := range n {
		x.v[3*p], x.v[3*p+1], x.v[3*p+2] = r[p], g[p], b[p]
	}
	return x
}

// store writes the upper left of x to planes, clipped to [0, 1], and frees it. What is no number becomes 0.
func (s *Scratch) store(v []float32, w, h int, x feature) {
	for j := range h {
		for i := range w {
			for c, value := range x.v[(j*x.w+i)*3:][:3] {
				if value != value {
					value = 0
				}
				v[(c*h+j)*w+i] = min(max(value, 0), 1)
			}
		}
	}
	s.free(x)
}

// fit continues x to the right and below, by reflection, to sides that are multiples of a number and no less than least. It
// frees x where it returns another feature.
func (s *Scratch) fit(x feature, multiple, least int) feature {
	grow := func(n int) int { return (max(n, least)+multiple-1)/multiple*multiple - n }
	if grow(x.h) == 0 && grow(x.w) == 0 {
		return x
	}
	y := s.pad(x, 0, grow(x.h), 0, grow(x.w), mirror)
	s.free(x)
	return y
}
