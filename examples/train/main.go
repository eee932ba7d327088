// Train trains a small network on images in memory with AugMix and its consistency loss: dark images are class 0, bright
// ones class 1.
//
//	go run ./examples/train
package main

import (
	"fmt"
	"log"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

const batch, views, side, steps = 4, 3, 32, 5

func main() {
	g, err := models.Build("resnet20", graph.Shape{H: side, W: side, C: 3}, 2)
	if err != nil {
		log.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Batch: views * batch, Train: true})
	if err != nil {
		log.Fatal(err)
	}
	net.Init(rng.NewKey(1))
	x, dlogits := make([]float32, views*batch*3*side*side), make([]float32, views*batch*2)
	opt, rate := &nn.SGD{Momentum: 0.9}, nn.Cosine{Max: 0.05, Steps: steps}
	var b mix.Batch
	for step := range steps {
		var images []*raster.Image
		var labels []int
		var keys []rng.Key
		for i := range batch { // here your own images come in
			m := raster.New(side, side)
			m.Fill(raster.RGB{R: uint8(60 + 130*(i%2)), G: uint8(20 * i), B: uint8(10 * step)})
			images, labels = append(images, m), append(labels, i%2)
			keys = append(keys, rng.NewKey(1).Uint(uint64(step)).Uint(uint64(i)))
		}
		b.Views(mix.NewAugMix(), x, images, &mix.Half, keys, 1, views)
		logits := net.Forward(x, views*batch, nn.Mode{Train: true, Key: rng.NewKey(2).Uint(uint64(step))})
		loss, _, _ := nn.JSD(dlogits, logits, labels, 2, views, 12)
		net.Backward(dlogits)
		opt.Step(net.Tensors(), rate.At(step))
		fmt.Printf("step %d: loss %.3f\n", step, loss)
	}
}
