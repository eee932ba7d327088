package perturb

import (
	"math"

	"github.com/augmix-go/augmix/corrupt"
)

// Profile is a set of parameters and the preparation of the picture that goes with it; see the package comment. It is
// the type of package corrupt, whose ParseProfile reads its name.
type Profile = corrupt.Profile

// The profiles.
const (
	// Auto takes the picture as it is and chooses the parameters for its shorter side.
	Auto = corrupt.Auto
	// P224 is ImageNet-P.
	P224 = corrupt.P224
	// P64 is Tiny ImageNet-P, and ImageNet-64-P on pictures that were resized to 64x64 before (but for motion_blur,
	// which there acts on the picture before that).
	P64 = corrupt.P64
	// P32 is CIFAR-10-P and CIFAR-100-P.
	P32 = corrupt.P32
	// P299 is the variant for Inception.
	P299 = corrupt.P299
)

// anchors are the sides of the published profiles, in the order of a table's sets.
var anchors = [4]int{32, 64, 224, 299}

var anchorOf = map[Profile]int{P32: 0, P64: 1, P224: 2, P299: 3}

func valid(p Profile) bool {
	_, published := anchorOf[p]
	return published || p == Auto
}

// params holds the parameters of one perturbation at one difficulty, in the order of its table's columns. The first is
// always the number of frames.
type params [10]float64

func (v params) frames() int { return int(v[0]) }

// kind says how a parameter changes with the size of the picture.
type kind uint8

const (
	level  kind = iota // without unit
	count              // without unit, a whole number
	length             // in pixels
	steps              // in pixels, a whole number, at least 1
)

// set holds the parameters of one profile for each difficulty.
type set []params

// table holds the parameters of one perturbation: for each column its kind, and the sets for the sides 32, 64, 224,
// 299.
type table struct {
	kinds []kind
	sets  [4]set
}

// at returns the parameters for a difficulty and a picture whose shorter side is side, which only Auto looks at.
func (t *table) at(p Profile, difficulty, side int) params {
	if p != Auto {
		return t.sets[anchorOf[p]][difficulty-1]
	}
	last := len(anchors) - 1
	for i, a := range anchors {
		if side == a {
			return t.sets[i][difficulty-1]
		}
	}
	switch {
	case side < anchors[0]:
		return t.scaled(t.sets[0][difficulty-1], float64(side)/float64(anchors[0]))
	case side > anchors[last]:
		return t.scaled(t.sets[last][difficulty-1], float64(side)/float64(anchors[last]))
	}
	i := 0
	for side > anchors[i+1] {
		i++
	}
	f := float64(side-anchors[i]) / float64(anchors[i+1]-anchors[i])
	a, b := t.sets[i][difficulty-1], t.sets[i+1][difficulty-1]
	for c := range t.kinds {
		a[c] += float64(f * (b[c] - a[c]))
	}
	return t.rounded(a)
}

// scaled multiplies the lengths by f.
func (t *table) scaled(v params, f float64) params {
	for c, k := range t.kinds {
		if k == length || k == steps {
			v[c] = float64(v[c] * f)
		}
	}
	return t.rounded(v)
}

// rounded rounds the whole numbers, halves up.
func (t *table) rounded(v params) params {
	for c, k := range t.kinds {
		switch k {
		case count:
			v[c] = math.Floor(v[c] + 0.5)
		case steps:
			v[c] = max(1, math.Floor(v[c]+0.5))
		}
	}
	return v
}
