package ood_test

import (
	"fmt"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/rng"
)

// What is generated.
func ExampleSets() {
	for _, set := range ood.Sets() {
		fmt.Printf("%s: %s\n", set.Name, set.Doc)
	}
	// Output:
	// gaussian: independent normal values of standard deviation 0.5, clipped to [-1, 1]
	// rademacher: every value -1 or 1 with equal chance
	// blobs: coin flips blurred over rows, columns and channels; values below 0.75 become nothing
}

// How well a score separates generated images from others. The score here is the mean square, and the others are of one
// dark color; for a classifier the score comes from its outputs, see metrics.AnomalyScore.
func ExampleByName() {
	set, err := ood.ByName("rademacher")
	if err != nil {
		fmt.Println(err)
		return
	}
	score := func(x []float32) float64 {
		sum := 0.0
		for _, v := range x {
			sum += float64(v * v)
		}
		return sum / float64(len(x))
	}
	var d metrics.Detection
	var s ood.Scratch
	x, dark := make([]float32, 3*32*32), []float32{-0.9}
	for i := range uint64(20) {
		r := rng.NewKey(1).Str(set.Name).Uint(i).Rand() // seed, set, number of the image
		set.Draw(x, 32, 32, &r, &s)
		if err := d.Add(score(x), true); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := d.Add(score(dark), false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.AUROC())
	// Output: 1 <nil>
}
