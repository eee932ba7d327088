package eval

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/weights"
)

// Sentinel errors.
var (
	// ErrModel: a file that is not a model this program can run, or one whose description is missing.
	ErrModel = errors.New("not a usable model")
	// ErrImages: images that the model does not take.
	ErrImages = errors.New("images that the model does not take")
	// ErrNothing: a data set without images, of which nothing can be said.
	ErrNothing = errors.New("no images to measure")
	// ErrChanged: results that would be resumed are of other files than those that lie there now.
	ErrChanged = errors.New("data changed")
	// ErrOption: a choice that is not there.
	ErrOption = errors.New("bad option")
	// ErrOther: a form on disk has images, or labels of them, that the clean set has not.
	ErrOther = errors.New("not a form of the clean set")
	// ErrNoNetwork: a file of weights that does not say which network it is, nor did the caller. It wraps ErrModel.
	ErrNoNetwork = fmt.Errorf("%w: it does not say which network it is", ErrModel)
	// ErrForeign: an ONNX file that this program did not export, or that was changed since. It wraps ErrModel.
	ErrForeign = fmt.Errorf("%w: only ONNX Runtime runs an ONNX file of another program", ErrModel)
	// ErrNoNorm: a model that does not say how images are normalized, nor did the caller. It wraps ErrModel.
	ErrNoNorm = fmt.Errorf("%w: it does not say how images are normalized", ErrModel)
)

// Predictor is a classifier. It need not be safe for concurrent use, and should use all cores by itself.
type Predictor interface {
	// Classes returns the number of logits.
	Classes() int
	// Input returns the height and width of the images that Predict takes and how they are normalized.
	Input() (h, w int, norm mix.Normalization)
	// Predict writes the logits [n, Classes] of n images to dst. The images are x, float32 [n, 3, H, W],
	// normalized.
	Predict(dst, x []float32, n int) error
	// MaxBatch returns the largest n.
	MaxBatch() int
}

// Named is a Predictor that may know the names of its classes.
type Named interface {
	// ClassNames returns the names by class number, nil where they are not known.
	ClassNames() []string
}

// Prepared is a Predictor that may know what images went through before it in the validation of its training.
type Prepared interface {
	// Preparation returns nil where that is not known.
	Preparation() *weights.Preparation
}

// Told is a Predictor whose outputs depend on what its caller said of it.
type Told interface {
	// Told returns in words what the caller said that the model's file does not say, or says otherwise, "" for nothing:
	// normalization, network and size. described reports whether the file says all of it: then "" means what the file says.
	Told() (text string, described bool)
}

// Func is a Predictor made of a function, for tests and for models of the caller's own.
type Func struct {
	H, W, Class, Batch int
	Norm               mix.Normalization // of what Do gets; the zero value leaves values in [0, 1], as [mix.Unit]
	Do                 func(dst, x []float32, n int) error
}

// Classes implements [Predictor].
func (f *Func) Classes() int { return f.Class }

// Input implements [Predictor].
func (f *Func) Input() (h, w int, norm mix.Normalization) {
	if f.Norm == (mix.Normalization{}) {
		return f.H, f.W, mix.Unit
	}
	return f.H, f.W, f.Norm
}

// Predict implements [Predictor].
func (f *Func) Predict(dst, x []float32, n int) error { return f.Do(dst, x, n) }

// MaxBatch implements [Predictor].
func (f *Func) MaxBatch() int { return f.Batch }

// SizeError is an image of a size that the model does not take. It wraps [ErrImages].
type SizeError struct {
	Image          string
	W, H           int // of the image
	ModelW, ModelH int
	TenCrop        bool // crops of the model's size were to be cut from it
}

// Unwrap returns [ErrImages].
func (e *SizeError) Unwrap() error { return ErrImages }

func (e *SizeError) Error() string {
	if e.TenCrop {
		return fmt.Sprintf("%s is %dx%d pixels, and ten crops are cut from images wider and higher than the model's %dx%d, such as "+
			"of a shorter side of %d", e.Image, e.W, e.H, e.ModelW, e.ModelH, e.Side())
	}
	return fmt.Sprintf("%s is %dx%d pixels, and the model takes images of %dx%d", e.Image, e.W, e.H, e.ModelW, e.ModelH)
}

// Side returns a shorter side that images may have: the model's, and for ten crops an eighth more.
func (e *SizeError) Side() int {
	side := min(e.ModelW, e.ModelH)
	if e.TenCrop {
		side += max(side/7, 1)
	}
	return side
}
