package frost_test

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func ExampleGenerate() {
	m := frost.Generate(frost.Hoar, 320, 200, rng.New(1))
	fmt.Println(m.W, m.H)
	// Output: 320 200
}

func ExampleCheckSize() {
	fmt.Println(frost.CheckSize(640, 16))
	// Output: bad image size: 640x16, want sides of 32 to 4096 pixels
}

func ExampleSet() {
	set := frost.Set(2024)
	fmt.Println(len(set), set[0].W, set[0].H)
	// Output: 9 1024 768
}

// Frost without photographs.
func ExampleDefault() {
	set, err := corrupt.NewFrostSet(frost.Default()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	frost, err := corrupt.ByName("frost")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(224, 224), new(raster.Image)
	err = frost.WithFrost(set).WithProfile(corrupt.P224).Apply(dst, src, 3, rng.New(1), new(corrupt.Scratch))
	fmt.Println(dst.W, dst.H, err)
	// Output: 224 224 <nil>
}
