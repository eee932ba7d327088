package ood

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/augmix-go/augmix/rng"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestKNN(t *testing.T) {
	// Directions at 0, 90 and 180 degrees, of any length.
	train := &Features{Dim: 2, Values: []float32{3, 0, 0, 0.5, -7, 0}}
	for k, want := range map[int][2]float64{ // of an image at 0 degrees, and of one at 45
		1: {0, math.Sqrt(2 - math.Sqrt2)}, 2: {math.Sqrt2, math.Sqrt(2 - math.Sqrt2)}, 3: {2, math.Sqrt(2 + math.Sqrt2)},
	} {
		d, err := NewKNN(train, k)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]float64
		d.Scores(got[:], []float32{2, 0, 5, 5})
		near(t, "at 0 degrees", got[0], want[0])
		near(t, "at 45 degrees", got[1], want[1])
	}
}

// More training images than are looked at together: as with all at once.
func TestKNNInParts(t *testing.T) {
	const dim, n, k = 3, chunk + 500, 7
	r := rng.New(1)
	values, test := make([]float32, n*dim), make([]float32, 2*dim)
	for _, v := range [][]float32{values, test} {
		for i := range v {
			v[i] = float32(r.Normal())
		}
	}
	d, err := NewKNN(&Features{Dim: dim, Values: values}, k)
	if err != nil {
		t.Fatal(err)
	}
	var got [2]float64
	d.Scores(got[:], test)
	for i := range got {
		var all []float64
		a := test[i*dim:][:dim]
		for j := range n {
			b, sum := values[j*dim:][:dim], 0.0
			for c := range dim {
				x := float64(a[c])/length(a) - float64(b[c])/length(b)
				sum += x * x
			}
			all = append(all, -math.Sqrt(sum))
		}
		var nearest []float64
		for _, v := range all {
			nearest = keep(nearest, v, k)
		}
		if math.Abs(got[i]+nearest[0]) > 1e-5 {
			t.Errorf("%v, want %v", got[i], -nearest[0])
		}
	}
}

func TestMahalanobis(t *testing.T) {
	// Two classes around (0, 0) and (10, 0), each with a variance of 4 in x and of 1 in y.
	train := &Features{
		Dim:    2,
		Values: []float32{-2, 1, 2, -1, -2, -1, 2, 1, 8, 1, 12, -1, 8, -1, 12, 1},
		Labels: []int{5, 5, 5, 5, 2, 2, 2, 2},
	}
	d, err := NewMahalanobis(train)
	if err != nil {
		t.Fatal(err)
	}
	var got [3]float64
	d.Scores(got[:], []float32{0, 0, 4, 3, 10, -2})
	near(t, "at a mean", got[0], 0)
	near(t, "16/4 + 9", got[1], 13)
	near(t, "below the other mean", got[2], 4)

	// A value that never varies says nothing, however far from the training images it is.
	flat := &Features{Dim: 3, Labels: train.Labels}
	for i := range train.Labels {
		flat.Values = append(flat.Values, train.Values[2*i], train.Values[2*i+1], 6)
	}
	if d, err = NewMahalanobis(flat); err != nil {
		t.Fatal(err)
	}
	d.Scores(got[:1], []float32{4, 3, 1000})
	near(t, "with a constant", got[0], 13)
}

func TestViM(t *testing.T) {
	// Logits x+1 and 1-x: both are as near to 0 as can be at x = 0; the principal direction of two is x.
	train := &Features{Dim: 2, Values: []float32{4, 1, -4, -1, 4, -1, -4, 1}}
	d, err := NewViM(train, []float32{1, 0, -1, 0}, []float32{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alpha", d.alpha, 5) // largest logit 5, and 1 outside, of each
	var got [2]float64
	d.Scores(got[:], []float32{2, 0, 2, -3})
	sum := math.Log(math.Exp(3) + math.Exp(-1))
	near(t, "in the subspace", got[0], -sum)
	near(t, "3 outside", got[1], 15-sum)

	// The origin is where logits are 0, where that can be: x = -3 of the logit x+3.
	if d, err = NewViM(train, []float32{1, 0}, []float32{3}); err != nil {
		t.Fatal(err)
	}
	near(t, "origin", d.origin[0], -3)
	near(t, "origin", d.origin[1], 0)
}

// TestNoNumbers: features that are no numbers have scores that are none, which a [metrics.Detection] refuses.
func TestNoNumbers(t *testing.T) {
	train := &Features{Dim: 2, Values: []float32{3, 0, 0, 0.5, -7, 1, 2, 2}, Labels: []int{0, 0, 1, 1}}
	knn, err := NewKNN(train, 2)
	mahalanobis, err2 := NewMahalanobis(train)
	vim, err3 := NewViM(train, []float32{1, 0, 0, 1}, []float32{0, 1})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, d := range []Detector{knn, mahalanobis, vim} {
		got := make([]float64, 3)
		d.Scores(got, []float32{nan, 1, 1, 1, inf, 1})
		if !math.IsNaN(got[0]) || math.IsNaN(got[1]) || got[2]-got[2] == 0 {
			t.Errorf("%T: %v", d, got)
		}
	}
}

func TestFeaturesRefused(t *testing.T) {
	good := &Features{Dim: 2, Values: []float32{1, 2, 3, 4}, Labels: []int{0, 0}}
	same := &Features{Dim: 2, Values: []float32{1, 2, 1, 2}, Labels: []int{0, 0}}
	for name, err := range map[string]error{
		"no values":       second(NewKNN(&Features{Dim: 2}, 1)),
		"half a row":      second(NewKNN(&Features{Dim: 2, Values: make([]float32, 3)}, 1)),
		"NaN":             second(NewKNN(&Features{Dim: 1, Values: []float32{float32(math.NaN())}}, 1)),
		"nothing":         second(NewKNN(nil, 1)),
		"too many":        second(NewKNN(good, 3)),
		"none":            second(NewKNN(good, 0)),
		"no labels":       second(NewMahalanobis(&Features{Dim: 2, Values: good.Values})),
		"a label missing": second(NewMahalanobis(&Features{Dim: 2, Values: good.Values, Labels: []int{0, -1}})),
		"all the same":    second(NewMahalanobis(same)),
		"another layer":   second(NewViM(good, make([]float32, 3), make([]float32, 1))),
		"too few for ViM": second(NewViM(&Features{Dim: 4, Values: []float32{1, 0, 3, 0, 0, 2, 0, 4}}, make([]float32, 4), make([]float32, 1))),
		"nothing outside": second(NewViM(&Features{Dim: 2, Values: []float32{1, 0, 2, 0}}, []float32{1, 0}, []float32{0})),
	} {
		if !errors.Is(err, ErrFeatures) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Both ways to the origin give the same point, where all logits are 0.
func TestOrigin(t *testing.T) {
	r := rng.New(2)
	weight, bias := mat.NewDense(3, 7, nil), []float64{1, -2, 0.5}
	weight.Apply(func(int, int, float64) float64 { return r.Normal() }, weight)
	o, err := origin(weight, bias)
	if err != nil {
		t.Fatal(err)
	}
	var slow mat.Dense
	if err := pseudoInverse(&slow, weight, mat.NewDense(3, 1, bias)); err != nil {
		t.Fatal(err)
	}
	for i := range o {
		near(t, "origin", o[i], -slow.At(i, 0))
	}
	for c := range bias {
		near(t, "logit", mat.Dot(weight.RowView(c), mat.NewVecDense(7, o))+bias[c], 0)
	}
}
