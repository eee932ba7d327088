package ood

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Mahalanobis scores an image by its distance to the nearest class: the squared Mahalanobis distance of its features to the
// mean of the class, with one covariance for all classes (Lee, Lee, Lee and Shin, "A Simple Unified Framework for Detecting
// Out-of-Distribution Samples and Adversarial Attacks", NeurIPS 2018, section 2.1: of the last layer's features, and without
// the changed input and the other layers, whose weights have to be fitted on OOD images).
type Mahalanobis struct {
	whiten *mat.Dense // [Dim, rank]: the covariance becomes the identity
	means  *mat.Dense // [classes, rank], of whitened features
}

// NewMahalanobis returns a detector of the distance to classes, which are those of the labels. The error wraps [ErrFeatures].
func NewMahalanobis(train *Features) (*Mahalanobis, error) {
	if err := train.check(); err != nil {
		return nil, err
	}
	means, of, err := train.means()
	if err != nil {
		return nil, err
	}
	cov := train.second(func(i int) []float64 { return means.RawRowView(of[i]) })
	cov.ScaleSym(1/float64(train.N()), cov)
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("%w: their covariance has no eigenvalues", ErrFeatures)
	}
	m := &Mahalanobis{means: new(mat.Dense)}
	if m.whiten = whitening(&eigen); m.whiten == nil {
		return nil, fmt.Errorf("%w: those of each class are all the same", ErrFeatures)
	}
	m.means.Mul(means, m.whiten)
	return m, nil
}

// means returns the mean of each class that there is, a row each, and the row of each image.
func (f *Features) means() (means *mat.Dense, of []int, err error) {
	if len(f.Labels) != f.N() {
		return nil, nil, fmt.Errorf("%w: %d labels of %d images", ErrFeatures, len(f.Labels), f.N())
	}
	rows, of := map[int]int{}, make([]int, f.N())
	for i, label := range f.Labels {
		if label < 0 {
			return nil, nil, fmt.Errorf("%w: image %d has no label", ErrFeatures, i)
		}
		row, known := rows[label]
		if !known {
			row = len(rows)
			rows[label] = row
		}
		of[i] = row
	}
	means, counts := mat.NewDense(len(rows), f.Dim, nil), make([]float64, len(rows))
	for i, row := range of {
		counts[row]++
		sum := means.RawRowView(row)
		for j, v := range f.Values[i*f.Dim:][:f.Dim] {
			sum[j] += float64(v)
		}
	}
	for row, n := range counts {
		for j := range f.Dim {
			means.Set(row, j, means.At(row, j)/n)
		}
	}
	return means, of, nil
}

// whitening returns the eigenvectors by the roots of their eigenvalues: a factor of the covariance's pseudo-inverse. Directions in
// which features do not vary, but for rounding, are left out; nil where none is left.
func whitening(e *mat.EigenSym) *mat.Dense {
	values := e.Values(nil) // ascending
	n := len(values)
	least := values[n-1] * float64(n) * 0x1p-40 // of float32 features, not of float64
	from := 0
	for from < n && !(values[from] > least) {
		from++
	}
	if from == n {
		return nil
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	out := mat.DenseCopyOf(vectors.Slice(0, n, from, n))
	out.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(values[from+j]) }, out)
	return out
}

// Scores implements [Detector].
func (m *Mahalanobis) Scores(dst []float64, features []float32) {
	dim, _ := m.whiten.Dims()
	classes, rank := m.means.Dims()
	var x mat.Dense
	x.Mul(dense(features, dim), m.whiten)
	for i := range dst {
		row, least := x.RawRowView(i), math.Inf(1)
		for c := range classes {
			mean, sum := m.means.RawRowView(c), 0.0
			for j := range rank {
				d := row[j] - mean[j]
				sum += d * d
			}
			least = min(least, sum)
		}
		dst[i] = least
	}
}
