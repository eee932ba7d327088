package fvis

import (
	"testing"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
)

// BenchmarkBlock: images a second of 32 and 64 pixels with all default settings. What the ascent does beside the
// network is about a fifth of it.
func BenchmarkBlock(b *testing.B) {
	g, err := models.Build("resnet20", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		b.Fatal(err)
	}
	net := random(b, g)
	for _, side := range []int{32, 64} {
		b.Run(map[int]string{32: "32", 64: "64"}[side], func(b *testing.B) {
			o := norm
			o.Side, o.Layers = side, []string{"layer2.2.conv2"}
			p, err := New(net, o)
			if err != nil {
				b.Fatal(err)
			}
			m := make([]*raster.Image, p.BlockSize())
			for i := range m {
				m[i] = new(raster.Image)
			}
			n := 0
			for b.Loop() {
				if _, err := p.Block(b.Context(), m, n); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(n*len(m))/b.Elapsed().Seconds(), "images/s")
		})
	}
}
