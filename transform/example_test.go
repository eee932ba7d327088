package transform_test

import (
	"bytes"
	"fmt"

	"github.com/augmix-go/augmix/corrupt"
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

// posterize is a corruption of the caller's own: it keeps the upper bits of every value.
type posterize struct{}

func (posterize) Name() string { return "posterize" }
func (posterize) MinSide() int { return 1 }

func (posterize) Apply(dst, src *raster.Image, severity float64, _ *rng.Rand, _ *corrupt.Scratch) error {
	if severity < 1 || severity > corrupt.Severities {
		return fmt.Errorf("posterize: %w: %v", corrupt.ErrSeverity, severity)
	}
	dst.CopyFrom(src)
	for i := range dst.Pix {
		if i%4 != 3 {
			dst.Pix[i] &= 0xff << int(severity+2)
		}
	}
	return nil
}

// A corruption of one's own in a data set with published ones.
func ExampleCorruptions_own() {
	names, err := transform.ExpandCorruptions([]string{"posterize", "contrast"}, cbar.CIFAR, posterize{})
	if err != nil {
		panic(err)
	}
	plan := &transform.Corruptions{Names: names, Own: []corrupt.Corruption{posterize{}}, Severities: []float64{1, 5}}

	photo := raster.New(2, 2)
	for i := range photo.Pix {
		photo.Pix[i] = 255
	}
	var parts transform.Parts
	parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
	key := transform.SampleKey(rng.NewKey(1), "cat/0001")
	if err := plan.Transform().Apply(&parts, photo, key); err != nil {
		panic(err)
	}
	for _, p := range parts.All() {
		fmt.Println(plan.Variants()[p.Variant].Dir(), p.Data[0])
	}
	// Output:
	// contrast/1 255
	// contrast/5 255
	// posterize/1 248
	// posterize/5 128
}

// Two corruptions at three severities of one image.
func ExampleCorruptions() {
	names, err := transform.ExpandCorruptions([]string{"fog", "contrast"}, cbar.CIFAR)
	if err != nil {
		panic(err)
	}
	plan := &transform.Corruptions{Names: names, Severities: []float64{1, 3, 5}}

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

// Frames of a clip are under one fog.
func ExampleParseGroups() {
	clips, err := transform.ParseGroups("^[^/]+", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := transform.Corruptions{Names: []string{"fog"}, Severities: []float64{2.5}, Groups: clips}
	frame, fogs := raster.New(8, 8), []byte(nil)
	frame.Fill(raster.RGB{R: 200, G: 100, B: 50})
	for _, key := range []string{"street/1", "street/2", "forest/1"} {
		t, parts := plan.Transform(), new(transform.Parts)
		parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
		err := transform.SetKey(t, key)
		if err == nil {
			err = t.Apply(parts, frame, transform.SampleKey(rng.NewKey(0), key))
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(key, bytes.Equal(parts.All()[0].Data, fogs))
		fogs = parts.All()[0].Data
	}
	// Output:
	// street/1 false
	// street/2 true
	// forest/1 false
}

// Which corruptions move pixels, so that boxes drawn on the clean image fit no more.
func ExampleMoving() {
	fmt.Println(transform.Moving([]string{"fog", "elastic_transform", "rotate"}))
	// Output: [elastic_transform rotate]
}

// An alpha channel goes through the crop and the flip of its image.
func ExampleMasker() {
	plan := transform.Pipeline{Crop: transform.Crop{Kind: transform.RandomCrop, N: 4, Pad: 2}, Flip: true}
	t := plan.Transform()
	key := transform.SampleKey(rng.NewKey(1), "cat/1")
	img, mask := raster.New(4, 4), raster.New(4, 4)
	for x := range 4 {
		img.Set(x, 2, raster.RGB{R: uint8(60 * x), G: 9})
		mask.Set(x, 2, raster.RGB{R: uint8(60 * x), G: uint8(60 * x), B: uint8(60 * x)})
	}
	var dst, alpha raster.Image
	if err := t.Apply([]*raster.Image{&dst}, img, key); err != nil {
		panic(err)
	}
	if err := t.(transform.Masker).Mask(&alpha, mask, key); err != nil {
		panic(err)
	}
	same := true
	for i := 0; i < len(dst.Pix); i += 4 {
		same = same && dst.Pix[i] == alpha.Pix[i]
	}
	fmt.Println(same)
	// Output: true
}

// Which ten corruptions the subset cbar stands for follows from the images where nothing else says it.
func ExampleBarProfile() {
	side := func() (int, error) { return 224, nil }
	fmt.Println(transform.BarProfile([]string{"common", "cbar"}, corrupt.Auto, side))
	fmt.Println(transform.BarProfile([]string{"common", "cbar"}, corrupt.P32, side))
	// Output:
	// imagenet <nil>
	// cifar <nil>
}
