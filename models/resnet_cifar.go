package models

import "github.com/augmix-go/augmix/nn/graph"

// He et al., Deep Residual Learning for Image Recognition, CVPR 2016, section 4.2: three stages of n blocks with 16, 32
// and 64 channels, depth 6n+2, shortcuts without parameters (option A: every second pixel, new channels of zeros, half
// of them below and half above). Names, shortcut and initialization (normal by inputs) are those of Yerlan Idelbayev's
// pytorch_resnet_cifar10, whose trained weights are the ones in use.
var resNetCIFAR = Entry{
	Name:  "resnet-cifar",
	Form:  "resnet20|32|44|56|110|1202",
	Doc:   "ResNet for small images, with shortcuts without parameters",
	Paper: "He et al., Deep Residual Learning for Image Recognition, CVPR 2016, section 4.2",
	Specs: []string{"resnet20", "resnet32", "resnet44", "resnet56", "resnet110"},
	Input: cifar,
	match: numbered("resnet", 20, 32, 44, 56, 110, 1202),
	build: buildResNetCIFAR,
}

func buildResNetCIFAR(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("resnet")
	depth := p.number("depth", 8, maxDepth)
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := l.relu("", l.bn("bn1", l.conv("conv1", 0, 16, 3, 1, 1, fanIn)))
	for stage := range 3 {
		for i := range (depth - 2) / 6 {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			x = l.optionABlock(sub("layer"+digit(stage+1), i), x, 16<<stage, stride)
		}
	}
	x = l.globalPool("", x)
	l.linear("linear", x, classes, fanIn.of(1, 1, 64, classes), graph.Default(64))
	return l.Done()
}

func (l layers) optionABlock(name string, x, out, stride int) int {
	y := l.conv(sub(name, "conv1"), x, out, 3, stride, 1, fanIn)
	y = l.relu("", l.bn(sub(name, "bn1"), y))
	y = l.bn(sub(name, "bn2"), l.conv(sub(name, "conv2"), y, out, 3, 1, 1, fanIn))
	if in := l.Shape(x).C; stride != 1 || in != out {
		before := (out - in) / 2
		x = l.Add(sub(name, "shortcut"), graph.Subsample{Stride: stride, Before: before, After: out - in - before}, x)
	}
	return l.relu("", l.Add("", graph.Add{}, y, x))
}
