package train_test

import (
	"context"
	"fmt"
	"os"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/train"
)

// Iterative PixMix: before each epoch feature visualizations of the network in training become its mixing set.
func ExampleRun_iterativePixMix() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	images, err := formats.Open("scenes:n=40,size=16,seed=1", formats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer images.Close()

	c := train.Default()
	c.Data, c.Model, c.Epochs, c.Batch = "scenes", "wrn-10-1", 2, 20
	c.Crop, c.Mix, c.Mixset = "pad2:16", "pixmix-k4-b3", train.IterativeFVis+"-n4"
	_, err = train.Run(context.Background(), c, train.Options{
		Dir: dir, Train: images,
		OnVisualize: func(v *train.Visualization) {
			if v.Done == v.Count {
				fmt.Printf("epoch %d: %d images of the network\n", v.Epoch+1, v.Count)
			}
		},
	})
	fmt.Println(err)
	// Output:
	// epoch 1: 4 images of the network
	// epoch 2: 4 images of the network
	// <nil>
}

// NoisyMix is AugMix with its consistency loss and mixed features; AugMax takes another loss, and does not go with them.
func ExampleConfig_Check() {
	c := train.Default()
	c.Data, c.Model, c.Mix, c.JSD, c.FeatureMix = "cifar10", "wrn-40-2", "augmix-m3-w3-d-1", true, 1
	fmt.Println(c.Check())
	c.AugMax = 5
	fmt.Println(c.Check())
	// Output:
	// <nil>
	// configuration: jsd and augmax do not go together (allowed: one of jsd, adversarial, outliers, stability, aux-mix, augmax)
}
