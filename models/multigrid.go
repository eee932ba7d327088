package models

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

// Ke, Maire and Yu, Multigrid Neural Architectures, CVPR 2017: residual blocks over features at several resolutions, each
// of which reads the next finer and the next coarser one too. Structure and initial values are those of the authors'
// program (github.com/buttomnutstoast/Multigrid-Neural-Architectures), whose modules have no names: names are ours. The
// first version of ImageNet-C does not say which network it measures; that it is R-MG-34 is our reading of its error of 24.6 %.
var multigrid = Entry{
	Name:  "multigrid",
	Form:  "rmg18|34",
	Doc:   "residual multigrid network (R-MG) for large images, whose sides are multiples of 32",
	Paper: "Ke et al., Multigrid Neural Architectures, CVPR 2017",
	Specs: []string{"rmg18", "rmg34"},
	Input: imageNet,
	match: numbered("rmg", 18, 34),
	build: buildMultigrid,
}

func buildMultigrid(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("rmg")
	depth := p.number("depth", 1, maxDepth)
	p.options()
	if p.err != nil {
		return nil, nil
	}
	l := newLayers(p.spec, input, classes)
	var grids []int
	for i, out := range []int{64, 32, 16} {
		x, name := 0, sub("input", i)
		if i > 0 {
			x = l.Add("", graph.AvgPool{K: 1 << i, Stride: 1 << i}, 0)
		}
		x = l.relu("", l.bn(sub(name, "bn"), l.convBias(sub(name, "conv"), x, out, 7, 2, 3, fanOut)))
		grids = append(grids, l.Add("", graph.MaxPool{K: 3, Stride: 2, Pad: 1}, x))
	}
	for b, out := range [][]int{{64, 32, 16}, {128, 64, 32}, {256, 128}, {512}} {
		if b > 0 {
			grids = l.poolGrids(grids, len(out) < len(grids))
		}
		for i := range stages[depth][b] {
			grids = l.gridBlock(sub("blocks", b, i), grids, out)
		}
	}
	x := l.globalPool("", grids[0])
	l.linear("classifier", x, classes, framework.of(1, 1, l.Shape(x).C, classes), graph.Init{})
	return l.Done()
}

// halve takes the maximum of 2x2 pixels.
func (l layers) halve(x int) int {
	return l.Add("", graph.MaxPool{K: 2, Stride: 2, Ceil: true}, x)
}

// poolGrids halves every grid; to join, the last but one becomes part of the last, which stays.
func (l layers) poolGrids(grids []int, join bool) []int {
	last := len(grids) - 1
	var out []int
	for g, x := range grids {
		if g < last || !join {
			out = append(out, l.halve(x))
		}
	}
	if join {
		out[last-1] = l.Add("", graph.Concat{}, out[last-1], grids[last])
	}
	return out
}

// gridBlock is a residual block over all grids. A shortcut has more channels by zeros.
func (l layers) gridBlock(name string, grids, out []int) []int {
	first := l.gridConv(name, "1", grids, out)
	for g, x := range first {
		first[g] = l.relu("", x)
	}
	second := l.gridConv(name, "2", first, out)
	for g, x := range second {
		shortcut := grids[g]
		if more := out[g] - l.Shape(shortcut).C; more > 0 {
			shortcut = l.Add("", graph.Subsample{Stride: 1, After: more}, shortcut)
		}
		second[g] = l.relu("", l.Add("", graph.Add{}, x, shortcut))
	}
	return second
}

// gridConv adds a convolution and a batch norm for each grid, over what the finer grid, itself and the coarser grid hold.
func (l layers) gridConv(name, number string, grids, out []int) []int {
	var all []int
	for g, x := range grids {
		var in []int
		if g > 0 {
			in = append(in, l.halve(grids[g-1]))
		}
		in = append(in, x)
		if g+1 < len(grids) {
			in = append(in, l.Add("", graph.Upsample{By: 2}, grids[g+1]))
		}
		if len(in) > 1 {
			x = l.Add("", graph.Concat{}, in...)
		}
		x = l.convBias(fmt.Sprintf("%s.conv%s.%d", name, number, g), x, out[g], 3, 1, 1, fanOut)
		all = append(all, l.bn(fmt.Sprintf("%s.bn%s.%d", name, number, g), x))
	}
	return all
}
