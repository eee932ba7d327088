package mix_test

import (
	"fmt"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Augment one image; the same key gives the same image anywhere.
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
	fmt.Println(len(d.Weights), "chains,", len(a.Chains(src, &d, &s)), "images")
	// Output: 3 chains, 3 images
}

// twoColours is a mixing set in memory; package mixset grows fractals and reads folders.
type twoColours struct{}

func (twoColours) String() string { return "two colours" }
func (twoColours) Len() int       { return 2 }
func (twoColours) Image(i int) *raster.Image {
	m := raster.New(36, 36)
	m.Fill(raster.RGB{R: uint8(255 * i), G: 90, B: uint8(255 - 255*i)})
	return m
}

// PixMix needs images to mix in; the spec string alone does not have them.
func ExampleNew() {
	_, err := mix.New("pixmix-k4-b3", mix.Options{})
	fmt.Println(err)
	m, err := mix.New("standard+pixmix-k4-b3", mix.Options{MixingSet: twoColours{}, Size: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	var s mix.Scratch
	m.Apply(dst, src, &r, &s)
	fmt.Println(m, dst.W, dst.H)
	// Output:
	// mix: mixing set: pixmix-k4-b3 mixes images in and got none (give it a mixing set)
	// standard-p4+pixmix-k4-b3 32 32
}

// A training step: images as one tensor [N, 3, H, W], and soft targets [N, classes].
func ExampleBatch_Train() {
	m, err := mix.New("augmix-m3-w3-d-1+mixup-a1", mix.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	step := mix.TrainStep{
		Images: []*raster.Image{raster.New(32, 32), raster.New(32, 32)},
		Labels: []int{0, 2}, Classes: 3,
		Keys: []rng.Key{rng.NewKey(1).Uint(0), rng.NewKey(1).Uint(1)},
		Key:  rng.NewKey(1).Str("batch").Uint(3), // the number of the step
		Norm: &mix.Half,
	}
	pixels, targets := make([]float32, 2*3*32*32), make([]float32, 2*3)
	var b mix.Batch // one for the whole run
	b.Train(m, pixels, targets, &step)
	fmt.Printf("%.2f\n", targets)
	// Output: [0.01 0.00 0.99 0.99 0.00 0.01]
}

// One sample by itself, with a partner fetched from the data set by a key.
func ExampleApply() {
	data := []*raster.Image{raster.New(8, 8), raster.New(8, 8), raster.New(8, 8)}
	in := mix.Sample{
		Image: data[0], Label: 0, Key: rng.NewKey(4).Str("train/00000"),
		Partner: func(dst *raster.Image, key rng.Key) (label int, err error) {
			r := key.Str("which").Rand()
			i := r.IntN(len(data))
			dst.CopyFrom(data[i])
			return i, nil
		},
	}
	m, err := mix.Parse("cutmix-a1")
	if err != nil {
		fmt.Println(err)
		return
	}
	var s mix.Scratch
	dst := new(raster.Image)
	target, err := mix.Apply(m, dst, &in, nil, &s)
	fmt.Println(target, err)
	// Output: [{0 0.96875} {2 0.03125}] <nil>
}

// Methods in a row, from values in the program.
func ExampleCompose() {
	m, err := mix.Compose(&mix.Standard{Pad: 4}, mix.NewAugMix(), &mix.Cutout{Side: 16})
	fmt.Println(m, err, len(mix.Stages(m)))
	// Output: standard-p4+augmix-m3-w3-d-1+cutout-s16 <nil> 3
}

// What PixMix drew for a sample: recorded, shown, or applied again.
func ExamplePixMix_DrawTo() {
	m, err := mix.New("pixmix-k4-b3", mix.Options{MixingSet: twoColours{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, src, dst := m.(*mix.PixMix), raster.New(32, 32), new(raster.Image)
	var d mix.PixDraw
	p.DrawTo(&d, src.W, src.H, rng.New(6))
	for _, round := range d.Rounds {
		fmt.Printf("multiply %v, a %.2f, b %.2f\n", round.Multiply, round.A, round.B)
	}
	p.Replay(dst, src, &d, new(mix.Scratch))
	// Output:
	// multiply true, a 0.72, b 0.17
	// multiply true, a 1.26, b -0.36
	// multiply false, a 1.25, b -0.47
}
