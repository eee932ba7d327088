// Package ood generates out-of-distribution images: noise of three kinds. A classifier should be less confident on them
// than on test images; metrics.Detection measures how well its scores separate the two. The sets and the procedure are
// those of Hendrycks et al., Deep Anomaly Detection with Outlier Exposure (ICLR 2019), which PixMix's tables follow.
// The other sets of those tables are data sets, read by package data/formats; package eval measures both kinds.
//
// Values are in [-1, 1], the range of a network whose input is normalized by mean 0.5 and standard deviation 0.5
// (mix.Half). For another network, (v+1)/2 is the value of the image in [0, 1], to be normalized like its other images.
//
// An image is a function of the stream it is drawn from: give each image a key of its own.
//
// A [Detector] scores images by their features: [KNN], [Mahalanobis], [ViM].
package ood

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/rng"
)

// ErrSet is wrapped by the error of an unknown name.
var ErrSet = errors.New("no such set")

// Set is one kind of generated image.
type Set struct {
	Name string // in result files and tables: "gaussian", "rademacher", "blobs"
	Doc  string // one line

	draw func(dst []float32, h, w int, r *rng.Rand, s *Scratch)
}

// Draw writes one image of h by w pixels to dst as 3*h*w float32 values in planes (CHW), in [-1, 1]. It panics unless
// dst has that length. The zero Scratch is ready; one goroutine at a time may use it.
//
// Parity: statistical (TestGolden: 2,000 images against recorded moments and histograms of the published recipe); the
// filter of blobs is exact to 1e-6 on recorded fields.
func (s *Set) Draw(dst []float32, h, w int, r *rng.Rand, scratch *Scratch) {
	if h < 1 || w < 1 || len(dst) != 3*h*w {
		panic(fmt.Sprintf("ood: an image of %dx%d in %d values", w, h, len(dst)))
	}
	s.draw(dst, h, w, r, scratch)
}

var sets = []Set{
	{
		Name: "gaussian", Doc: "independent normal values of standard deviation 0.5, clipped to [-1, 1]",
		draw: gaussian,
	}, {
		Name: "rademacher", Doc: "every value -1 or 1 with equal chance",
		draw: rademacher,
	}, {
		Name: "blobs", Doc: "coin flips blurred over rows, columns and channels; values below 0.75 become nothing",
		draw: blobs,
	},
}

// Sets returns the table.
func Sets() []Set { return slices.Clone(sets) }

// ByName returns a set of the table. The error wraps [ErrSet] and lists the names.
func ByName(name string) (*Set, error) {
	names := make([]string, len(sets))
	for i, s := range sets {
		if names[i] = s.Name; s.Name == name {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("%w as %q%s (there are: %s)", ErrSet, name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// Scratch is the working memory of one goroutine.
type Scratch struct {
	field, blurred filter.Field
	gauss          filter.Gauss
}

func gaussian(dst []float32, _, _ int, r *rng.Rand, _ *Scratch) {
	for i := range dst {
		dst[i] = min(max(float32(0.5*r.Normal()), -1), 1)
	}
}

func rademacher(dst []float32, _, _ int, r *rng.Rand, _ *Scratch) {
	for i := range dst {
		dst[i] = float32(r.Sign())
	}
}

// The published blobs at 32 pixels. At 64 the reference blurs by 2. Nothing is published for larger images: 2 is kept,
// so that blobs stay a few pixels wide.
const (
	blobChance    = 0.7
	blobThreshold = 0.75
	blobTruncate  = 4 // the blur's radius in standard deviations
)

func blobSigma(h, w int) float64 {
	if max(h, w) <= 32 {
		return 1.5
	}
	return 2
}

func blobs(dst []float32, h, w int, r *rng.Rand, s *Scratch) {
	s.field.Reset(w, h, 3)
	for i := range s.field.Pix {
		s.field.Pix[i] = 0
		if r.Float64() < blobChance {
			s.field.Pix[i] = 1
		}
	}
	s.blobs(dst, blobSigma(h, w))
}

// blobs blurs the field of zeros and ones along all three axes, the nearest value repeated outside. It writes 2v-1
// where the result reaches the threshold, -1 elsewhere.
func (s *Scratch) blobs(dst []float32, sigma float64) {
	s.gauss.Set(sigma, blobTruncate)
	s.gauss.Blur(&s.blurred, &s.field, filter.Nearest)
	n := s.field.W * s.field.H
	// The channels become an axis of three "pixels" with n "channels", so that the filter runs over them.
	s.field.Reset(3, 1, n)
	for i := range n {
		for c := range 3 {
			s.field.Pix[c*n+i] = s.blurred.Pix[3*i+c]
		}
	}
	s.gauss.Blur(&s.blurred, &s.field, filter.Nearest)
	for i, v := range s.blurred.Pix {
		if v < blobThreshold {
			v = 0
		}
		dst[i] = float32(float64(2*v) - 1)
	}
}
