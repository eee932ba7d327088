package perturb_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// A sequence is scored frame by frame; no frame is kept.
func ExamplePerturbation_Sequence() {
	p, err := perturb.ByName("brightness")
	if err != nil {
		fmt.Println(err)
		return
	}
	src := raster.New(32, 32)
	src.Fill(raster.RGB{R: 120, G: 60, B: 0})
	r := rng.NewKey(1).Str("image 7").Str(p.Name()).Rand()
	q, err := p.Sequence(src, 1, perturb.P32, &r, new(perturb.Scratch))
	if err != nil {
		fmt.Println(err)
		return
	}
	var frame raster.Image
	for i := 0; q.Next(&frame); i++ {
		if i%10 == 0 {
			fmt.Println(i, frame.At(16, 16))
		}
	}
	// Output:
	// 0 {62 31 0}
	// 10 {100 50 0}
	// 20 {139 69 0}
	// 30 {177 88 0}
}

func ExampleByName() {
	p, err := perturb.ByName("shot_noise")
	fmt.Println(p.Frames(perturb.P224), p.Noise(), p.Difficulties(), err)
	_, err = perturb.ByName("hail")
	fmt.Println(err != nil)
	// Output:
	// 31 true 3 <nil>
	// true
}

func ExampleNames() {
	for _, name := range perturb.Names() {
		p, err := perturb.ByName(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		if p.Extra() {
			fmt.Println(name)
		}
	}
	// Output:
	// speckle_noise
	// gaussian_blur
	// spatter
	// shear
}

func ExamplePerturbation_Dir() {
	p, err := perturb.ByName("gaussian_noise")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Dir(1))
	fmt.Println(p.Dir(3))
	// Output:
	// gaussian_noise <nil>
	// gaussian_noise_3 <nil>
}

func ExampleWriteAPNG() {
	frames := []*raster.Image{raster.New(8, 8), raster.New(8, 8)}
	frames[1].Fill(raster.RGB{R: 255})
	var png, gif bytes.Buffer
	if err := perturb.WriteAPNG(&png, frames, 100*time.Millisecond); err != nil {
		fmt.Println(err)
		return
	}
	if err := perturb.WriteGIF(&gif, frames, 100*time.Millisecond); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q %q\n", png.Bytes()[1:4], gif.Bytes()[:6])
	// Output: "PNG" "GIF89a"
}
