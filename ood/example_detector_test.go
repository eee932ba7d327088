package ood_test

import (
	"fmt"

	"github.com/augmix-go/augmix/ood"
)

// Features of three training images, and of one that is like them and one that is not.
func ExampleNewKNN() {
	train := &ood.Features{Dim: 2, Values: []float32{1, 0, 1, 0.1, 1, -0.1}}
	d, err := ood.NewKNN(train, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores := make([]float64, 2)
	d.Scores(scores, []float32{2, 0, 0, 3})
	fmt.Printf("%.2f\n", scores)
	// Output: [0.00 1.34]
}
