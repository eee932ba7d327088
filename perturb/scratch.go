package perturb

import (
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Scratch holds a sequence and the memory that it works in. The zero Scratch is ready for use. It grows to what the
// largest image needs and is not safe for concurrent use: one for each goroutine.
type Scratch struct {
	seq Sequence

	resizer augment.Resizer
	base    raster.Image // the image, or a frame, resized
	input   raster.Image // the image cropped to the size of the frames
	moved   raster.Image // a frame before it is cropped
	frame   raster.Image // one of the frames that zoom_blur averages

	normals corrupt.Normals
	counts  corrupt.Counts
	corrupt corrupt.Scratch

	field, other filter.Field
	gauss        filter.Gauss
	motion       filter.Motion
	axisX, axisY filter.ZoomAxis
	drops        filter.Drops
	bytes        [2][]uint8
	sums         []float32
	colors       []float64
}
