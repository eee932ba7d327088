// Corrupt corrupts a drawn image in memory by every published corruption, frost and those of C-bar included.
//
//	go run ./examples/corrupt
package main

import (
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/augmix-go/augmix/corrupt/all"
)

func main() {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.Set(i%64, i/64, color.RGBA{uint8(4 * (i % 64)), uint8(i / 16), 128, 255})
	}
	for _, name := range all.Names() {
		c, err := all.ByName(name)
		if err != nil {
			log.Fatal(err)
		}
		out, err := c.Image(img, 3, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, out.At(32, 32))
	}
}
