package mix_test

import (
	"fmt"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Augment one picture; the same key gives the same picture anywhere.
func ExampleParse() {
	m, err := mix.Parse("augmix-m3-w3-d-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 120, B: 40})
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand() // seed, sample, epoch
	var s mix.Scratch                                    // one for each goroutine
	m.Apply(dst, src, &r, &s)
	fmt.Println(m, dst.W, dst.H)
	// Output: augmix-m3-w3-d-1 32 32
}

// The three views of the Jensen-Shannon consistency loss for a batch, normalised, as one tensor [3, N, 3, H, W].
func ExampleBatch_Views() {
	srcs := []*raster.Image{raster.New(32, 32), raster.New(32, 32)}
	keys := []rng.Key{rng.NewKey(1).Uint(0), rng.NewKey(1).Uint(1)}
	out := make([]float32, 3*len(srcs)*3*32*32)
	var b mix.Batch
	b.Views(mix.NewAugMix(), out, srcs, &mix.Half, keys, 1, 3)
	fmt.Println(len(out), out[0])
	// Output: 18432 -1
}

// Drawing and applying are apart, so that choices can be recorded, shown or replayed.
func ExampleAugMix_DrawTo() {
	a := mix.NewAugMix()
	src := raster.New(64, 48)
	var d mix.Draw
	var s mix.Scratch
	a.DrawTo(&d, src.W, src.H, rng.New(7), &s)
	fmt.Println(len(d.Weights), "chains,", len(a.Chains(src, &d, &s)), "pictures")
	// Output: 3 chains, 3 pictures
}
