package superres

import (
	"context"
	"image"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// mostMeasured is the side of the center of an image that is measured, pixels, so that photographs take no longer than they must.
const mostMeasured = 384

// result measures the network on the images that were held out.
func (r *run) result(ctx context.Context) (Result, error) {
	out := Result{Images: r.train.Len(), PSNR: math.NaN(), Bicubic: math.NaN(), Loss: mean(r.losses[len(r.losses)-(len(r.losses)+9)/10:])}
	if r.val == nil {
		return out, nil
	}
	out.Held = r.val.Len()
	var ts []image2image.Tensor
	for _, t := range r.net.Tensors() {
		ts = append(ts, image2image.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
	}
	net, err := image2image.New(ts)
	if err != nil {
		return out, err
	}
	scratches := make([]image2image.Scratch, r.options.Workers)
	ours, bicubic := make([]float64, r.val.Len()), make([]float64, r.val.Len())
	err = parallel.Try(r.val.Len(), r.options.Workers, func(worker, i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, _, err := r.val.Fetcher(nil, nil).Image(i, rng.NewKey(0))
		if err == nil {
			ours[i], bicubic[i] = Measure(net, m, &scratches[worker])
		}
		return err
	})
	out.Measured, out.PSNR, out.Bicubic = means(ours, bicubic)
	return out, err
}

// Measure makes the center of an image smaller by bicubic interpolation, enlarges it again by a network of image2image that does, and by
// bicubic interpolation, and returns the peak signal-to-noise ratios of both in dB: of values rounded to 8 bits, all colors alike, without
// a border as wide as the scale. They are NaN where the image is no larger than the border.
func Measure(net *image2image.Network, m *raster.Image, s *image2image.Scratch) (psnr, bicubic float64) {
	scale := net.Scale()
	w, h := min(m.W, mostMeasured)/scale, min(m.H, mostMeasured)/scale
	if min(w, h) < 3 {
		return math.NaN(), math.NaN()
	}
	want, small, again := raster.New(w*scale, h*scale), new(raster.Image), new(raster.Image)
	left, top := (m.W-want.W)/2, (m.H-want.H)/2
	raster.CopyRect(want, image.Point{}, m, image.Rect(left, top, left+want.W, top+want.H))
	var z augment.Resizer
	z.Resize(small, want, w, h, augment.Bicubic)
	z.Resize(again, small, want.W, want.H, augment.Bicubic)
	v, large := make([]float32, 3*w*h), make([]float32, 3*want.W*want.H)
	for p := range w * h {
		for c := range 3 {
			v[c*w*h+p] = float32(small.Pix[4*p+c]) / 255
		}
	}
	net.Enlarge(large, v, w, h, s)
	enlarged := raster.New(want.W, want.H)
	for p := range want.W * want.H {
		for c := range 3 {
			enlarged.Pix[4*p+c] = uint8(float32(large[c*want.W*want.H+p]*255) + 0.5)
		}
	}
	return ratio(want, enlarged, scale), ratio(want, again, scale)
}

// ratio is the peak signal-to-noise ratio without a border.
func ratio(a, b *raster.Image, border int) float64 {
	sum, n := 0, 0
	for y := border; y < a.H-border; y++ {
		for x := border; x < a.W-border; x++ {
			at := 4 * (y*a.W + x)
			for c := range 3 {
				d := int(a.Pix[at+c]) - int(b.Pix[at+c])
				sum, n = sum+d*d, n+1
			}
		}
	}
	return 10 * math.Log10(255*255*float64(n)/float64(sum))
}

// means returns the number of images that have both ratios, and the means over these: not one that is too small, nor one that is
// reproduced exactly, as an image of one color is.
func means(ours, bicubic []float64) (int, float64, float64) {
	var a, b []float64
	for i, v := range ours {
		if v-v == 0 && bicubic[i]-bicubic[i] == 0 { // neither NaN nor infinite
			a, b = append(a, v), append(b, bicubic[i])
		}
	}
	return len(a), mean(a), mean(b)
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}
