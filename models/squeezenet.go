package models

import "github.com/augmix-go/augmix/nn/graph"

// Iandola et al., SqueezeNet: AlexNet-level Accuracy with 50x Fewer Parameters, 2016. Version 1.1 computes 2.4 times
// less. Names and initial values are torchvision's: Kaiming uniform by inputs, the last convolution N(0, 0.01), every
// bias 0.
var squeezeNet = Entry{
	Name:  "squeezenet",
	Form:  "squeezenet1.0|1.1",
	Doc:   "SqueezeNet",
	Paper: "Iandola et al., SqueezeNet: AlexNet-level Accuracy with 50x Fewer Parameters, 2016",
	Specs: []string{"squeezenet1.0", "squeezenet1.1"},
	Input: imageNet,
	match: prefix("squeezenet1.0", "squeezenet1.1"),
	build: buildSqueezeNet,
}

func buildSqueezeNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("squeezenet1.")
	version := p.number("version", 0, 1)
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	// Zeros stand for max pooling, other numbers for a fire module with that many channels between the convolutions. Its
	// results are eight times as many.
	var x, module int
	var plan []int
	if version == 0 {
		x = l.convBias("features.0", 0, 96, 7, 2, 0, fanInUniform)
		plan = []int{0, 16, 16, 32, 0, 32, 48, 48, 64, 0, 64}
	} else {
		x = l.convBias("features.0", 0, 64, 3, 2, 0, fanInUniform)
		plan = []int{0, 16, 16, 0, 32, 32, 0, 48, 48, 64, 64}
	}
	x = l.relu("features.1", x)
	module = 2
	for _, squeeze := range plan {
		name := sub("features", module)
		if module++; squeeze == 0 {
			x = l.Add(name, graph.MaxPool{K: 3, Stride: 2, Ceil: true}, x)
		} else {
			x = l.fire(name, x, squeeze, 4*squeeze)
		}
	}
	x = l.drop("classifier.0", x, 0.5)
	x = l.Add("classifier.1", graph.Conv{
		Out: classes, KH: 1, KW: 1, Stride: 1, Groups: 1, Bias: true, Init: graph.Init{Dist: graph.Normal, Scale: 0.01},
	}, x)
	x = l.relu("classifier.2", x)
	l.globalPool("classifier.3", x)
	return l.Done()
}

func (l layers) fire(name string, x, squeeze, expand int) int {
	act := func(part string, y int) int { return l.relu(sub(name, part+"_activation"), y) }
	x = act("squeeze", l.convBias(sub(name, "squeeze"), x, squeeze, 1, 1, 0, fanInUniform))
	one := act("expand1x1", l.convBias(sub(name, "expand1x1"), x, expand, 1, 1, 0, fanInUniform))
	three := act("expand3x3", l.convBias(sub(name, "expand3x3"), x, expand, 3, 1, 1, fanInUniform))
	return l.Add("", graph.Concat{}, one, three)
}
