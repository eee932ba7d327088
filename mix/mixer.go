// Package mix holds the augmentations that make one training image out of several versions of it or out of several
// images: AugMix and what it is compared with. A method is named by a spec string, parsed by [Parse].
package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Mixer makes an augmented image of one image. A Mixer holds parameters only: it is safe for concurrent use, each
// goroutine with its own Rand and Scratch.
type Mixer interface {
	// String returns the canonical spec string: Parse gives back an equal Mixer.
	String() string
	// Apply writes the augmented src to dst as 8-bit values. dst must not be src.
	Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch)
	// ApplyPlanes writes the augmented src as 3*H*W float32 values in planes (CHW), normalised by n. It draws from r
	// exactly what Apply draws, and keeps the fractions that Apply rounds.
	ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch)
}

// Norm is a channel normalisation of values in [0, 1]: (v - Mean[c]) / Std[c].
type Norm struct{ Mean, Std [3]float32 }

// Published normalisations.
var (
	// Unit leaves values in [0, 1].
	Unit = Norm{Std: [3]float32{1, 1, 1}}
	// Half maps [0, 1] to [-1, 1]: AugMix's and PixMix's CIFAR training.
	Half = Norm{Mean: [3]float32{0.5, 0.5, 0.5}, Std: [3]float32{0.5, 0.5, 0.5}}
	// ImageNet is the usual ImageNet normalisation.
	ImageNet = Norm{Mean: [3]float32{0.485, 0.456, 0.406}, Std: [3]float32{0.229, 0.224, 0.225}}
)

// affine returns the scale and bias that take a byte to its normalised value: v*scale + bias.
func (n *Norm) affine() (scale, bias [3]float32) {
	for c := range 3 {
		scale[c] = float32(1 / (255 * float64(n.Std[c])))
		bias[c] = float32(-float64(n.Mean[c]) / float64(n.Std[c]))
	}
	return scale, bias
}

// unit returns the scale and bias that take a value in [0, 1] to its normalised value.
func (n *Norm) unit() (scale, bias [3]float32) {
	for c := range 3 {
		scale[c] = float32(1 / float64(n.Std[c]))
		bias[c] = float32(-float64(n.Mean[c]) / float64(n.Std[c]))
	}
	return scale, bias
}

// Check returns an error unless every standard deviation is positive and every mean a number.
func (n *Norm) Check() error {
	for c := range 3 {
		if !(n.Std[c] > 0) || n.Mean[c] != n.Mean[c] {
			return fmt.Errorf("mix: normalisation with mean %v, std %v (allowed: finite means, positive deviations)", n.Mean, n.Std)
		}
	}
	return nil
}

// Scratch is the working memory of one goroutine. The zero value is ready; it grows to what the images need and is
// reused from then on.
type Scratch struct {
	chains  []*raster.Image // one result a chain
	spare   raster.Image
	sources [][]uint8
	weights []float32
	gammas  []float64
	draw    Draw
	rand    rng.Rand // of the batch functions

	// Of chains. The methods themselves must not touch them.
	images     [2]raster.Image
	planes     []float32
	sampleRand rng.Rand // of the functions for one sample

	// Of pair methods: the partner as it was fetched, its label, and the scratch of what is done to it.
	partner  *Scratch
	fetched  raster.Image
	in       Sample
	target   Target
	pairDraw PairDraw
	alone    [1]Mixer

	// Of PixMix.
	pix    PixDraw
	mixing raster.Image
	others []*raster.Image
	block  []float32

	noise  []float32    // of noise and patches
	policy PolicyDraw   // of AutoAugment and its kin
	result raster.Image // of methods that work in 8 bits, before it becomes planes
}
