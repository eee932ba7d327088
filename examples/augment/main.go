// Augment writes three views of every image of a folder, as the consistency loss of AugMix takes them: the image at 224
// pixels and two mixtures.
//
//	go run ./examples/augment photos views
package main

import (
	"fmt"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: augment IN OUT")
	}
	src, err := formats.Open(os.Args[1], formats.Options{})
	check(err)
	defer src.Close()
	check(os.MkdirAll(os.Args[2], 0o777))
	for img, err := range data.Images(src, transform.Prepare(256, augment.Bilinear, 224)) {
		check(err)
		views, err := mix.Views(img.RGBA(), "augmix-m1", 3, uint64(img.Index))
		check(err)
		for v, view := range views {
			f, err := os.Create(filepath.Join(os.Args[2], fmt.Sprintf("%s-v%d.png", strings.ReplaceAll(img.Key, "/", "_"), v)))
			check(err)
			check(png.Encode(f, view))
			check(f.Close())
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
