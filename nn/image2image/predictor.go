package image2image

import "fmt"

// predictor is a MobileNetV2 that tells the style of an image. Batch norms are part of its weights.
type predictor struct {
	first  *layer
	blocks [17]inverted
	last   *layer
	code   *layer
}

// inverted is an inverted residual: a wide depthwise convolution between two of 1x1.
type inverted struct {
	expand, depthwise, project *layer // expand: nil in the first
	stride                     int
	add                        bool // the input
}

func (p *predictor) bind(b *binder) {
	const scope = "predict/MobilenetV2/"
	p.first = b.tensorFlow(scope+"Conv", 32, 3, 3)
	in := 32
	for i, out := range [17]int{16, 24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320} {
		name, wide := scope+"expanded_conv", in
		m := &p.blocks[i]
		if i > 0 {
			name, wide = fmt.Sprintf("%s_%d", name, i), 6*in
			m.expand = b.tensorFlow(name+"/expand", wide, in, 1)
		}
		m.depthwise = b.depthwise(name+"/depthwise", wide, 3)
		m.project = b.tensorFlow(name+"/project", out, wide, 1)
		m.stride, m.add = 1, i > 0 && in == out
		if i == 1 || i == 3 || i == 6 || i == 13 {
			m.stride, m.add = 2, false
		}
		in = out
	}
	p.last = b.tensorFlow(scope+"Conv_1", 1280, in, 1)
	p.code = b.tensorFlow("predict/mobilenet_conv/Conv", CodeLen, 1280, 1)
}

// run frees x.
func (p *predictor) run(dst *Code, s *Scratch, x feature) {
	x = clip(s.same(x, p.first, 2), 0, 6)
	for i := range p.blocks {
		m := &p.blocks[i]
		y := x
		if m.expand != nil {
			y = clip(s.conv(x, m.expand, 1, 0), 0, 6)
		}
		y = s.into(clip(s.same(y, m.depthwise, m.stride), 0, 6), m.project, 1, 0)
		switch {
		case m.add:
			y = s.sum(y, x)
		case m.expand != nil:
			s.free(x)
		}
		x = y
	}
	x = clip(s.into(x, p.last, 1, 0), 0, 6)
	mean, _ := s.moments(x, x.c)
	pooled := s.new(1, 1, x.c)
	for c, v := range mean {
		pooled.v[c] = float32(v)
	}
	s.free(x)
	y := s.into(pooled, p.code, 1, 0)
	copy(dst[:], y.v)
	s.free(y)
}
