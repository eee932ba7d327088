package models

import (
	"fmt"
	"maps"
	"slices"

	"github.com/augmix-go/augmix/nn/graph"
)

// Huang et al., Densely Connected Convolutional Networks, CVPR 2017, table 1: the networks for ImageNet, with bottlenecks
// and compression by half. Names and initial values are torchvision's.
var denseNetLarge = Entry{
	Name:  "densenet-large",
	Form:  "densenet121|161|169|201",
	Doc:   "DenseNet-BC for large images",
	Paper: "Huang et al., Densely Connected Convolutional Networks, CVPR 2017",
	Specs: []string{"densenet121", "densenet161", "densenet169", "densenet201"},
	Input: imageNet,
	match: numbered("densenet", slices.Sorted(maps.Keys(denseStages))...),
	build: buildDenseNetLarge,
}

// denseStages are the layers of each block, by depth.
var denseStages = map[int][4]int{
	121: {6, 12, 24, 16}, 161: {6, 12, 36, 24}, 169: {6, 12, 32, 32}, 201: {6, 12, 48, 32},
}

func buildDenseNetLarge(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("densenet")
	depth := p.number("depth", 1, maxDepth)
	p.options()
	if p.err != nil {
		return nil, nil
	}
	growth := 32
	if depth == 161 {
		growth = 48
	}
	l := newLayers(p.spec, input, classes)
	x := l.conv("features.conv0", 0, 2*growth, 7, 2, 3, fanIn)
	x = l.relu("features.relu0", l.bn("features.norm0", x))
	x = l.Add("features.pool0", graph.MaxPool{K: 3, Stride: 2, Pad: 1}, x)
	for stage, n := range denseStages[depth] {
		if stage > 0 {
			name := "features.transition" + digit(stage)
			x = l.relu(sub(name, "relu"), l.bn(sub(name, "norm"), x))
			x = l.conv(sub(name, "conv"), x, l.Shape(x).C/2, 1, 1, 0, fanIn)
			x = l.Add(sub(name, "pool"), graph.AvgPool{K: 2, Stride: 2}, x)
		}
		for i := range n {
			name := fmt.Sprintf("features.denseblock%d.denselayer%d", stage+1, i+1)
			y := l.relu(sub(name, "relu1"), l.bn(sub(name, "norm1"), x))
			y = l.conv(sub(name, "conv1"), y, 4*growth, 1, 1, 0, fanIn)
			y = l.relu(sub(name, "relu2"), l.bn(sub(name, "norm2"), y))
			x = l.Add("", graph.Concat{}, x, l.conv(sub(name, "conv2"), y, growth, 3, 1, 1, fanIn))
		}
	}
	x = l.globalPool("", l.relu("", l.bn("features.norm5", x)))
	l.linear("classifier", x, classes, framework.of(1, 1, l.Shape(x).C, classes), graph.Init{})
	return l.Done()
}
