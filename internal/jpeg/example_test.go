package jpeg_test

import (
	"errors"
	"fmt"
	"image"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

func shaded() *raster.Image {
	m := raster.New(48, 32)
	for y := range m.H {
		for x := range m.W {
			m.Set(x, y, raster.RGB{R: uint8(5 * x), G: uint8(8 * y), B: 90})
		}
	}
	return m
}

func ExampleEncode() {
	file := jpeg.Encode(nil, shaded(), jpeg.Options{Quality: 85})
	small := jpeg.Encode(nil, shaded(), jpeg.Options{Quality: 85, Optimize: true})
	fmt.Println(len(file), len(small))
	// Output: 835 437
}

func ExampleDecode() {
	file := jpeg.Encode(nil, shaded(), jpeg.Options{Quality: 85})
	var m raster.Image
	if err := jpeg.Decode(&m, file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.W, m.H, m.At(20, 10))
	err := jpeg.Decode(&m, file[:700])
	fmt.Println(errors.Is(err, jpeg.ErrTruncated), err)
	// Output:
	// 48 32 {101 79 92}
	// true jpeg: truncated file: 700 bytes end in the middle of the image
}

func ExampleDecodeConfig() {
	c, err := jpeg.DecodeConfig(jpeg.Encode(nil, shaded(), jpeg.Options{Quality: 85}))
	fmt.Printf("%+v %v\n", c, err)
	// Output: {Width:48 Height:32 Components:3 Progressive:false Orientation:0 Coefficients:0} <nil>
}

func ExampleDecodeCrop() {
	file := jpeg.Encode(nil, shaded(), jpeg.Options{Quality: 85})
	var m raster.Image
	if err := jpeg.DecodeCrop(&m, file, image.Rect(20, 10, 28, 14)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.W, m.H, m.At(0, 0))
	// Output: 8 4 {101 79 92}
}

func ExampleRoundTrip() {
	m := shaded()
	fmt.Println(m.At(20, 10))
	jpeg.RoundTrip(m, m, 10) // quality 10 is severity 4 of jpeg_compression on ImageNet
	fmt.Println(m.At(20, 10))
	// Output:
	// {100 80 90}
	// {98 92 80}
}

func ExampleDecoder() {
	var d jpeg.Decoder // keeps its memory
	var m raster.Image
	for q := 20; q <= 80; q += 30 {
		if err := d.Decode(&m, jpeg.Encode(nil, shaded(), jpeg.Options{Quality: q})); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Config().Width, d.Warnings(), m.At(20, 10))
	}
	// Output:
	// 48 0 {93 80 90}
	// 48 0 {96 85 91}
	// 48 0 {105 78 95}
}

func ExampleEncoder() {
	var e jpeg.Encoder // keeps its memory
	var file []byte
	for _, s := range []jpeg.Subsampling{jpeg.S420, jpeg.S444} {
		file = e.Encode(file[:0], shaded(), jpeg.Options{Quality: 50, Subsampling: s})
		fmt.Println(len(file))
	}
	// Output:
	// 746
	// 815
}
