package models

import (
	"maps"
	"slices"

	"github.com/augmix-go/augmix/nn/graph"
)

// resNetOptions follow ResNets and ResNeXts for large images.
const resNetOptions = "blurN       anti-aliased: binomial filters of N taps, 2 to 7, before every stride but the first; " +
	"blur is blur4\n" +
	"zerogamma   the last batch norm of each block starts at 0 (Goyal et al. 2017; torchvision's zero_init_residual)"

// He et al., Deep Residual Learning for Image Recognition, CVPR 2016, with the stride in the 3x3 convolution of a
// bottleneck. Names and initial values are torchvision's.
var resNet = Entry{
	Name:    "resnet",
	Form:    "resnet18|34|50|101|152[-blurN][-zerogamma]",
	Doc:     "ResNet for large images; with -blurN the anti-aliased one",
	Options: resNetOptions,
	Paper: "He et al., Deep Residual Learning for Image Recognition, CVPR 2016; blur: Zhang, Making Convolutional " +
		"Networks Shift-Invariant Again, ICML 2019",
	Specs: []string{"resnet18", "resnet34", "resnet50", "resnet101", "resnet18-blur4", "resnet50-blur4", "resnet50-blur5"},
	Input: imageNet,
	match: numbered("resnet", slices.Sorted(maps.Keys(stages))...),
	build: buildResNet,
}

// Xie et al., Aggregated Residual Transformations for Deep Neural Networks, CVPR 2017. Names are torchvision's.
var resNeXt = Entry{
	Name:    "resnext",
	Form:    "resnext50|101-CxDd[-blurN][-zerogamma]",
	Doc:     "ResNeXt for large images, with C groups of D channels in the first stage",
	Options: resNetOptions,
	Paper:   "Xie et al., Aggregated Residual Transformations for Deep Neural Networks, CVPR 2017",
	Specs:   []string{"resnext50-32x4d", "resnext101-32x8d"},
	Input:   imageNet,
	match:   numbered("resnext", 50, 101),
	build:   buildResNeXt,
}

// stages are the blocks in each stage, by depth: table 1 of the paper.
var stages = map[int][4]int{
	18: {2, 2, 2, 2}, 34: {3, 4, 6, 3}, 50: {3, 4, 6, 3}, 101: {3, 4, 23, 3}, 152: {3, 8, 36, 3},
}

// residual is a ResNet for large images.
type residual struct {
	layers
	depth  int
	groups int
	width  int // of a group where planes are 64
	blur   int // taps, 0 for none
	zero   bool
}

func buildResNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("resnet")
	return buildResidual(p, &residual{depth: p.number("depth", 1, maxDepth), groups: 1, width: 64}, input, classes)
}

func buildResNeXt(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("resnext")
	r := &residual{depth: p.number("depth", 1, maxDepth)}
	p.want("-")
	r.groups = p.number("number of groups", 1, maxWidth)
	p.want("x")
	r.width = p.number("group width", 1, maxWidth)
	p.want("d")
	return buildResidual(p, r, input, classes)
}

func buildResidual(p *parser, r *residual, input graph.Shape, classes int) (*graph.Graph, error) {
	p.options(
		option{"blur", func() {
			if r.blur = 4; p.rest != "" && p.rest[0] != '-' {
				r.blur = p.number("number of taps", 2, 7)
			}
		}},
		option{"zerogamma", func() { r.zero = true }},
	)
	if p.err != nil {
		return nil, nil
	}
	r.layers = newLayers(p.spec, input, classes)
	x := r.stem()
	for stage, n := range stages[r.depth] {
		for i := range n {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			name := sub("layer"+digit(stage+1), i)
			if r.depth < 50 {
				x = r.basic(name, x, 64<<stage, stride)
			} else {
				x = r.bottleneck(name, x, 64<<stage, stride)
			}
		}
	}
	x = r.globalPool("avgpool", x)
	r.linearDefault("fc", x, classes)
	return r.Done()
}

// stem is what comes before the blocks. The anti-aliased networks keep the first convolution's stride, because a filter
// at full resolution costs as much as a stage, and their published weights were trained with a window of 2 instead of
// 3.
func (r *residual) stem() int {
	x := r.relu("relu", r.bn("bn1", r.conv("conv1", 0, 64, 7, 2, 3, fanOut)))
	if r.blur == 0 {
		return r.Add("maxpool", graph.MaxPool{K: 3, Stride: 2, Pad: 1}, x)
	}
	x = r.Add("maxpool.0", graph.MaxPool{K: 2, Stride: 1}, x)
	return r.Add("maxpool.1", graph.BlurPool{Taps: r.blur, Stride: 2}, x)
}

// strided adds the convolution that follows a ReLU in the anti-aliased form, which filters at the stride and is then
// dense. Its modules are numbered.
func (r *residual) strided(name string, x, out, k, stride int) int {
	if stride == 1 {
		return r.conv(name, x, out, k, 1, k/2, fanOut)
	}
	x = r.Add(sub(name, 0), graph.BlurPool{Taps: r.blur, Stride: stride}, x)
	return r.conv(sub(name, 1), x, out, k, 1, k/2, fanOut)
}

func (r *residual) basic(name string, x, out, stride int) int {
	first, second := stride, 1
	if r.blur > 0 {
		first, second = 1, stride
	}
	y := r.conv(sub(name, "conv1"), x, out, 3, first, 1, fanOut)
	y = r.relu(sub(name, "relu"), r.bn(sub(name, "bn1"), y))
	y = r.last(sub(name, "bn2"), r.strided(sub(name, "conv2"), y, out, 3, second))
	return r.join(name, x, y, stride)
}

func (r *residual) bottleneck(name string, x, planes, stride int) int {
	middle, third := stride, 1
	if r.blur > 0 {
		middle, third = 1, stride
	}
	width := planes * r.width / 64 * r.groups
	y := r.conv(sub(name, "conv1"), x, width, 1, 1, 0, fanOut)
	y = r.relu(sub(name, "relu"), r.bn(sub(name, "bn1"), y))
	y = r.grouped(sub(name, "conv2"), y, width, 3, middle, 1, r.groups, fanOut)
	y = r.relu(sub(name, "relu"), r.bn(sub(name, "bn2"), y))
	y = r.last(sub(name, "bn3"), r.strided(sub(name, "conv3"), y, 4*planes, 1, third))
	return r.join(name, x, y, stride)
}

// last adds the batch norm that ends a block's branch.
func (r *residual) last(name string, x int) int {
	return r.Add(name, graph.BatchNorm{Eps: 1e-5, Momentum: 0.1, ZeroGamma: r.zero}, x)
}

// join adds the shortcut: the identity, or a 1x1 convolution where the shape changes.
func (r *residual) join(name string, x, y, stride int) int {
	if out := r.Shape(y).C; stride != 1 || r.Shape(x).C != out {
		module := 0
		if r.blur > 0 && stride != 1 {
			x = r.Add(sub(name, "downsample", 0), graph.BlurPool{Taps: r.blur, Stride: stride}, x)
			module, stride = 1, 1
		}
		x = r.conv(sub(name, "downsample", module), x, out, 1, stride, 0, fanOut)
		x = r.bn(sub(name, "downsample", module+1), x)
	}
	return r.relu(sub(name, "relu"), r.Add("", graph.Add{}, y, x))
}
