package models

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

// Springenberg et al., Striving for Simplicity: The All Convolutional Net, 2015, in the form that AugMix trains (after
// Salimans and Kingma, Weight Normalization, 2016): batch norm and GELU after every convolution, max pooling, and two
// 1x1 convolutions that are padded as if they were 3x3, so that the map grows from 6 to 10 pixels, of which the mean
// takes the first 8. For images of other sizes the mean takes a quarter of the side, which is our generalization.
var allConvNet = Entry{
	Name:  "allconv",
	Form:  "allconv",
	Doc:   "all-convolutional network with GELU, as AugMix trains it",
	Paper: "Springenberg et al., Striving for Simplicity, ICLR workshop 2015; Hendrycks et al., AugMix, ICLR 2020",
	Specs: []string{"allconv"},
	Input: cifar,
	match: prefix("allconv"),
	build: buildAllConv,
}

func buildAllConv(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("allconv")
	p.options()
	if p.err != nil {
		return nil, nil
	}
	if input.H != input.W || input.H%4 != 0 || input.H < 12 {
		return nil, fmt.Errorf("%w: allconv over images of %v (allowed: squares with a side of 12, 16, 20, ...)",
			ErrSpec, input)
	}
	l := newLayers(p.spec, input, classes)
	x, module := 0, 0
	name := func() string { module++; return sub("features", module-1) }
	conv := func(out, k, pad int) {
		x = l.convBias(name(), x, out, k, 1, pad, fanOut)
		x = l.bn(name(), x)
		x = l.Add(name(), graph.GELU{Sigmoid: true}, x)
	}
	for _, out := range []int{96, 192} {
		for range 3 {
			conv(out, 3, 1)
		}
		x = l.Add(name(), graph.MaxPool{K: 2, Stride: 2}, x)
		x = l.Add(name(), graph.Dropout{P: 0.5}, x)
	}
	conv(192, 3, 0)
	conv(192, 1, 1)
	conv(192, 1, 1)
	x = l.Add(name(), graph.AvgPool{K: input.H / 4, Stride: input.H / 4}, x)
	l.linear("classifier", x, classes, framework.of(1, 1, 192, classes), graph.Init{})
	return l.Done()
}
