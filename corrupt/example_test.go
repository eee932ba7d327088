package corrupt_test

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func ExampleByName() {
	fog, err := corrupt.ByName("fog")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 100, B: 50})
	r := rng.NewKey(1).Str("image 7").Str(fog.Name()).Uint(3).Rand()
	if err := fog.Apply(dst, src, 3, &r, new(corrupt.Scratch)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst.W, dst.H, fog.Random())
	_, err = corrupt.ByName("hail")
	fmt.Println(err != nil)
	// Output:
	// 32 32 true
	// true
}

func ExampleNames() {
	names, err := corrupt.Names("validation")
	fmt.Println(names, err)
	// Output: [speckle_noise gaussian_blur spatter saturate] <nil>
}

func ExampleParseProfile() {
	p, err := corrupt.ParseProfile("64")
	fmt.Println(p, err)
	// Output: 64 <nil>
}

// Draws can be recorded and replayed.
func ExampleImpulseNoise() {
	src, dst := raster.New(2, 1), new(raster.Image)
	src.Fill(raster.RGB{R: 9, G: 9, B: 9})
	recorded := corrupt.Impulses{corrupt.Salt, corrupt.Keep, corrupt.Keep, corrupt.Keep, corrupt.Keep, corrupt.Pepper}
	corrupt.ImpulseNoise{Amount: 0.3}.Apply(dst, src, recorded)
	fmt.Println(dst.At(0, 0), dst.At(1, 0))
	// Output: {255 9 9} {9 9 0}
}

func ExampleNewFrostSet() {
	texture := raster.New(64, 64)
	texture.Fill(raster.RGB{R: 100, G: 100, B: 100})
	set, err := corrupt.NewFrostSet(texture)
	if err != nil {
		fmt.Println(err)
		return
	}
	frost, err := corrupt.ByName("frost")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	src.Fill(raster.RGB{R: 50, G: 50, B: 50})
	if err := frost.WithFrost(set).WithProfile(corrupt.P32).Apply(dst, src, 3, rng.New(1), new(corrupt.Scratch)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst.At(5, 5)) // 0.9·50 + 0.4·100
	// Output: {85 85 85}
}
