package models

import "github.com/augmix-go/augmix/nn/graph"

// Krizhevsky, One Weird Trick for Parallelizing Convolutional Neural Networks, 2014: the single-column AlexNet, the
// baseline that ImageNet-C's and -P's rates are divided by. Names and initial values are torchvision's (all defaults).
var alexNet = Entry{
	Name:  "alexnet",
	Form:  "alexnet",
	Doc:   "AlexNet, the baseline of the mean corruption error and the mean flip rate",
	Paper: "Krizhevsky, One Weird Trick for Parallelizing Convolutional Neural Networks, 2014",
	Specs: []string{"alexnet"},
	Input: imageNet,
	match: prefix("alexnet"),
	build: buildAlexNet,
}

func buildAlexNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("alexnet")
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := 0
	conv := func(module, out, k, stride, pad int, pool bool) {
		x = l.convBias(sub("features", module), x, out, k, stride, pad, framework)
		x = l.relu(sub("features", module+1), x)
		if pool {
			x = l.Add(sub("features", module+2), graph.MaxPool{K: 3, Stride: 2}, x)
		}
	}
	conv(0, 64, 11, 4, 2, true)
	conv(3, 192, 5, 1, 2, true)
	conv(6, 384, 3, 1, 1, false)
	conv(8, 256, 3, 1, 1, false)
	conv(10, 256, 3, 1, 1, true)
	x = l.Add("avgpool", graph.AdaptivePool{H: 6, W: 6}, x)
	x = l.Add("", graph.Flatten{}, x)
	x = l.drop("classifier.0", x, 0.5)
	x = l.relu("classifier.2", l.linearDefault("classifier.1", x, 4096))
	x = l.drop("classifier.3", x, 0.5)
	x = l.relu("classifier.5", l.linearDefault("classifier.4", x, 4096))
	l.linearDefault("classifier.6", x, classes)
	return l.Done()
}
