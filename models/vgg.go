package models

import "github.com/augmix-go/augmix/nn/graph"

// Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR 2015. Names and
// initial values are torchvision's: convolutions normal by outputs, linear layers N(0, 0.01), every bias 0.
var vgg = Entry{
	Name:    "vgg",
	Form:    "vgg11|13|16|19[-bn]",
	Doc:     "VGG",
	Options: "bn   batch norm after every convolution",
	Paper:   "Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR 2015",
	Specs:   []string{"vgg11", "vgg11-bn", "vgg16", "vgg19", "vgg19-bn"},
	Input:   imageNet,
	match:   numbered("vgg", 11, 13, 16, 19),
	build:   buildVGG,
}

// vggConvs are the convolutions in each stage, by depth: table 1 of the paper, columns A, B, D, E.
var vggConvs = map[int][5]int{11: {1, 1, 2, 2, 2}, 13: {2, 2, 2, 2, 2}, 16: {2, 2, 3, 3, 3}, 19: {2, 2, 4, 4, 4}}

func buildVGG(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("vgg")
	depth := p.number("depth", 1, maxDepth)
	norm := false
	p.options(option{"bn", func() { norm = true }})
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x, module := 0, 0
	name := func() string { module++; return sub("features", module-1) }
	for stage, n := range vggConvs[depth] {
		for range n {
			x = l.convBias(name(), x, min(64<<stage, 512), 3, 1, 1, fanOut)
			if norm {
				x = l.bn(name(), x)
			}
			x = l.relu(name(), x)
		}
		x = l.Add(name(), graph.MaxPool{K: 2, Stride: 2}, x)
	}
	x = l.Add("avgpool", graph.AdaptivePool{H: 7, W: 7}, x)
	small := graph.Init{Dist: graph.Normal, Scale: 0.01}
	x = l.relu("classifier.1", l.linear("classifier.0", x, 4096, small, graph.Init{}))
	x = l.drop("classifier.2", x, 0.5)
	x = l.relu("classifier.4", l.linear("classifier.3", x, 4096, small, graph.Init{}))
	x = l.drop("classifier.5", x, 0.5)
	l.linear("classifier.6", x, classes, small, graph.Init{})
	return l.Done()
}
