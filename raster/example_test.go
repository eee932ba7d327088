package raster_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/augmix-go/augmix/raster"
)

// An image of the standard library and a raster.Image share their pixels where the layout is the same.
func Example() {
	canvas := image.NewRGBA(image.Rect(0, 0, 4, 2))
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(color.RGBA{R: 200, A: 255}), image.Point{}, draw.Src)
	m, err := raster.FromImage(canvas)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Set(3, 1, raster.RGB{G: 90})
	fmt.Println(m.W, m.H, m.At(0, 0), canvas.At(3, 1))

	corner := raster.New(2, 2)
	raster.CopyRect(corner, image.Point{}, m, image.Rect(2, 0, 4, 2))
	fmt.Println(corner.At(1, 1), corner.RGBA().Opaque())
	// Output:
	// 4 2 {200 0 0} {0 90 0 255}
	// {0 90 0} true
}
