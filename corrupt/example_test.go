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

// Frost as ImageNet-C has it takes the published photographs, of a folder; without one crystals of ice are generated.
func ExampleOpenFrost() {
	set, err := corrupt.OpenFrost("")
	fmt.Println(set != nil, err)
	_, err = corrupt.OpenFrost("testdata")
	fmt.Println(err != nil)
	// Output:
	// true <nil>
	// true
}

// A severity may lie between two of the published ones.
func ExampleOp_Parameters() {
	jpeg, err := corrupt.ByName("jpeg_compression")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, severity := range []float64{0, 0.5, 1, 1.5, 2} {
		p, err := jpeg.WithProfile(corrupt.P224).Parameters(severity, 224)
		fmt.Println(severity, p, err)
	}
	fmt.Println(jpeg.Between())
	// Output:
	// 0 [{quality 100}] <nil>
	// 0.5 [{quality 63}] <nil>
	// 1 [{quality 25}] <nil>
	// 1.5 [{quality 22}] <nil>
	// 2 [{quality 18}] <nil>
	// [rounded; at 0 100]
}
