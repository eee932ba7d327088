package mix

import (
	"fmt"
	"image"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Views returns n views of an image of the standard library, as the consistency loss of AugMix takes them: first the image
// itself, then n-1 mixtures, each drawn anew by the method of the spec ("augmix", "augmix-m1-w2"). As in [Batch.Views], a crop or
// a style that comes first ("standard+augmix") is the same for all views, the first too. It is for a few images: memory is new
// every time, and a training loop wants [Batch.Views]. Equal seeds give equal views; give each image, and each epoch, its own
// seed: view v draws from rng.NewKey(seed).Uint(v). Transparency is dropped, as [raster.FromImage] does. The error is that of
// [Parse] or of FromImage, or wraps [ErrSpec] if n is below 1.
func Views(img image.Image, spec string, n int, seed uint64) ([]image.Image, error) {
	m, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, fmt.Errorf("%w: %d views (allowed: at least 1)", ErrSpec, n)
	}
	src, err := raster.FromImage(img)
	if err != nil {
		return nil, err
	}
	var s Scratch
	key, stages, j := rng.NewKey(seed), stagesOf(m), 0
	for ; j < len(stages) && sharedName(stages, j) != ""; j++ {
		r := key.Str(sharedName(stages, j)).Rand()
		shared := new(raster.Image)
		stages[j].one.Apply(shared, src, &r, &s)
		src = shared
	}
	m = (&Method{stages: stages[j:]}).single()
	clean := new(raster.Image)
	clean.CopyFrom(src)
	views := []image.Image{clean.RGBA()}
	for v := 1; v < n; v++ {
		r := key.Uint(uint64(v)).Rand()
		dst := new(raster.Image)
		m.Apply(dst, src, &r, &s)
		views = append(views, dst.RGBA())
	}
	return views, nil
}
