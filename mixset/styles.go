package mixset

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
)

// Of the images whose styles are taken: the shorter side, which the network was trained on, the least of your own, and the
// number where a spec says none.
const (
	styleSide         = 256
	minStyle          = 32
	defaultStyleCount = 1000
)

// OpenStyles opens a set of styles for mix.Style: the weights of a style transfer network (see image2image.NewStyle) and the
// images whose styles it takes, by a spec as for [Open] but for '+': a kind of generated images, 1000 of them where the spec
// says no number, or a data set of your own, whose images are all read now. Images have a shorter side of 256 pixels and are
// not kept. o.Size and o.Cache are ignored.
//
// Errors are those of Open and of the weights, and name the file.
func OpenStyles(ctx context.Context, spec, file string, o Options) (*image2image.Styles, error) {
	if o.Count == 0 {
		o.Count = defaultStyleCount
	}
	p, err := parse(spec, o.Count)
	if err != nil {
		return nil, err
	}
	net, err := weights.ReadStyle(file)
	if err != nil {
		return nil, err
	}
	if p.path == "" {
		return image2image.NewStyles(net, p.String(), p.count, func(dst *raster.Image, i int) {
			new(procedural.Generator).Generate(dst, p.kind, o.Seed, i, styleSide)
		}), nil
	}
	own := &ownSet{path: p.path, size: minStyle, side: styleSide}
	defer own.close()
	n, read, err := own.open()
	if err != nil {
		return nil, err
	}
	styles, err := image2image.ReadStyles(net, p.path, n, o.Workers, func(dst *raster.Image, i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return read(dst, i)
	})
	if errors.Is(err, ErrSmall) {
		err = fmt.Errorf("%w for a style", err)
	}
	return styles, err
}
