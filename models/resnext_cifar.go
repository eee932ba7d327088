package models

import "github.com/augmix-go/augmix/nn/graph"

// Xie et al., Aggregated Residual Transformations for Deep Neural Networks, CVPR 2017, for small images. The paper's
// numbers are 8x64d; AugMix trains 4x32, Icons-50 8x32.
var resNeXtCIFAR = Entry{
	Name:  "resnext-cifar",
	Form:  "resnext29-CxD",
	Doc:   "ResNeXt of 29 layers for small images, with C groups of D channels in the first stage",
	Paper: "Xie et al., Aggregated Residual Transformations for Deep Neural Networks, CVPR 2017",
	Specs: []string{"resnext29-4x32", "resnext29-8x32", "resnext29-8x64"},
	Input: cifar,
	match: prefix("resnext29"),
	build: buildResNeXt29,
}

func buildResNeXt29(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("resnext29-")
	groups := p.number("number of groups", 1, maxWidth)
	p.want("x")
	width := p.number("group width", 1, maxWidth)
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	x := l.relu("", l.bn("bn_1", l.conv("conv_1_3x3", 0, 64, 3, 1, 1, fanOut)))
	for stage := range 3 {
		for i := range 3 {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			planes := 64 << stage
			// The published program multiplies first and divides by its base of 64 channels after.
			x = l.resNeXt29Block(sub("stage_"+digit(stage+1), i), x, planes*width/64*groups, 4*planes, stride, groups)
		}
	}
	x = l.globalPool("avgpool", x)
	// The classifier alone starts from the Kaiming normal distribution by inputs.
	l.linear("classifier", x, classes, fanIn.of(1, 1, 1024, classes), graph.Init{})
	return l.Done()
}

func (l layers) resNeXt29Block(name string, x, mid, out, stride, groups int) int {
	y := l.conv(sub(name, "conv_reduce"), x, mid, 1, 1, 0, fanOut)
	y = l.relu("", l.bn(sub(name, "bn_reduce"), y))
	y = l.grouped(sub(name, "conv_conv"), y, mid, 3, stride, 1, groups, fanOut)
	y = l.relu("", l.bn(sub(name, "bn"), y))
	y = l.bn(sub(name, "bn_expand"), l.conv(sub(name, "conv_expand"), y, out, 1, 1, 0, fanOut))
	if stride != 1 || l.Shape(x).C != out {
		x = l.conv(sub(name, "downsample", 0), x, out, 1, stride, 0, fanOut)
		x = l.bn(sub(name, "downsample", 1), x)
	}
	return l.relu("", l.Add("", graph.Add{}, x, y))
}
