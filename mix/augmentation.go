package mix

import (
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Augmentation makes an augmented image of one image. An Augmentation holds parameters only: it is safe for concurrent
// use, each goroutine with its own Rand and Scratch. Whoever sets parameters by hand and calls Apply for each image calls Check
// once: Apply does not, and parameters out of range give anything. [NewMethod] and [Batch] do.
type Augmentation interface {
	// String returns the canonical spec string: of the methods of this package ParseSpec gives back an equal one. That of
	// another is its name in the spec of a [Method].
	String() string
	// Apply writes the augmented src to dst as 8-bit values. dst must not be src.
	Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch)
	// ApplyPlanes writes the augmented src as 3*H*W float32 values in planes (CHW), normalized by n. It draws from r
	// exactly what Apply draws, and keeps the fractions that Apply rounds.
	ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch)
}

// Scratch is the working memory of one goroutine. The zero value is ready; it grows to what the images need and is
// reused from then on.
type Scratch struct {
	chains  []*raster.Image // one result for each chain of AugMix
	spare   raster.Image
	sources [][]uint8
	weights []float32
	gammas  []float64
	draw    Draw
	rand    rng.Rand // of the batch functions

	// Of methods in a row. The methods themselves must not touch them.
	images     [2]raster.Image
	planes     []float32
	sampleRand rng.Rand // of the functions for one sample
	view       raster.Image
	viewPlanes []float32

	// Of a BatchMix: the partner as it was fetched, its label, and the scratch of what is done to it.
	partner  *Scratch
	fetched  raster.Image
	in       Sample
	target   Target
	pairDraw PairDraw

	// Of PixMix and IPMix.
	pix     PixDraw
	mixing  raster.Image
	others  []*raster.Image
	block   []float32
	squares [2]raster.Image // of IPMix: a part of the image and of the mixing image

	noise   []float32    // of noise, patches, waves and APR
	phases  []float64    // of waves
	spectra spectra      // of APR
	policy  PolicyDraw   // of AutoAugment and its kin
	result  raster.Image // of methods that work in 8 bits, before it becomes planes
	network image2image.Scratch
	prime   primeScratch
	corrupt any // of corruptions: what they keep from image to image
}
