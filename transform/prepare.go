package transform

import (
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Prepare returns [Prepared] as a function that makes dst of src, for [data.Images] and for loops of one goroutine. It draws
// nothing; the error is that of the pipeline's Apply.
func Prepare(size int, filter augment.Filter, crop int) func(dst, src *raster.Image) error {
	t := Prepared(size, filter, crop).Transform()
	return func(dst, src *raster.Image) error { return t.Apply([]*raster.Image{dst}, src, rng.Key{}) }
}
