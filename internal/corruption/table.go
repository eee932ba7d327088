package corruption

import "math"

// Sides are the sides of the published images, in the order of a table's sets: CIFAR, Tiny ImageNet, ImageNet, Inception.
var Sides = [4]int{32, 64, 224, 299}

// Auto as the published side of [Table.At] chooses by the side of the image.
const Auto = 0

// Row holds the parameters of one strength (a severity, a difficulty), in the order of the table's columns.
type Row [10]float64

// Set holds the rows of one side, from the weakest on.
type Set []Row

// Kind says how a parameter changes with the size of the image.
type Kind uint8

// The kinds.
const (
	Level  Kind = iota // without unit
	Count              // without unit, an integer
	Length             // in pixels
	Steps              // in pixels, an integer, at least 1
	Switch             // one of two ways of working, 0 or 1
)

// Table holds the parameters of one operation: for each column its kind and, where strengths may be fractions, the value
// that leaves an image as it is ([Stay] and [Never] stand for others); and a set for each of Sides.
type Table struct {
	Kinds []Kind
	Clean []float64
	Sets  [4]Set
	// Blend: between two rows lies the mean of their results, by weight, and below the first that of the image and its result.
	Blend bool
}

// At returns the row, from 0, that was published for images of side published, one of Sides; or, with Auto, the parameters
// for an image whose shorter side is side: at one of Sides the published ones; between two of them every parameter is
// interpolated linearly; below and above all of them parameters without unit stay as at the end, and those in pixels grow
// in proportion. Integers are then rounded, halves up.
func (t *Table) At(published, row, side int) Row { return t.rounded(t.unrounded(published, row, side)) }

// unrounded is At before integers are rounded.
func (t *Table) unrounded(published, row, side int) Row {
	if published != Auto {
		side = published
	}
	last := len(Sides) - 1
	for i, a := range Sides {
		if side == a {
			return t.Sets[i][row]
		}
	}
	switch {
	case side < Sides[0]:
		return t.scaled(t.Sets[0][row], float64(side)/float64(Sides[0]))
	case side > Sides[last]:
		return t.scaled(t.Sets[last][row], float64(side)/float64(Sides[last]))
	}
	i := 0
	for side > Sides[i+1] {
		i++
	}
	f := float64(side-Sides[i]) / float64(Sides[i+1]-Sides[i])
	a, b := t.Sets[i][row], t.Sets[i+1][row]
	for c := range t.Kinds {
		a[c] += float64(f * (b[c] - a[c]))
	}
	return a
}

// scaled multiplies the lengths by f.
func (t *Table) scaled(v Row, f float64) Row {
	for c, k := range t.Kinds {
		if k == Length || k == Steps {
			v[c] = float64(v[c] * f)
		}
	}
	return v
}

// rounded rounds the integers.
func (t *Table) rounded(v Row) Row {
	for c, k := range t.Kinds {
		switch k {
		case Count, Switch:
			v[c] = math.Floor(v[c] + 0.5)
		case Steps:
			v[c] = max(1, math.Floor(v[c]+0.5))
		}
	}
	return v
}
