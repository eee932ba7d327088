package cbar_test

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func ExampleByName() {
	waves, err := cbar.ByName("cocentric_sine_waves")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 24), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 100, B: 50})
	r := rng.NewKey(1).Str("image 7").Str(waves.Name()).Uint(3).Rand()
	if err := waves.Apply(dst, src, 3, &r, new(corrupt.Scratch)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst.W, dst.H, waves.Random())
	err = waves.WithProfile(cbar.CIFAR).Apply(dst, src, 3, &r, new(corrupt.Scratch))
	fmt.Println(err)
	// Output:
	// 32 24 true
	// cocentric_sine_waves: not in the profile cifar
}

func ExampleNames() {
	names, err := cbar.Names(cbar.CIFAR)
	fmt.Println(len(names), names[:2], err)
	// Output: 10 [blue_noise_sample checkerboard_cutout] <nil>
}

func ExampleParseProfile() {
	p, err := cbar.ParseProfile("imagenet")
	fmt.Println(p, err)
	// Output: imagenet <nil>
}

// The published ImageNet folders are named after the level.
func ExampleOp_Level() {
	plasma, err := cbar.ByName("plasma_noise")
	if err != nil {
		fmt.Println(err)
		return
	}
	level, err := plasma.Level(1)
	fmt.Printf("%.2f %v\n", level, err)
	// Output: 4.75 <nil>
}

// Draws can be recorded and replayed: here two lines down the image.
func ExampleLines() {
	src, dst := raster.New(4, 1), new(raster.Image)
	recorded := &cbar.LinesDraws{Numbers: cbar.Uniforms{0.5, 0, 0.5, 0.5, 0.75, 0.5}}
	cbar.Lines{Count: 2, Length: 4}.Apply(dst, src, recorded, new(cbar.Scratch))
	fmt.Println(dst.At(0, 0).R, dst.At(1, 0).R, dst.At(2, 0).R, dst.At(3, 0).R)
	// Output: 128 0 0 128
}
