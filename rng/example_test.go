package rng_test

import (
	"fmt"

	"github.com/augmix-go/augmix/rng"
)

// The stream of a sample depends on its name alone: not on what was drawn for other samples.
func Example() {
	run := rng.NewKey(1).Str("augmix")
	for sample := range uint64(2) {
		r := run.Uint(sample).Rand()
		fmt.Println(r.IntN(13), r.IntN(13), r.IntN(13))
	}
	r := run.Uint(1).Rand()
	fmt.Println(r.IntN(13), r.IntN(13), r.IntN(13))
	// Output:
	// 3 12 12
	// 6 7 4
	// 6 7 4
}

// The weights of an AugMix sample: how much of each of three chains, and how much of their mixture.
func ExampleRand_Dirichlet() {
	r := rng.New(1)
	var w [3]float64
	r.Dirichlet(w[:], 1)
	m := r.Beta(1, 1)
	fmt.Printf("%.3f %.3f\n", w, m)
	// Output:
	// [0.147 0.691 0.162] 0.771
}

func ExampleRand_Poisson() {
	r := rng.New(1)
	for _, photons := range []float64{0.5, 5, 50, 5000} {
		fmt.Print(r.Poisson(photons), " ")
	}
	// Output:
	// 0 7 40 5111
}

func ExampleRand_Shuffle() {
	r := rng.New(1)
	ops := []string{"autocontrast", "equalize", "posterize", "rotate"}
	r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	fmt.Println(ops)
	// Output:
	// [equalize rotate posterize autocontrast]
}
