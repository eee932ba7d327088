package ood

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ViM scores an image by a virtual logit beside those of the classes: the length of what its features have outside the
// principal subspace of the training images', scaled to the size of logits, less the log of the sum of the exponentials of the
// logits (Wang, Li, Feng and Zhang, "ViM: Out-Of-Distribution with Virtual-logit Matching", CVPR 2022, section 4).
type ViM struct {
	weight *mat.Dense // [classes, Dim]
	bias   []float64
	origin []float64  // of the subspace: where all logits are 0
	rest   *mat.Dense // [Dim, Dim-principal]: the other directions
	alpha  float64
}

// Principal is the dimension of the principal subspace of features of dim values: 1,000 from 2,048 on and 512 below, as in the
// authors' program, but half of dim below 768, which is ours.
func Principal(dim int) int {
	switch {
	case dim >= 2048:
		return 1000
	case dim >= 768:
		return 512
	}
	return dim / 2
}

// NewViM returns a detector for a network whose last layer has the weights weight, [classes, Dim], and bias, [classes], from more
// training images than [Principal] of Dim. The error wraps [ErrFeatures].
func NewViM(train *Features, weight, bias []float32) (*ViM, error) {
	if err := train.check(); err != nil {
		return nil, err
	}
	if len(bias) == 0 || len(weight) != len(bias)*train.Dim {
		return nil, fmt.Errorf("%w: rows of %d values for a layer of %d weights and %d biases", ErrFeatures, train.Dim, len(weight), len(bias))
	}
	if least := Principal(train.Dim) + 1; train.N() < least { // all of them lie within the subspace, but for rounding
		return nil, fmt.Errorf("%w: %d training images for a subspace of %d directions (allowed: %d images or more)", ErrFeatures,
			train.N(), least-1, least)
	}
	v := &ViM{weight: dense(weight, train.Dim), bias: dense(bias, len(bias)).RawRowView(0)}
	var err error
	if v.origin, err = origin(v.weight, v.bias); err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(train.second(func(int) []float64 { return v.origin }), true) {
		return nil, fmt.Errorf("%w: they have no principal directions", ErrFeatures)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors) // the largest eigenvalues last
	v.rest = mat.DenseCopyOf(vectors.Slice(0, train.Dim, 0, train.Dim-Principal(train.Dim)))
	logits, outside := 0.0, 0.0
	for from := 0; from < train.N(); from += chunk {
		v.each(train.Values[from*train.Dim:min(from+chunk, train.N())*train.Dim], func(_ int, z []float64, length float64) {
			largest := math.Inf(-1)
			for _, l := range z {
				largest = max(largest, l)
			}
			logits, outside = logits+largest, outside+length
		})
	}
	if v.alpha = logits / outside; !(outside > 0) || math.IsInf(v.alpha, 0) {
		return nil, fmt.Errorf("%w: none of them leaves a subspace of %d directions", ErrFeatures, Principal(train.Dim))
	}
	return v, nil
}

// origin is the shortest o with weight·o + bias = 0, or as near to 0 as can be.
func origin(weight *mat.Dense, bias []float64) ([]float64, error) {
	classes, dim := weight.Dims()
	b := mat.NewDense(classes, 1, bias)
	var o mat.Dense
	var lq mat.LQ
	if classes <= dim {
		lq.Factorize(weight)
	}
	if classes > dim || lq.Cond() > worstCondition || lq.SolveTo(&o, false, b) != nil {
		if err := pseudoInverse(&o, weight, b); err != nil {
			return nil, err
		}
	}
	out := make([]float64, dim)
	for i := range out {
		out[i] = -o.At(i, 0)
	}
	return out, nil
}

// worstCondition is that of weights whose rows are taken to be independent.
const worstCondition = 1e10

// pseudoInverse solves where some rows follow from others, which takes many times as long.
func pseudoInverse(o, weight, b *mat.Dense) error {
	var svd mat.SVD
	if !svd.Factorize(weight, mat.SVDThin) {
		return fmt.Errorf("%w: the weights of the last layer have no singular values", ErrFeatures)
	}
	if rank := svd.Rank(1 / worstCondition); rank > 0 {
		svd.SolveTo(o, b, rank)
		return nil
	}
	_, dim := weight.Dims()
	o.Reset()
	o.ReuseAs(dim, 1) // zeros
	return nil
}

// each calls do with the logits of each row of features and the length of what it has outside the principal subspace.
func (v *ViM) each(features []float32, do func(i int, logits []float64, length float64)) {
	x := dense(features, len(v.origin))
	var logits, rest mat.Dense
	logits.Mul(x, v.weight.T())
	n, _ := x.Dims()
	for i := range n {
		subtract(x.RawRowView(i), v.origin)
	}
	rest.Mul(x, v.rest)
	for i := range n {
		z := logits.RawRowView(i)
		for c := range z {
			z[c] += v.bias[c]
		}
		do(i, z, mat.Norm(rest.RowView(i), 2))
	}
}

// Scores implements [Detector].
func (v *ViM) Scores(dst []float64, features []float32) {
	v.each(features, func(i int, z []float64, length float64) {
		largest := z[0]
		for _, l := range z {
			largest = max(largest, l)
		}
		sum := 0.0
		for _, l := range z {
			sum += math.Exp(l - largest)
		}
		dst[i] = v.alpha*length - largest - math.Log(sum)
	})
}
