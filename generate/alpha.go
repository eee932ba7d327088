package generate

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// alpha is the alpha channel of the sample at hand, of one worker.
type alpha struct {
	mask  raster.Image
	plane []uint8 // nil: none is kept
	full  []uint8 // memory of plane
}

// read takes the alpha channel of s where it is kept, prepared as t prepares the image. src is overwritten.
func (a *alpha) read(ctx context.Context, d *data.Decoder, src *raster.Image, s *data.Sample, t any, key rng.Key) error {
	if a.plane = nil; !s.KeepsAlpha() {
		return nil
	}
	if err := transform.DecodeAlpha(ctx, d, &a.mask, src, s, t, key); err != nil {
		return err
	}
	a.mask.Gray = true
	a.full = a.mask.AppendPixels(a.full[:0])
	a.plane = a.full
	return nil
}

// with returns encode for images that get the alpha channel.
func (a *alpha) with(encode encoder) encoder {
	if a.plane == nil {
		return encode
	}
	return func(dst []byte, m *raster.Image) ([]byte, error) {
		if m.W != a.mask.W || m.H != a.mask.H {
			return dst, fmt.Errorf("%w: %dx%d, and the alpha channel is %dx%d (allowed: the same)", ErrSize, m.W, m.H, a.mask.W, a.mask.H)
		}
		m.Alpha = a.plane
		defer func() { m.Alpha = nil }()
		if encode == nil {
			return dst, data.CheckOpaque(m, "this output")
		}
		return encode(dst, m)
	}
}
