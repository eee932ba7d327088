package mixset_test

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/mixset"
)

func ExampleOpen() {
	// 500 color fractals for training images of 32 by 32, generated when they are first used.
	set, err := mixset.Open(context.Background(), "fractals-n500", mixset.Options{Size: 32, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()
	p := set.Image(42)
	fmt.Println(set, set.Len(), p.W, p.H)

	_, err = mixset.Open(context.Background(), "fractals-n0", mixset.Options{Size: 32})
	fmt.Println(err)
	// Output:
	// fractals-n500 500 36 36
	// bad spec: "fractals-n0": number of images "0" (allowed: 1 to 16777216, as in fractals-n10000)
}

func ExampleNewSource() {
	// The images as a data set, which package generate writes as any other.
	src, err := mixset.NewSource("deadleaves", 1000, 256, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(src.Info().Format, src.Len())
	// Output: deadleaves 1000
}
