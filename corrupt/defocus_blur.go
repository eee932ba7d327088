package corrupt

import "github.com/augmix-go/augmix/raster"

// DefocusBlur spreads every pixel over a disc, as a lens out of focus does; the disc's edge is softened. Border
// reflect101. Least side 1.
type DefocusBlur struct {
	Radius float64 // of the disc, in pixels
	Alias  float64 // standard deviation of the softening, in pixels, above 0
}

var defocusBlurTable = table{
	Kinds: []kind{length, level},
	Blend: true, // a blur is linear: it is that by the mean of both kernels. Discs of 0.5 to 1 pixel would be no blur
	Sets: [4]set{
		{{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}},
		{{.5, .6}, {1, .1}, {1.5, .1}, {2.5, .01}, {3, .1}},
		{{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}},
		{{4, .1}, {5, .5}, {7, .5}, {10, .5}, {12, .5}},
	},
}

func runDefocusBlur(j job) error {
	DefocusBlur{j.v[0], j.v[1]}.Apply(j.dst, j.src, j.s)
	return nil
}

// Apply makes dst the blurred src.
func (c DefocusBlur) Apply(dst, src *raster.Image, s *Scratch) {
	prepare(dst, src)
	s.defocus.Set(c.Radius, c.Alias)
	s.defocus.Image(dst, src)
}
