package models

import "github.com/augmix-go/augmix/nn/graph"

// Gastaldi, Shake-Shake regularization, 2017 (arXiv:1705.07485), table 1: 26 layers, two branches, weights drawn for each
// image in both passes (S-S-I). Names and initial values are those of the program of the Icons-50 experiments, which trains
// 26 2x96d; as there the first convolution has W channels, where the paper has 16, and no ReLU comes before the pooling.
var shakeShake = Entry{
	Name:  "shakeshake",
	Form:  "shakeshake26-2xWd",
	Doc:   "Shake-Shake of 26 layers for small images, with W channels in the first stage",
	Paper: "Gastaldi, Shake-Shake regularization, ICLR workshop 2017",
	Specs: []string{"shakeshake26-2x32d", "shakeshake26-2x64d", "shakeshake26-2x96d"},
	Input: cifar,
	match: prefix("shakeshake26"),
	build: buildShakeShake,
}

func buildShakeShake(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("shakeshake26-2x")
	width := p.number("number of channels", 1, maxWidth)
	p.want("d")
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := l.relu("", l.bn("bn", l.conv("conv", 0, width, 3, 1, 1, fanOut)))
	for stage := range 3 {
		for i := range 4 {
			name, stride := sub("stage"+digit(stage+1), "block"+digit(i+1)), 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			x = l.shakeBlock(name, x, width<<stage, stride)
		}
	}
	x = l.globalPool("", x)
	l.linear("fc", x, classes, framework.of(1, 1, 4*width, classes), graph.Init{})
	return l.Done()
}

func (l layers) shakeBlock(name string, x, out, stride int) int {
	branch := func(name string) int {
		y := l.conv(sub(name, "conv1"), l.relu("", x), out, 3, stride, 1, fanOut)
		y = l.relu("", l.bn(sub(name, "bn1"), y))
		return l.bn(sub(name, "bn2"), l.conv(sub(name, "conv2"), y, out, 3, 1, 1, fanOut))
	}
	y := l.Add("", graph.ShakeShake{}, branch(sub(name, "residual_path1")), branch(sub(name, "residual_path2")))
	if stride > 1 {
		x = l.shakeShortcut(sub(name, "shortcut.downsample"), x, out, stride)
	}
	return l.Add("", graph.Add{}, x, y)
}

// shakeShortcut halves the image twice, the second time moved by a pixel.
func (l layers) shakeShortcut(name string, x, out, stride int) int {
	x = l.relu("", x)
	even := l.Add("", graph.Subsample{Stride: stride}, x)
	odd := l.Add("", graph.Subsample{Stride: stride}, l.Add("", graph.Shift{By: 1}, x))
	x = l.Add("", graph.Concat{}, l.conv(sub(name, "conv1"), even, out/2, 1, 1, 0, fanOut),
		l.conv(sub(name, "conv2"), odd, out/2, 1, 1, 0, fanOut))
	return l.bn(sub(name, "bn"), x)
}
