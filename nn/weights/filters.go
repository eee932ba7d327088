package weights

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
)

// filterTolerance is how far the values of a filter in a file may lie from the graph's. Those of up to 7 taps are exact in any type of float.
const filterTolerance = 1e-6

// filtered returns the layer whose fixed filter a tensor is, "" if it is none.
func filtered(name string) string {
	layer, ok := strings.CutSuffix(name, ".filt")
	if !ok {
		return ""
	}
	return layer
}

// checkFilters returns an error that wraps [ErrMismatch] for a fixed filter among the tensors of a file that is not g's.
func checkFilters(g *graph.Graph, src []Tensor) error {
	strip := prefixed(src)
	for i := range src {
		layer := filtered(today(src[i].Name, strip))
		if layer == "" {
			continue
		}
		at := slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.Name == layer })
		blur, ok := graph.BlurPool{}, false
		if at >= 0 {
			blur, ok = g.Nodes[at].Op.(graph.BlurPool)
		}
		if !ok {
			return fmt.Errorf("%w: %s.filt is a filter, and %s has none there", ErrMismatch, layer, g.Name)
		}
		if err := checkFilter(&src[i], blur, g.Nodes[at].Shape.C); err != nil {
			return fmt.Errorf("%w: %s.filt has %w, the network %s has %dx%d", ErrMismatch, layer, err, g.Name,
				blur.Taps, blur.Taps)
		}
	}
	return nil
}

// checkFilter compares the filter of a file with what a graph does to so many channels.
func checkFilter(t *Tensor, blur graph.BlurPool, channels int) error {
	n := blur.Taps
	if !slices.Equal(t.Shape, []int{channels, 1, n, n}) {
		if len(t.Shape) == 4 && t.Shape[0] == channels && t.Shape[1] == 1 {
			return fmt.Errorf("%dx%d taps", t.Shape[2], t.Shape[3])
		}
		return fmt.Errorf("the shape %v (allowed: %v)", t.Shape, []int{channels, 1, n, n})
	}
	row := blur.Row()
	for i, v := range t.Data {
		if want := row[i/n%n] * row[i%n]; !(math.Abs(float64(v)-want) <= filterTolerance) {
			return fmt.Errorf("a tap of %v (allowed: %v)", v, want)
		}
	}
	return nil
}
