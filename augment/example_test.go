package augment_test

import (
	"fmt"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// gradient is an image that is brighter to the right and greener below.
func gradient(w, h int) *raster.Image {
	m := raster.New(w, h)
	for y := range h {
		for x := range w {
			m.Set(x, y, raster.RGB{R: uint8(255 * x / w), G: uint8(255 * y / h), B: 40})
		}
	}
	return m
}

// An operation by its name, at an AugMix level.
func ExampleByName() {
	op, err := augment.ByName("solarize")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := gradient(64, 48), new(raster.Image)
	v := op.Value(3, src.W, src.H, false) // the parameter at level 3
	op.Apply(dst, src, v, raster.RGB{})
	fmt.Println(op.Param, v, src.At(60, 0), dst.At(60, 0))

	_, err = augment.ByName("blur")
	fmt.Println(err)
	// Output:
	// threshold 180 {239 0 40} {16 0 40}
	// bad operation: no operation "blur" (there are: autocontrast, equalize, posterize, rotate, solarize, shear_x, shear_y, translate_x, translate_y, color, contrast, brightness, sharpness, invert, grayscale, flip)
}

// The nine operations that AugMix draws from do not overlap the corruptions of ImageNet-C.
func ExampleAugMixOps() {
	for _, op := range augment.AugMixOps(false) {
		fmt.Print(op.Name, " ")
	}
	fmt.Println()
	// Output: autocontrast equalize posterize rotate solarize shear_x shear_y translate_x translate_y
}

// ImageNet's random resized crop: draw a box, then resize it.
func ExampleRandomResizedBox() {
	src, dst := gradient(500, 375), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Rand()
	var z augment.Resizer // one for each goroutine
	box := augment.RandomResizedBox(src.W, src.H, 0.08, 1, 3.0/4, 4.0/3, &r)
	z.ResizeBox(dst, src, box, 224, 224, augment.Bilinear)
	fmt.Println(box.In(src.Bounds()), dst.W, dst.H)
	// Output: true 224 224
}

// What comes before a test: resize the shorter side to 256 pixels, crop the middle 224.
func ExampleCenterCrop() {
	src, mid, dst := gradient(500, 375), new(raster.Image), new(raster.Image)
	var z augment.Resizer
	w, h := augment.ShorterSide(src.W, src.H, 256)
	z.Resize(mid, src, w, h, augment.Bilinear)
	augment.CenterCrop(dst, mid, 224, 224, raster.RGB{})
	fmt.Println(w, h, dst.W, dst.H)
	// Output: 341 256 224 224
}

// The crop of CIFAR's recipes: pad by 4 black pixels, crop 32 by 32, flip half of the images.
func ExampleRandomPadCrop() {
	src, crop, dst := gradient(32, 32), new(raster.Image), new(raster.Image)
	r := rng.NewKey(1).Str("train/00042").Rand()
	augment.RandomPadCrop(crop, src, 4, 32, 32, raster.RGB{}, &r)
	augment.FlipH(dst, crop)
	fmt.Println(dst.W, dst.H, dst.At(0, 5) == crop.At(31, 5))
	// Output: 32 32 true
}

// A sub-policy of AutoAugment by hand: two operations, each with its probability and level. mix.AutoAugment draws the
// sub-policy and applies it.
func ExamplePolicyByName() {
	policy, err := augment.PolicyByName("imagenet")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(policy), "sub-policies, the first:")
	scale, src := augment.TimmScale, gradient(224, 224)
	for _, o := range policy[0] {
		v := scale.Value(o.Op, o.Level, src.W, src.H, false)
		dst := new(raster.Image)
		scale.Apply(dst, src, o.Op, v, scale.Fill)
		src = dst
		fmt.Println(o.Op, v, "with probability", o.Prob)
	}
	// Output:
	// 25 sub-policies, the first:
	// posterize 7 with probability 0.4
	// rotate 27 with probability 0.6
}
