package fvis

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
)

// Layer is a convolution whose channels can be visualized.
type Layer struct {
	// Name is the convolution's, as its weights are called: "layer1.0.conv1".
	Name string
	// Channels is how many there are.
	Channels int
	// Node is the node of the graph whose values are maximized: that of the batch norm where one alone follows the
	// convolution, else the convolution itself. Values before the activation have a gradient everywhere.
	Node int
}

// Layers lists the layers of a network from the first to the last.
func Layers(g *graph.Graph) []Layer {
	use := g.Use()
	var all []Layer
	for i, n := range g.Nodes {
		if _, ok := n.Op.(graph.Conv); !ok {
			continue
		}
		l := Layer{Name: n.Name, Channels: n.Shape.C, Node: i}
		for j := i + 1; j < len(g.Nodes) && use[i] == 1; j++ {
			if _, ok := g.Nodes[j].Op.(graph.BatchNorm); ok && g.Nodes[j].In[0] == i {
				l.Node = j
			}
		}
		all = append(all, l)
	}
	return all
}

// Initial lists the layers that are visualized unless others are named, early and middle ones: those within the first
// four fifths of the convolutions that see images at an eighth of their side or more (or a pixel less, where a network has
// no borders), without the very first, whose patterns are no larger than its window; the first alone where that leaves
// none. PixMix took the initial layers of networks for images of 224 pixels.
func Initial(g *graph.Graph) []Layer {
	all := Layers(g)
	var some []Layer
	for i, l := range all {
		s := g.Nodes[l.Node].Shape
		if i > 0 && 5*i < 4*len(all) && 8*(s.H+1) >= g.Input().H {
			some = append(some, l)
		}
	}
	if len(some) == 0 && len(all) > 0 {
		some = all[:1]
	}
	return some
}

// find returns the layers of the names. The error wraps [ErrLayer] and lists those that there are.
func find(g *graph.Graph, names []string) ([]Layer, error) {
	all := Layers(g)
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s has no convolutions", ErrLayer, g.Name)
	}
	var found []Layer
	for _, name := range names {
		n := len(found)
		for _, l := range all {
			if l.Name == name {
				found = append(found, l)
			}
		}
		if len(found) == n {
			var allowed []string
			for _, l := range all {
				allowed = append(allowed, l.Name)
			}
			return nil, fmt.Errorf("%w: %.80q (allowed: %s)", ErrLayer, name, strings.Join(allowed, ", "))
		}
	}
	return found, nil
}

// Cut makes a network out of the part of g that the named layers need, for images of another size: its logits are the
// means of the layers' channels over the image, layer after layer. Nodes and tensors keep their names, so that
// weights can be copied. The error wraps [ErrLayer] for a name that g has not, or graph.ErrGraph for images
// too small.
func Cut(g *graph.Graph, h, w int, layers ...string) (*graph.Graph, error) {
	found, err := find(g, layers)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: none are named", ErrLayer)
	}
	return cut(g, h, w, found)
}

func cut(g *graph.Graph, h, w int, layers []Layer) (*graph.Graph, error) {
	needed := make([]bool, len(g.Nodes))
	channels := 0
	for _, l := range layers {
		needed[l.Node] = true
		channels += l.Channels
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		for _, k := range g.Nodes[i].In {
			needed[k] = needed[k] || needed[i]
		}
	}
	b := graph.NewBuilder(g.Name, graph.Shape{H: h, W: w, C: g.Input().C}, channels)
	at := make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		if i == 0 || !needed[i] {
			continue
		}
		in := make([]int, len(n.In))
		for j, k := range n.In {
			in[j] = at[k]
		}
		at[i] = b.Add(n.Name, n.Op, in...)
	}
	var heads []int
	for _, l := range layers {
		heads = append(heads, b.Add("", graph.AdaptivePool{H: 1, W: 1}, at[l.Node]))
	}
	if len(heads) > 1 {
		b.Add("", graph.Concat{}, heads...)
	}
	return b.Done()
}
