package models

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

const msdPaper = "Huang et al., Multi-Scale Dense Networks for Resource Efficient Image Classification, ICLR 2018"

// Huang et al., Multi-Scale Dense Networks for Resource Efficient Image Classification, ICLR 2018: features at several
// scales, dense in each, and a classifier after each block. The configurations, names and initial values (PyTorch's
// defaults: its own reach no layer) are those of github.com/kalviny/MSDNet-PyTorch for ImageNet and CIFAR. The first
// version of ImageNet-C does not say which MSDNet it measures; that it is the largest, 5 blocks of 7 layers, is our reading
// of its error of 24.6 %.
var msdNet = Entry{
	Name:  "msdnet",
	Form:  "msdnet-BLOCKS-STEP",
	Doc:   "MSDNet for large images: BLOCKS exits, STEP layers in each block",
	Paper: msdPaper,
	Specs: []string{"msdnet-5-4", "msdnet-5-6", "msdnet-5-7"},
	Input: imageNet,
	match: prefix("msdnet"),
	build: buildMSDNet,
}

var msdNetSmall = Entry{
	Name:  "msdnet-small",
	Form:  "msdnet-small-BLOCKS-STEP",
	Doc:   "MSDNet for small images: BLOCKS exits, STEP layers in each block, twice as many in the first",
	Paper: msdPaper,
	Specs: []string{"msdnet-small-7-2", "msdnet-small-11-2"},
	Input: cifar,
	match: prefix("msdnet-small"),
	build: buildMSDNet,
}

// multiScale is an MSDNet in the making. Channels are counted at the first scale; those of scale s are factor[s] times as
// many, and its bottlenecks factor[s] times as wide as what they lead to.
type multiScale struct {
	layers
	factor        []int
	growth        int
	inner         int // channels of a classifier, 0 for those that come in
	layer, depth  int // the layer at hand, and how many there are
	channels      int
	features      []int // of the scales that are left
	block, module int   // where names are
}

func buildMSDNet(p *parser, input graph.Shape, classes int) (*graph.Graph, error) {
	p.want("msdnet-")
	small := p.word("small-")
	blocks := p.number("number of blocks", 1, maxDepth)
	p.want("-")
	step := p.number("number of layers", 1, maxDepth)
	p.options()
	if p.err == nil && blocks*step > maxDepth {
		p.fail("%d blocks of %d layers are more than %d layers", blocks, step, maxDepth)
	}
	if p.err != nil {
		return nil, nil
	}
	m := &multiScale{layers: newLayers(p.spec, input, classes), factor: []int{1, 2, 4, 4}, growth: 16, channels: 32, depth: blocks * step}
	first := step
	if small {
		m.factor, m.growth, m.channels, m.inner = []int{1, 2, 4}, 6, 16, 128
		first = 2 * step
		m.depth += step
	}
	m.start(small)
	var ends, widths []int
	for m.block = range blocks {
		layers := step
		if m.block == 0 {
			layers = first
		} else {
			m.module = 0
		}
		for range layers {
			m.next()
		}
		ends, widths = append(ends, m.features[len(m.features)-1]), append(widths, m.channels*m.factor[len(m.factor)-1])
	}
	for m.block = range blocks {
		exit := m.classifier(ends[m.block], widths[m.block], classes)
		if m.block < blocks-1 {
			m.Exit(exit)
		}
	}
	return m.Done()
}

// name is that of the module at hand.
func (m *multiScale) name() string { return fmt.Sprintf("blocks.%d.%d", m.block, m.module) }

// basic adds convolution, batch norm and ReLU, which have the numbers from at on.
func (m *multiScale) basic(name string, at, x, out, k, stride int) int {
	x = m.conv(sub(name, at), x, out, k, stride, k/2, framework)
	return m.relu(sub(name, at+2), m.bn(sub(name, at+1), x))
}

// start makes the features of every scale, each from those of the scale before.
func (m *multiScale) start(small bool) {
	x, name := 0, sub(m.name(), "layers")
	for s, f := range m.factor {
		at, stride := sub(name, s, "net"), 2
		switch {
		case s == 0 && small:
			stride = 1
			fallthrough
		case s > 0:
			x = m.basic(at, 0, x, m.channels*f, 3, stride)
		default:
			at = sub(name, 0)
			x = m.convBias(sub(at, 0), x, m.channels*f, 7, 2, 3, framework)
			x = m.relu(sub(at, 2), m.bn(sub(at, 1), x))
			x = m.Add(sub(at, 3), graph.MaxPool{K: 3, Stride: 2, Pad: 1}, x)
		}
		m.features = append(m.features, x)
	}
	m.module++
}

// next adds a layer: to each scale features of itself and of the finer one. The layers are divided evenly among as many
// parts as there are scales; each part but the first gives up the finest scale that is left and halves the channels.
func (m *multiScale) next() {
	m.layer++
	interval := (m.depth + len(m.factor) - 1) / len(m.factor)
	drop := len(m.features) - len(m.factor) + (m.layer-1)/interval
	offset := len(m.factor) - len(m.features) + drop
	var out []int
	for i, x := range m.features[drop:] {
		f, name := m.factor[offset+i], sub(m.name(), "layers", i)
		if i+drop == 0 {
			out = append(out, m.Add("", graph.Concat{}, x, m.bottleneck(sub(name, "conv_normal.net"), x, m.growth*f, f, 1)))
			continue
		}
		down := m.bottleneck(sub(name, "conv_down.net"), m.features[i+drop-1], m.growth*f/2, m.factor[offset+i-1], 2)
		out = append(out, m.Add("", graph.Concat{}, x, down, m.bottleneck(sub(name, "conv_normal.net"), x, m.growth*f/2, f, 1)))
	}
	m.features = out
	m.channels += m.growth
	m.module++
	if drop == 0 {
		return
	}
	m.channels /= 2
	for i, x := range m.features {
		m.features[i] = m.basic(sub(m.name(), "m", i, "net"), 0, x, m.channels*m.factor[offset+i], 1, 1)
	}
	m.module++
}

func (m *multiScale) bottleneck(name string, x, out, factor, stride int) int {
	x = m.basic(name, 0, x, min(m.Shape(x).C, factor*out), 1, 1)
	return m.basic(name, 3, x, out, 3, stride)
}

// classifier adds an exit. Its mean is over 2x2 pixels for images of the published size; over all pixels is ours.
func (m *multiScale) classifier(x, width, classes int) int {
	if m.inner > 0 {
		width = m.inner
	}
	name := sub("classifier", m.block)
	for i := range 2 {
		x = m.basic(sub(name, "m", i, "net"), 0, x, width, 3, 2)
	}
	x = m.globalPool(sub(name, "m.2"), x)
	return m.linearDefault(sub(name, "linear"), x, classes)
}
