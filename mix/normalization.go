package mix

import (
	"errors"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/kernel"
)

// ErrNormalization is wrapped by the error about the numbers of a [Normalization].
var ErrNormalization = errors.New("bad normalization")

// Normalization maps the values of channel c, which lie in [0, 1], to (v - Mean[c]) / Std[c].
type Normalization struct{ Mean, Std [3]float32 }

// Published normalizations.
var (
	// Unit leaves values in [0, 1].
	Unit = Normalization{Std: [3]float32{1, 1, 1}}
	// Half maps [0, 1] to [-1, 1]: AugMix's and PixMix's CIFAR training.
	Half = Normalization{Mean: [3]float32{0.5, 0.5, 0.5}, Std: [3]float32{0.5, 0.5, 0.5}}
	// ImageNet is the usual ImageNet normalization.
	ImageNet = Normalization{Mean: [3]float32{0.485, 0.456, 0.406}, Std: [3]float32{0.229, 0.224, 0.225}}
)

// Check returns an error that wraps [ErrNormalization] unless every mean is finite and every standard deviation finite and
// positive.
func (n *Normalization) Check() error {
	for c := range 3 {
		mean, std := float64(n.Mean[c]), float64(n.Std[c])
		if !(std > 0) || math.IsInf(std, 0) || math.IsInf(mean, 0) || math.IsNaN(mean) {
			return fmt.Errorf("%w: mean %v, std %v (allowed: finite means, finite and positive deviations)", ErrNormalization,
				n.Mean, n.Std)
		}
	}
	return nil
}

// affine returns the scale and bias that take a byte to its normalized value: v*scale + bias.
func (n *Normalization) affine() (scale, bias [3]float32) {
	for c := range 3 {
		scale[c] = float32(1 / (255 * float64(n.Std[c])))
		bias[c] = float32(-float64(n.Mean[c]) / float64(n.Std[c]))
	}
	return scale, bias
}

// unit returns the scale and bias that take a value in [0, 1] to its normalized value.
func (n *Normalization) unit() (scale, bias [3]float32) {
	for c := range 3 {
		scale[c] = float32(1 / float64(n.Std[c]))
		bias[c] = float32(-float64(n.Mean[c]) / float64(n.Std[c]))
	}
	return scale, bias
}

// apply normalizes values in [0, 1]. dst may be src.
func (n *Normalization) apply(dst, src []float32) {
	plane := len(src) / 3
	scale, bias := n.unit()
	for c := range 3 {
		kernel.ScaleBias(dst[c*plane:][:plane], src[c*plane:][:plane], scale[c], bias[c])
	}
}

// Luma makes gray, in three equal channels, of the normalized planes [3, H, W] of an image: its luma by the weights of
// [raster.Image.SetLuma], (19595 R + 38470 G + 7471 B) / 2^16, not rounded to 8 bits.
func (n *Normalization) Luma(planes []float32) {
	size := len(planes) / 3
	scale, bias := n.unit()
	weights := [3]float32{19595.0 / 65536, 38470.0 / 65536, 7471.0 / 65536}
	for i := range size {
		var luma float32
		for c, w := range weights {
			v := float32(planes[c*size+i]*n.Std[c]) + n.Mean[c]
			luma += float32(w * v)
		}
		for c := range 3 {
			planes[c*size+i] = float32(luma*scale[c]) + bias[c]
		}
	}
}
