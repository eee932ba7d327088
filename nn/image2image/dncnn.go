package image2image

import "fmt"

// dnCNN is a chain of 3x3 convolutions that predicts the noise of an image: of each channel by itself, or of all three.
func dnCNN(b *binder) *Network {
	var chain []*layer
	channels := 1
	if t := b.tensors["model.0.weight"]; len(t.Shape) == 4 && t.Shape[1] == 3 {
		channels = 3
	}
	width := 64
	for i := 0; b.has(fmt.Sprintf("model.%d.weight", i)); i += 2 {
		in, out := width, width
		if i == 0 {
			in = channels
		}
		if !b.has(fmt.Sprintf("model.%d.weight", i+2)) {
			out = channels
		}
		chain = append(chain, b.conv(fmt.Sprintf("model.%d", i), out, in, 3, 1, true))
	}
	return &Network{multiple: 1, run: func(s *Scratch, x feature) feature {
		part := s.new(x.h, x.w, channels)
		for first := 0; first < x.c; first += channels {
			for p := range x.h * x.w {
				copy(part.v[p*channels:][:channels], x.v[p*x.c+first:])
			}
			noise := s.chain(part, chain)
			for p := range x.h * x.w {
				for c, v := range noise.v[p*channels:][:channels] {
					x.v[p*x.c+first+c] -= v
				}
			}
			s.free(noise)
		}
		s.free(part)
		return x
	}}
}

// chain runs 3x3 convolutions with ReLU between them and leaves x alone.
func (s *Scratch) chain(x feature, layers []*layer) feature {
	y := s.conv(x, layers[0], 1, 1)
	for _, l := range layers[1:] {
		y = s.into(relu(y), l, 1, 1)
	}
	return y
}
