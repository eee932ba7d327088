package ood

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrFeatures is wrapped by the errors of detectors: features that none can be made of.
var ErrFeatures = errors.New("features")

// Features are what a network makes of images before its last, linear layer.
type Features struct {
	Dim    int       // values of an image
	Values []float32 // [N, Dim]
	Labels []int     // of the images; only [NewMahalanobis] looks at them
}

// N returns the number of images.
func (f *Features) N() int { return len(f.Values) / max(f.Dim, 1) }

func (f *Features) check() error {
	if f == nil {
		return fmt.Errorf("%w: nil (allowed: those of training images)", ErrFeatures)
	}
	if f.Dim < 1 || len(f.Values) == 0 || len(f.Values)%f.Dim != 0 {
		return fmt.Errorf("%w: %d values in rows of %d", ErrFeatures, len(f.Values), f.Dim)
	}
	for i, v := range f.Values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("%w: value %d of image %d is %v", ErrFeatures, i%f.Dim, i/f.Dim, v)
		}
	}
	return nil
}

// rows returns images from to to as a matrix.
func (f *Features) rows(from, to int) *mat.Dense { return dense(f.Values[from*f.Dim:to*f.Dim], f.Dim) }

// dense copies rows of float32.
func dense(values []float32, dim int) *mat.Dense {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return mat.NewDense(len(values)/dim, dim, wide)
}

// Detector says how unlike the features of training images those of others are: larger is less like them. Scores writes that of
// each row of features, [len(dst), Dim], to dst: NaN of a row that holds what is no number. It is safe for concurrent use.
type Detector interface {
	Scores(dst []float64, features []float32)
}

// chunk is how many rows of training images are looked at together, for memory.
const chunk = 4096

// second returns the sum of the products of features with each other, [Dim, Dim], after minus is taken from those of each image:
// what minus returns for its number.
func (f *Features) second(minus func(i int) []float64) *mat.SymDense {
	sum := mat.NewSymDense(f.Dim, nil)
	for from := 0; from < f.N(); from += chunk {
		x := f.rows(from, min(from+chunk, f.N()))
		for i := range x.RawMatrix().Rows {
			subtract(x.RawRowView(i), minus(from+i))
		}
		var part mat.SymDense
		part.SymOuterK(1, x.T())
		sum.AddSym(sum, &part)
	}
	return sum
}

func subtract(dst, v []float64) {
	for i := range dst {
		dst[i] -= v[i]
	}
}
