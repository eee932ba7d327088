package models

import "github.com/augmix-go/augmix/nn/graph"

// Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016: pre-activation blocks, the first of a stage with one
// batch norm and ReLU for the branch and the shortcut. AugMix takes 40-2, PixMix 40-4 with dropout 0.3, the paper's
// best is 28-10.
var wideResNet = Entry{
	Name:    "wrn",
	Form:    "wrn-DEPTH-WIDTH[-dropP]",
	Doc:     "Wide ResNet for small images; DEPTH is 6n+4, WIDTH multiplies 16, 32 and 64 channels",
	Options: "dropP   dropout with probability P between the convolutions of a block (0; PixMix: 0.3)",
	Paper:   "Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016",
	Specs:   []string{"wrn-40-2", "wrn-40-4", "wrn-28-10"},
	Input:   cifar,
	match:   prefix("wrn"),
	build:   buildWRN,
}

func buildWRN(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("wrn-")
	depth := p.number("depth", 10, maxDepth)
	p.want("-")
	width := p.number("width", 1, maxWidth)
	drop := 0.0
	p.options(p.drop(&drop))
	if (depth-4)%6 != 0 {
		p.fail("the depth %d is not 6n+4 (10, 16, 22, 28, 34, 40, ...)", depth)
	}
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := l.conv("conv1", 0, 16, 3, 1, 1, fanOut)
	for stage := range 3 {
		for i := range (depth - 4) / 6 {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			x = l.wideBlock(sub("block"+digit(stage+1), "layer", i), x, 16*width<<stage, stride, drop)
		}
	}
	x = l.relu("relu", l.bn("bn1", x))
	x = l.globalPool("", x)
	l.linear("fc", x, classes, framework.of(1, 1, 64*width, classes), graph.Init{})
	return l.Done()
}

func (l layers) wideBlock(name string, x, out, stride int, drop float64) int {
	same := l.Shape(x).C == out
	y := l.relu(sub(name, "relu1"), l.bn(sub(name, "bn1"), x))
	if !same {
		x = y
	}
	y = l.conv(sub(name, "conv1"), y, out, 3, stride, 1, fanOut)
	y = l.relu(sub(name, "relu2"), l.bn(sub(name, "bn2"), y))
	y = l.drop("", y, drop)
	y = l.conv(sub(name, "conv2"), y, out, 3, 1, 1, fanOut)
	if !same {
		x = l.conv(sub(name, "conv_shortcut"), x, out, 1, stride, 0, fanOut)
	}
	return l.Add("", graph.Add{}, x, y)
}

func digit(n int) string { return string(rune('0' + n)) }
