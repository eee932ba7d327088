package eval

import (
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
)

// Ten-crop classification (Hendrycks and Dietterich, Benchmarking Neural Network Robustness, arXiv 1807.01697; after
// Krizhevsky et al., 2012): the four corners and the middle of an image, and the horizontal flips of these five, go through the
// model, and the ten distributions that come out are averaged.

// tenCrops is the number of views of an image.
const tenCrops = 10

// cutTen writes the ten crops of src, w by h pixels, to dst: corners and middle, row by row, then their flips in the
// same order. src is at least that large. The middle is the one that a center crop of the same size takes, rounded to
// the even pixel; torchvision's TenCrop cuts the sixth to tenth crop out of the flipped image instead, which differs
// from this by a pixel in the middle crop where the margin is odd.
func cutTen(dst []*raster.Image, src *raster.Image, w, h int) {
	right, bottom := src.W-w, src.H-h
	augment.PadCrop(dst[0], src, 0, 0, 0, w, h, raster.RGB{})
	augment.PadCrop(dst[1], src, 0, right, 0, w, h, raster.RGB{})
	augment.CenterCrop(dst[2], src, w, h, raster.RGB{})
	augment.PadCrop(dst[3], src, 0, 0, bottom, w, h, raster.RGB{})
	augment.PadCrop(dst[4], src, 0, right, bottom, w, h, raster.RGB{})
	for i := range tenCrops / 2 {
		augment.FlipH(dst[tenCrops/2+i], dst[i])
	}
}

// checkTen returns an error that wraps ErrImages unless the ten crops of an image differ in place.
func checkTen(name string, srcW, srcH, w, h int) error {
	if srcW > w && srcH > h {
		return nil
	}
	return &SizeError{Image: name, W: srcW, H: srcH, ModelW: w, ModelH: h, TenCrop: true}
}

// logMeanSoftmax writes the logarithms of the mean of the softmax of several rows of logits, [len(logits)/len(dst),
// len(dst)] with at most ten rows, to dst. Softmax of them is that mean, so whatever is computed from probabilities is
// that of the averaged ones, but for the rounding of the logarithms to float32. No finite logits give an infinite
// result: a probability that would underflow keeps its logarithm, and the smallest is -math.MaxFloat32. A logit that is
// not finite comes back in its place, with zeros in the others, for the scores to refuse it.
func logMeanSoftmax(dst, logits []float32) {
	classes := len(dst)
	rows := len(logits) / classes
	for i, v := range logits {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) {
			clear(dst)
			dst[i%classes] = v
			return
		}
	}
	var lse [tenCrops]float64 // logarithm of the sum of the exponentials of each row
	for r := range rows {
		lse[r] = logSumExp(logits[r*classes:][:classes])
	}
	for c := range dst {
		top := math.Inf(-1)
		for r := range rows {
			top = max(top, float64(logits[r*classes+c])-lse[r])
		}
		sum := 0.0 // 1 to rows: the largest contributes 1
		for r := range rows {
			sum += detmath.Exp(float64(logits[r*classes+c]) - lse[r] - top)
		}
		dst[c] = float32(max(top+detmath.Log(sum/float64(rows)), -math.MaxFloat32))
	}
}

func logSumExp(row []float32) float64 {
	top := float64(row[0])
	for _, v := range row {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range row {
		sum += detmath.Exp(float64(v) - top)
	}
	return top + detmath.Log(sum)
}
