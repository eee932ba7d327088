package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Scratch holds the memory that corruptions work in, and what they prepare for their parameters (kernels, tables). The
// zero Scratch is ready for use. It grows to what the largest image needs and is not safe for concurrent use: one for
// each goroutine.
type Scratch struct {
	draws draws

	field, other    filter.Field
	gauss, gauss2   filter.Gauss
	motion          filter.Motion
	defocus         filter.Defocus
	axisX, axisY    filter.ZoomAxis
	axesX, axesY    []filter.ZoomAxis
	drops           filter.Drops
	colors, warped  []filter.Color
	sums            []float32
	planes          []float64
	bytes           [2][]uint8
	work            []int32
	image, lower    raster.Image
	shrink, enlarge filter.Resizer
	poisson         poissonCache
	frost           frostScaler

	others []any // what [Memory] keeps
}

// Memory returns the T that s keeps from image to image, at first a zero T: the memory of a [Corruption] of another package.
func Memory[T any](s *Scratch) *T {
	for _, m := range s.others {
		if t, ok := m.(*T); ok {
			return t
		}
	}
	t := new(T)
	s.others = append(s.others, t)
	return t
}

// draws holds the random numbers of the image at hand.
type draws struct {
	normals  Normals
	counts   Counts
	impulses Impulses
	offsets  Offsets
	snow     SnowDraws
	plasma   Uniforms
	elastic  ElasticDraws
}
