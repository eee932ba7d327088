package models

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

const (
	condensePaper   = "Huang et al., CondenseNet: An Efficient DenseNet using Learned Group Convolutions, CVPR 2018"
	condenseOptions = "converted   the network that training leaves: selected channels, grouped convolutions\n" +
		"lassoL      weight of the group lasso in training (0.00001)"
)

// Huang et al., CondenseNet: An Efficient DenseNet using Learned Group Convolutions, CVPR 2018: C = G condensing groups.
// Structure, names and initial values are those of github.com/ShichenLiu/CondenseNet, whose published weights are those of
// the converted networks.
var condenseNet = Entry{
	Name:    "condensenet",
	Form:    "condensenet-cC[-converted][-lassoL]",
	Doc:     "CondenseNet-74 for large images, with C groups that keep 1/C of their inputs each",
	Options: condenseOptions,
	Paper:   condensePaper,
	Specs:   []string{"condensenet-c4", "condensenet-c4-converted", "condensenet-c8", "condensenet-c8-converted"},
	Input:   imageNet,
	match:   prefix("condensenet"),
	build:   buildCondenseNet,
}

var condenseNetSmall = Entry{
	Name:    "condensenet-small",
	Form:    "condensenet-small-DEPTH-cC[-converted][-lassoL]",
	Doc:     "CondenseNet for small images, with C groups that keep 1/C of their inputs each; DEPTH is 6n+2",
	Options: condenseOptions,
	Paper:   condensePaper,
	Specs:   []string{"condensenet-small-86-c4", "condensenet-small-86-c4-converted"},
	Input:   cifar,
	match:   prefix("condensenet-small"),
	build:   buildCondenseNet,
}

// condensed is a CondenseNet in the making.
type condensed struct {
	layers
	groups    int
	lasso     float64
	converted bool
}

func buildCondenseNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("condensenet-")
	blocks, stride := []int{4, 6, 8, 10, 8}, 2
	if p.word("small-") {
		depth := p.number("depth", 8, maxDepth)
		if depth%6 != 2 {
			p.fail("the depth %d is not 6n+2 (8, 14, 20, ...)", depth)
		}
		n := (depth - 2) / 6
		blocks, stride = []int{n, n, n}, 1
		p.want("-")
	}
	p.want("c")
	c := &condensed{groups: p.number("number of groups", 1, 8), lasso: 1e-5}
	if c.groups&(c.groups-1) != 0 {
		p.fail("%d groups are not 1, 2, 4 or 8, which divide every layer", c.groups)
	}
	p.options(
		option{"converted", func() { c.converted = true }},
		option{"lasso", func() { c.lasso = p.fraction("weight of the lasso", 0, 1) }},
	)
	if p.err != nil {
		return nil, nil
	}
	c.layers = newLayers(p.spec, input, classes)
	growth := 8
	x := c.conv("features.init_conv", 0, 2*growth, 3, stride, 1, fanOut)
	for b, n := range blocks {
		if b > 0 {
			x = c.Add(sub("features", fmt.Sprint("transition_", b), "pool"), graph.AvgPool{K: 2, Stride: 2}, x)
		}
		for i := range n {
			x = c.layer(fmt.Sprintf("features.denseblock_%d.denselayer_%d", b+1, i+1), x, growth<<b)
		}
	}
	x = c.relu("features.relu_last", c.bn("features.norm_last", x))
	x = c.globalPool("features.pool_last", x)
	name := "classifier"
	if c.converted { // half of the features are left
		x, name = c.Add(name, graph.Select{Out: c.Shape(x).C / 2}, x), "classifier.linear"
	}
	c.linear(name, x, classes, framework.of(1, 1, c.Shape(x).C, classes), graph.Init{})
	return c.Done()
}

// layer appends growth channels.
func (c *condensed) layer(name string, x, growth int) int {
	first, second := sub(name, "conv_1"), sub(name, "conv_2")
	y := x
	if c.converted { // each group selects 1/groups of the inputs, so that there are as many as before
		y = c.Add(first, graph.Select{Out: c.Shape(x).C}, x)
	}
	y = c.relu(sub(first, "relu"), c.bn(sub(first, "norm"), y))
	if c.converted {
		y = c.grouped(sub(first, "conv"), y, 4*growth, 1, 1, 0, c.groups, fanOut)
		y = c.Add("", graph.Shuffle{Groups: c.groups}, y)
	} else {
		y = c.Add(sub(first, "conv"), graph.LearnedGroupConv{
			Out: 4 * growth, Groups: c.groups, Condense: c.groups, Lasso: c.lasso, Init: fanOut.of(1, 1, 0, 4*growth),
		}, y)
	}
	y = c.relu(sub(second, "relu"), c.bn(sub(second, "norm"), y))
	return c.Add("", graph.Concat{}, x, c.grouped(sub(second, "conv"), y, growth, 3, 1, 1, c.groups, fanOut))
}
