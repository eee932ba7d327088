package augment

import (
	"image"
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// FlipH flips src horizontally: left becomes right. dst must not be src. Parity: exact.
func FlipH(dst, src *raster.Image) {
	dst.Reset(src.W, src.H)
	for y := range src.H {
		out, in := dst.Pix[4*y*src.W:][:4*src.W], src.Pix[4*y*src.W:][:4*src.W]
		for i, j := 0, len(in)-4; j >= 0; i, j = i+4, j-4 {
			*(*[4]uint8)(out[i:]) = *(*[4]uint8)(in[j:])
		}
	}
}

// PadCrop pads src with pad pixels of fill on every side and crops the w by h rectangle whose corner is (x, y) in the
// padded image. What lies outside the padded image is fill as well. dst must not be src.
func PadCrop(dst, src *raster.Image, pad, x, y, w, h int, fill raster.RGB) {
	dst.Reset(w, h)
	dst.Fill(fill)
	raster.CopyRect(dst, image.Point{}, src, dst.Bounds().Add(image.Pt(x-pad, y-pad)))
}

// RandomPadCrop is CIFAR's crop: pad by pad pixels of fill, then crop w by h pixels at a uniformly random position
// (torchvision's RandomCrop(padding=pad)). It draws the row, then the column. An image that is smaller than the crop is
// padded further with fill on the right and below.
func RandomPadCrop(dst, src *raster.Image, pad, w, h int, fill raster.RGB, r *rng.Rand) {
	y := r.IntN(max(src.H+2*pad-h, 0) + 1)
	x := r.IntN(max(src.W+2*pad-w, 0) + 1)
	PadCrop(dst, src, pad, x, y, w, h, fill)
}

// CenterCrop crops the middle w by h pixels of src. Its corner is at round((W-w)/2), halves to even, as in torchvision.
// A side that is shorter than the crop is padded with fill, the larger half after the image.
func CenterCrop(dst, src *raster.Image, w, h int, fill raster.RGB) {
	PadCrop(dst, src, 0, center(src.W, w), center(src.H, h), w, h, fill)
}

func center(have, want int) int {
	if have < want {
		return -((want - have) / 2)
	}
	return int(math.RoundToEven(float64(have-want) / 2))
}

// ShorterSide returns the size torchvision's Resize(n) gives a w by h image: the shorter side n, the longer one
// truncated from n*longer/shorter.
func ShorterSide(w, h, n int) (int, int) { return filter.ShortSide(w, h, n) }

// RandomResizedBox draws the rectangle of torchvision's RandomResizedCrop: an area of scaleLo to scaleHi of the image
// and an aspect ratio log-uniform in ratioLo to ratioHi, up to ten tries; then the largest central box within the ratio
// bounds. Usual values: 0.08, 1, 3/4, 4/3. Parity: statistical.
func RandomResizedBox(w, h int, scaleLo, scaleHi, ratioLo, ratioHi float64, r *rng.Rand) image.Rectangle {
	area := float64(w) * float64(h)
	for range 10 {
		target := area * r.Uniform(scaleLo, scaleHi)
		ratio := logUniform(ratioLo, ratioHi, r)
		bw := int(math.RoundToEven(math.Sqrt(target * ratio)))
		bh := int(math.RoundToEven(math.Sqrt(target / ratio)))
		if bw > 0 && bw <= w && bh > 0 && bh <= h {
			y := r.IntN(h - bh + 1)
			x := r.IntN(w - bw + 1)
			return image.Rect(x, y, x+bw, y+bh)
		}
	}
	bw, bh := w, h
	switch in := float64(w) / float64(h); {
	case in < ratioLo:
		bh = min(max(int(math.RoundToEven(float64(w)/ratioLo)), 1), h)
	case in > ratioHi:
		bw = min(max(int(math.RoundToEven(float64(h)*ratioHi)), 1), w)
	}
	x, y := (w-bw)/2, (h-bh)/2
	return image.Rect(x, y, x+bw, y+bh)
}

// logUniform draws a ratio whose logarithm is uniform between those of lo and hi.
func logUniform(lo, hi float64, r *rng.Rand) float64 {
	return lo * detmath.Exp(r.Uniform(0, detmath.Log(hi/lo)))
}
