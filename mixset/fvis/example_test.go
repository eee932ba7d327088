package fvis_test

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/mixset/fvis"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// A network's early and middle layers, visualized in blocks. The network here is not trained; with weights in it the
// images show what it has learned to see.
func Example() {
	g, err := models.Build("resnet20", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(rng.NewKey(1))
	visualizer, err := fvis.New(net, fvis.Options{
		Layers: []string{"layer1.0.conv2"}, Side: 24, Steps: 8,
		Mean: [3]float32{0.5, 0.5, 0.5}, Std: [3]float32{0.5, 0.5, 0.5},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	images := make([]*raster.Image, visualizer.BlockSize())
	for i := range images {
		images[i] = new(raster.Image)
	}
	subjects, err := visualizer.Block(context.Background(), images, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(subjects), "images of", subjects[0].Layer, "of", images[0].W, "by", images[0].H)
	fmt.Println("answers more than noise:", subjects[0].After > subjects[0].Before)
	// Output:
	// 16 images of layer1.0.conv2 of 24 by 24
	// answers more than noise: true
}

// What there is to visualize.
func ExampleLayers() {
	g, err := models.Build("wrn-10-1", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range fvis.Layers(g)[:3] {
		fmt.Println(l.Name, l.Channels)
	}
	// Output:
	// conv1 16
	// block1.layer.0.conv1 16
	// block1.layer.0.conv2 16
}

// A network that ends in the middle of another one.
func ExampleCut() {
	g, err := models.Build("resnet20", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	part, err := fvis.Cut(g, 64, 64, "layer1.0.conv1", "layer2.0.conv1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(part.Input(), part.Classes)
	// Output: 64x64x3 48
}
