package image2image

import (
	"fmt"
	"slices"
)

// carnScale is what CARN-M enlarges images by where it makes an image of the same size.
const carnScale = 2

// cascade is a block of CARN-M: three steps, each of which sees all that came before it through a 1x1 convolution.
type cascade struct {
	step [3]func(s *Scratch, x feature) feature
	join [3]*layer
}

// run frees x.
func (c *cascade) run(s *Scratch, x feature) feature {
	all, out := [4]feature{x}, x
	for i, step := range c.step {
		all[i+1] = step(s, out)
		if i > 0 {
			s.free(out)
		}
		out = relu(s.into(s.concat(all[:i+2]...), c.join[i], 1, 0))
	}
	s.free(all[:]...)
	return out
}

// carnNet is CARN-M.
type carnNet struct {
	subtract, add, entry, exit *layer
	body                       cascade
	up2, up3                   *layer
	up4                        [2]*layer
}

func carn(b *binder) *Network {
	n := bindCARN(b)
	used := slices.DeleteFunc(slices.Clone(b.layers), func(l *layer) bool { return l == n.up3 || slices.Contains(n.up4[:], l) })
	return &Network{scale: carnScale, layers: used, enlarge: func(s *Scratch, x feature) feature {
		return n.enlarge(s, x, carnScale)
	}}
}

func bindCARN(b *binder) *carnNet {
	const c = 64
	n := &carnNet{}
	n.subtract = b.conv("sub_mean.shifter", 3, 3, 1, 1, true)
	n.entry = b.conv("entry", c, 3, 3, 1, true)
	join := func(to *[3]*layer, prefix string) {
		for i := range to {
			to[i] = b.conv(fmt.Sprintf("%sc%d.body.0", prefix, i+1), c, (i+2)*c, 1, 1, true)
		}
	}
	for i := range n.body.step {
		name := fmt.Sprintf("b%d.", i+1)
		residual := [3]*layer{ // one set of weights for the three steps
			b.conv(name+"b1.body.0", c, c, 3, 4, true), b.conv(name+"b1.body.2", c, c, 3, 4, true), b.conv(name+"b1.body.4", c, c, 1, 1, true),
		}
		var block cascade
		join(&block.join, name)
		for k := range block.step {
			block.step[k] = func(s *Scratch, x feature) feature {
				y := relu(s.conv(x, residual[0], 1, 1))
				y = relu(s.into(y, residual[1], 1, 1))
				y = s.into(y, residual[2], 1, 0)
				for i, v := range x.v {
					y.v[i] += v
				}
				return relu(y)
			}
		}
		n.body.step[i] = func(s *Scratch, x feature) feature {
			y := s.new(x.h, x.w, x.c)
			copy(y.v, x.v)
			return block.run(s, y)
		}
	}
	join(&n.body.join, "")
	n.up2 = b.conv("upsample.up2.body.0", 4*c, c, 3, 4, true)
	n.up3 = b.conv("upsample.up3.body.0", 9*c, c, 3, 4, true)
	n.up4 = [2]*layer{b.conv("upsample.up4.body.0", 4*c, c, 3, 4, true), b.conv("upsample.up4.body.3", 4*c, c, 3, 4, true)}
	n.exit = b.conv("exit", 3, c, 3, 1, true)
	n.add = b.conv("add_mean.shifter", 3, 3, 1, 1, true)
	return n
}

// enlarge makes x 2, 3 or 4 times as large and frees it.
func (n *carnNet) enlarge(s *Scratch, x feature, scale int) feature {
	x = s.into(x, n.subtract, 1, 0)
	x = n.body.run(s, s.into(x, n.entry, 1, 1))
	steps, by := []*layer{n.up2}, 2
	switch scale {
	case 3:
		steps, by = []*layer{n.up3}, 3
	case 4:
		steps = n.up4[:]
	}
	for _, l := range steps {
		x = s.shuffle(relu(s.into(x, l, 1, 1)), by)
	}
	return s.into(s.into(x, n.exit, 1, 1), n.add, 1, 0)
}
