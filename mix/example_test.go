package mix_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Augment one image. The same key gives the same image on any machine.
func ExampleAugMix_Apply() {
	m := mix.NewAugMix() // the settings for CIFAR
	m.Severity = 1       // those for ImageNet
	src, dst := raster.New(224, 224), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 120, B: 40})
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand() // seed, sample, epoch
	var s mix.Scratch                                    // one for each goroutine
	m.Apply(dst, src, &r, &s)                            // 8-bit pixels
	x := make([]float32, 3*src.W*src.H)
	m.ApplyPlanes(x, src, &mix.ImageNet, &r, &s) // another draw, as the input of a network
	fmt.Println(m, dst.W, dst.H)
	// Output: augmix-m1-w3-d-1 224 224
}

// A method by its spec string, as a flag or a configuration file has it.
func ExampleParse() {
	m, err := mix.Parse("standard+augmix-m3")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	m.Apply(dst, src, &r, new(mix.Scratch))
	fmt.Println(m, dst.W, dst.H)

	_, err = mix.Parse("augmix-m30")
	fmt.Println(err)
	_, err = mix.Parse("cutmix")
	fmt.Println(errors.Is(err, mix.ErrPartner))
	// Output:
	// standard-p4+augmix-m3-w3-d-1 32 32
	// bad spec: augmix severity m30 (allowed: 0.1 to 10) in "augmix-m30"
	// true
}

// Check a spec before its mixing set is opened.
func ExampleParseSpec() {
	for _, spec := range []string{"standard+pixmix", "augmix", "mixup-each"} {
		s, err := mix.ParseSpec(spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s, s.NeedsMixingSet(), s.NeedsPartner())
	}
	// Output:
	// standard-p4+pixmix-k4-b3 true false
	// augmix-m3-w3-d-1 false false
	// mixup-a1-each false true
}

// The three views of the Jensen-Shannon consistency loss for a batch: the clean image and two mixtures, normalized, as
// one tensor [3, N, 3, H, W]. nn.JSD takes the logits of a network in this order.
func ExampleBatch_Views() {
	srcs := []*raster.Image{raster.New(32, 32), raster.New(32, 32)}
	keys := []rng.Key{rng.NewKey(1).Uint(0), rng.NewKey(1).Uint(1)} // of each sample and epoch
	x := make([]float32, 3*len(srcs)*3*32*32)
	var b mix.Batch // one for the whole run
	b.Views(mix.NewAugMix(), x, srcs, &mix.Half, keys, 1, 3)
	fmt.Println(len(x), x[0])
	// Output: 18432 -1
}

// A training step with soft labels. The images become one tensor [N, 3, H, W], the labels [N, classes].
func ExampleBatch_Train() {
	m, err := mix.ParseMethod("augmix-m3-w3-d-1+mixup-a1", mix.Options{})
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
	x, targets := make([]float32, 2*3*32*32), make([]float32, 2*3)
	var b mix.Batch // one for the whole run
	b.Train(m, x, targets, &step)
	fmt.Printf("%.2f\n", targets)
	// Output: [0.01 0.00 0.99 0.99 0.00 0.01]
}

