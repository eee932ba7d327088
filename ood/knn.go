package ood

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Neighbors is the k of [NewKNN] that its paper has for CIFAR-10. It has 200 for CIFAR-100 and 1,000 for ImageNet.
const Neighbors = 50

// KNN scores an image by how far its k-th nearest neighbor among the training images lies: the Euclidean distance of
// features of length 1 (Sun, Ming, Zhu and Li, "Out-of-Distribution Detection with Deep Nearest Neighbors", ICML 2022).
type KNN struct {
	k     int
	train *Features // of length 1
}

// NewKNN returns a detector of the k-th nearest neighbor. It keeps a copy of the features. The error wraps [ErrFeatures].
func NewKNN(train *Features, k int) (*KNN, error) {
	if err := train.check(); err != nil {
		return nil, err
	}
	if k < 1 || k > train.N() {
		return nil, fmt.Errorf("%w: neighbor %d of %d training images (allowed: 1 to %d)", ErrFeatures, k, train.N(), train.N())
	}
	unit := &Features{Dim: train.Dim, Values: slices.Clone(train.Values)}
	for i := range unit.N() {
		row := unit.Values[i*unit.Dim:][:unit.Dim]
		by := 1 / length(row)
		for j := range row {
			row[j] = float32(float64(row[j]) * by)
		}
	}
	return &KNN{k, unit}, nil
}

// length returns the Euclidean length of a row, at least 1e-10.
func length(row []float32) float64 {
	sum := 0.0
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	return max(math.Sqrt(sum), 1e-10)
}

// Scores implements [Detector].
func (d *KNN) Scores(dst []float64, features []float32) {
	test := dense(features, d.train.Dim)
	for i := range dst {
		row := test.RawRowView(i)
		by := 1 / length(features[i*d.train.Dim:][:d.train.Dim])
		for j := range row {
			row[j] *= by
		}
	}
	nearest := make([][]float64, len(dst)) // the largest products so far, the smallest first
	for from := 0; from < d.train.N(); from += chunk {
		var products mat.Dense
		products.Mul(test, d.train.rows(from, min(from+chunk, d.train.N())).T())
		for i := range dst {
			for _, p := range products.RawRowView(i) {
				nearest[i] = keep(nearest[i], p, d.k)
			}
		}
	}
	for i := range dst {
		dst[i] = math.Sqrt(max(0, 2-2*nearest[i][0])) // |a - b|² of vectors of length 1
	}
}

// keep puts v among the k largest values, which are in order.
func keep(largest []float64, v float64, k int) []float64 {
	if len(largest) == k {
		if !(v > largest[0]) { // or is no number
			return largest
		}
		at, _ := slices.BinarySearch(largest, v)
		copy(largest, largest[1:at])
		largest[at-1] = v
		return largest
	}
	at, _ := slices.BinarySearch(largest, v)
	return slices.Insert(largest, at, v)
}
