package models

import (
	"math"

	"github.com/augmix-go/augmix/nn/graph"
)

// Huang et al., Densely Connected Convolutional Networks, CVPR 2017, for small images. AugMix's program builds the
// plain form of depth 40 and growth 12, its paper names DenseNet-BC; Icons-50 takes the bottleneck form without
// compression.
var denseNet = Entry{
	Name: "densenet",
	Form: "densenet[-b|-bc]-DEPTH-GROWTH[-rR]",
	Doc: "DenseNet for small images; -b has bottlenecks, -bc compression as well; DEPTH is 3n+4, " +
		"with bottlenecks 6n+4, GROWTH the channels that a layer adds",
	Options: "rR   a transition keeps the fraction R of the channels (1; with -bc 0.5)",
	Paper:   "Huang et al., Densely Connected Convolutional Networks, CVPR 2017",
	Specs:   []string{"densenet-40-12", "densenet-bc-100-12", "densenet-b-40-24"},
	Input:   cifar,
	match:   prefix("densenet"),
	build:   buildDenseNet,
}

func buildDenseNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("densenet-")
	keep, step := 1.0, 3
	if p.word("bc-") {
		keep, step = 0.5, 6
	} else if p.word("b-") {
		step = 6
	}
	depth := p.number("depth", 4+step, maxDepth)
	p.want("-")
	growth := p.number("growth", 1, maxWidth)
	p.options(option{"r", func() { keep = p.fraction("kept fraction", 0.01, 1) }})
	if (depth-4)%step != 0 {
		p.fail("the depth %d is not %dn+4 (%d, %d, %d, ...)", depth, step, 4+step, 4+2*step, 4+3*step)
	}
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := l.conv("conv1", 0, 2*growth, 3, 1, 1, fanOut)
	for stage := range 3 {
		block := "dense" + digit(stage+1)
		for i := range (depth - 4) / step {
			x = l.denseLayer(sub(block, i), x, growth, step == 6)
		}
		if stage < 2 {
			name := "trans" + digit(stage+1)
			out := int(math.Floor(float64(l.Shape(x).C) * keep))
			x = l.conv(sub(name, "conv1"), l.relu("", l.bn(sub(name, "bn1"), x)), out, 1, 1, 0, fanOut)
			x = l.Add("", graph.AvgPool{K: 2, Stride: 2}, x)
		}
	}
	x = l.globalPool("", l.relu("", l.bn("bn1", x)))
	l.linear("fc", x, classes, framework.of(1, 1, l.Shape(x).C, classes), graph.Init{})
	return l.Done()
}

// denseLayer appends the channels it computes to those it reads.
func (l layers) denseLayer(name string, x, growth int, bottleneck bool) int {
	y := l.relu("", l.bn(sub(name, "bn1"), x))
	if bottleneck {
		y = l.conv(sub(name, "conv1"), y, 4*growth, 1, 1, 0, fanOut)
		y = l.relu("", l.bn(sub(name, "bn2"), y))
		y = l.conv(sub(name, "conv2"), y, growth, 3, 1, 1, fanOut)
	} else {
		y = l.conv(sub(name, "conv1"), y, growth, 3, 1, 1, fanOut)
	}
	return l.Add("", graph.Concat{}, x, y)
}
