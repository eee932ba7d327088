package transform_test

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// The clean image and two AugMix mixtures of it, as the consistency loss needs them.
func Example() {
	method, err := mix.ParseMethod("augmix", mix.Options{})
	if err != nil {
		panic(err)
	}
	plan := &transform.Pipeline{
		Crop: transform.Crop{Kind: transform.RandomCrop, N: 32, Pad: 4}, Flip: true, Mix: method, Views: 3,
	}
	t := plan.Transform() // for one goroutine

	photo := raster.New(32, 32)
	views := []*raster.Image{new(raster.Image), new(raster.Image), new(raster.Image)}
	key := transform.SampleKey(rng.NewKey(1), "cat/0001")
	if err := t.Apply(views, photo, key); err != nil {
		panic(err)
	}
	for v, suffix := range plan.Suffixes() {
		fmt.Printf("cat/0001%s is %dx%d\n", suffix, views[v].W, views[v].H)
	}
	// Output:
	// cat/0001-v0 is 32x32
	// cat/0001-v1 is 32x32
	// cat/0001-v2 is 32x32
}

// Two corruptions at three severities of one image.
func ExampleCorruptions() {
	names, err := transform.ExpandCorruptions([]string{"fog", "contrast"}, cbar.CIFAR)
	if err != nil {
		panic(err)
	}
	plan := &transform.Corruptions{Names: names, Severities: []int{1, 3, 5}}

	var parts transform.Parts
	parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
	key := transform.SampleKey(rng.NewKey(1), "cat/0001")
	if err := plan.Transform().Apply(&parts, raster.New(32, 32), key); err != nil {
		panic(err)
	}
	variants := plan.Variants()
	for _, p := range parts.All() {
		fmt.Println(variants[p.Variant].Dir(), p.W, p.H, len(p.Data), "bytes")
	}
	// Output:
	// fog/1 32 32 3072 bytes
	// fog/3 32 32 3072 bytes
	// fog/5 32 32 3072 bytes
	// contrast/1 32 32 3072 bytes
	// contrast/3 32 32 3072 bytes
	// contrast/5 32 32 3072 bytes
}
