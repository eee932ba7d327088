package eval

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/mix"
)

// Sentinel errors.
var (
	// ErrModel: a file that is not a model this program can run, or one whose description is missing.
	ErrModel = errors.New("not a usable model")
	// ErrImages: images that the model does not take.
	ErrImages = errors.New("images that the model does not take")
	// ErrOption: a choice that is not there.
	ErrOption = errors.New("bad option")
)

// Predictor is a classifier. It need not be safe for concurrent use, and should use all cores by itself.
type Predictor interface {
	// Classes returns the number of logits.
	Classes() int
	// Input returns the height and width of the images that Predict takes and how they are normalised.
	Input() (h, w int, norm mix.Normalization)
	// Predict writes the logits [n, Classes] of n images to dst. The images are x, float32 [n, 3, H, W],
	// normalised.
	Predict(dst, x []float32, n int) error
	// MaxBatch returns the largest n.
	MaxBatch() int
}

// Func is a Predictor made of a function, for tests and for models of the caller's own.
type Func struct {
	H, W, Class, Batch int
	Norm               mix.Normalization
	Do                 func(dst, x []float32, n int) error
}

// Classes implements [Predictor].
func (f *Func) Classes() int { return f.Class }

// Input implements [Predictor].
func (f *Func) Input() (h, w int, norm mix.Normalization) { return f.H, f.W, f.Norm }

// Predict implements [Predictor].
func (f *Func) Predict(dst, x []float32, n int) error { return f.Do(dst, x, n) }

// MaxBatch implements [Predictor].
func (f *Func) MaxBatch() int { return f.Batch }

func sizeError(name string, w, h, wantW, wantH int) error {
	return fmt.Errorf("%w: %s is %dx%d (allowed: %dx%d; --size and --crop give images one size)", ErrImages, name,
		w, h,
		wantW, wantH)
}