// PixMix with a mixing set of generated fractals: no files are needed.
func ExampleNewPixMix() {
	set, err := mixset.Open(context.Background(), "fractals-n100", mixset.Options{Size: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()
	m, err := mix.NewPixMix(set, mix.DefaultPixMix())
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	m.Apply(dst, src, &r, new(mix.Scratch))
	fmt.Println(m, "with", m.MixingSet())
	// Output: pixmix-k4-b3 with fractals-n100
}

func ExampleNewIPMix() {
	m, err := mix.NewIPMix(twoColors{}, mix.DefaultIPMix())
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	m.Apply(dst, src, &r, new(mix.Scratch))
	fmt.Println(m, "with", m.MixingSet())
	// Output: ipmix-k3-t3 with two colors
}

// Waves come after the augmentation that they are to complement, here in every other image.
func ExampleAFA() {
	m, err := mix.NewMethod(mix.NewAugMix(), &mix.AFA{Prob: 0.5, Strength: 10})
	fmt.Println(m, err)
	// Output: augmix-m3-w3-d-1+afa-p0.5-s10 <nil>
}

// An image keeps its size, and with probability one half its pixels.
func ExampleAPR() {
	m := &mix.APR{Prob: 0.5, Severity: 3}
	src, dst := raster.New(30, 20), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	m.Apply(dst, src, &r, new(mix.Scratch))
	fmt.Println(m, dst.W, dst.H)
	// Output: apr-p0.5-m3 30 20
}

// Random filters, color maps and displacements; the image keeps its size.
func ExamplePRIME() {
	m := &mix.PRIME{Width: 3, Depth: 3, Sigma: 4, Temperature: 0.01}
	src, dst := raster.New(30, 20), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Uint(0).Rand()
	m.Apply(dst, src, &r, new(mix.Scratch))
	fmt.Println(m, dst.W, dst.H)
	// Output: prime-w3-d3 30 20
}

// twoColors is a mixing set in memory; package mixset generates fractals and reads folders.
type twoColors struct{}

func (twoColors) String() string { return "two colors" }
func (twoColors) Len() int       { return 2 }
func (twoColors) Image(i int) *raster.Image {
	m := raster.New(36, 36)
	m.Fill(raster.RGB{R: uint8(255 * i), G: 90, B: uint8(255 - 255*i)})
	return m
}

// PixMix needs images to mix in; the spec string alone does not have them.
func ExampleParseMethod() {
	_, err := mix.ParseMethod("pixmix-k4-b3", mix.Options{})
	fmt.Println(err)
	m, err := mix.ParseMethod("standard+pixmix-k4-b3", mix.Options{MixingSet: twoColors{}, Size: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m, m.NeedsPartner())
	// Output:
	// mixing set: pixmix-k4-b3 mixes images in and got none (give it a mixing set)
	// standard-p4+pixmix-k4-b3 false
}

// One sample by itself, with a partner that is fetched from the data set by a key.
func ExampleMethod_Apply() {
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
	m, err := mix.ParseMethod("cutmix-a1", mix.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dst := new(raster.Image)
	target, err := m.Apply(dst, &in, nil, new(mix.Scratch))
	fmt.Println(target, err)
	// Output: [{0 0.96875} {2 0.03125}] <nil>
}

// Methods in a row, from values in the program.
func ExampleNewMethod() {
	m, err := mix.NewMethod(&mix.Standard{Pad: 4}, mix.NewAugMix(), &mix.CutMix{Alpha: 1, Prob: 0.5})
	fmt.Println(m, err, m.NeedsPartner())
	// Output: standard-p4+augmix-m3-w3-d-1+cutmix-a1-p0.5 <nil> true
}

// Drawing and applying are apart, so that choices can be recorded, shown or applied again.
func ExampleAugMix_DrawTo() {
	a := mix.NewAugMix()
	src := raster.New(64, 48)
	var d mix.Draw
	var s mix.Scratch
	a.DrawTo(&d, src.W, src.H, rng.New(7), &s)
	fmt.Println(len(d.Weights), "chains,", len(a.Chains(src, &d, &s)), "images")
	// Output: 3 chains, 3 images
}

// What PixMix drew for a sample: recorded, shown, or applied again.
func ExamplePixMix_DrawTo() {
	p, err := mix.NewPixMix(twoColors{}, mix.DefaultPixMix())
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
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

// What may follow a method's name.
func ExampleTable() {
	for _, e := range mix.Table() {
		if e.Name != "cutmix" {
			continue
		}
		for _, o := range e.Options {
			fmt.Printf("%-5s %s\n", o.Form(), o.Help())
		}
	}
	// Output:
	// aX    alpha of the Beta distribution, positive numbers (default 1)
	// pX    probability, 0 to 1 (default 1; 0.5 in the authors' CIFAR runs)
	// each  a box for each sample of a batch, not one for all
}
