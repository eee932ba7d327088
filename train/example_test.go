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
	c.Crop, c.Mix, c.Mixset = "pad2:16", "pixmix-k4-b3", train.IterativeFVis+"-n2"
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
	// epoch 1: 2 images of the network
	// epoch 2: 2 images of the network
	// <nil>
}

// The images of a step, as training sees them: clean and twice augmented.
func ExampleNewPreview() {
	images, err := formats.Open("scenes:n=40,size=16,seed=1", formats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer images.Close()
	c := train.Default()
	c.Data, c.Model, c.Epochs, c.Batch = "scenes", "wrn-10-1", 2, 20
	c.Crop, c.Mix, c.JSD = "pad2:16", "augmix-m3-w3-d-1", true
	p, err := train.NewPreview(context.Background(), c, train.Options{Train: images}, 1, 0, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("steps of an epoch:", p.Steps)
	for _, s := range p.Samples {
		fmt.Println(s.Key, p.Classes[s.Label], len(s.Views), "views of", s.Views[1].W, "by", s.Views[1].H)
	}
	// Output:
	// steps of an epoch: 2
	// train/0000028 arrow 3 views of 16 by 16
	// train/0000020 disc 3 views of 16 by 16
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
	// configuration: jsd and augmax do not go together (allowed: one of jsd, adversarial, outliers, stability, aux-mix, augmax, ant)
}
