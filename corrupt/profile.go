package corrupt

import (
	"fmt"
	"math"
	"strings"
)

// Profile is a set of parameters, published for square pictures of one side. A fixed profile may be used on pictures of
// any size: its parameters stay, the geometry is the picture's own.
type Profile uint8

// The profiles. Auto is the rule described at [Auto].
const (
	// Auto chooses the parameters for the shorter side s of the picture. At s = 32, 64, 224 and 299 they are those of
	// the published profile. Between two of these sides every parameter is interpolated linearly in s (counts, such as
	// JPEG quality, are then rounded, halves up). Below 32 and above 299 parameters without unit stay as they are at
	// the end, and lengths in pixels (blur radii, standard deviations, displacements) grow in proportion to s.
	Auto Profile = iota
	// P224 is the set of ImageNet-C.
	P224
	// P64 is the set of Tiny ImageNet-C and ImageNet-64-C.
	P64
	// P32 is the set of CIFAR-10-C and CIFAR-100-C.
	P32
	// P299 is the set for Inception-sized pictures.
	P299
)

var profileNames = [...]string{Auto: "auto", P224: "224", P64: "64", P32: "32", P299: "299"}

func (p Profile) valid() bool { return int(p) < len(profileNames) }

// String returns the name that [ParseProfile] takes.
func (p Profile) String() string {
	if !p.valid() {
		return fmt.Sprintf("Profile(%d)", uint8(p))
	}
	return profileNames[p]
}

// ParseProfile returns the profile named auto, 224, 64, 32 or 299, or an error that wraps [ErrUnknown].
func ParseProfile(name string) (Profile, error) {
	for p, n := range profileNames {
		if n == name {
			return Profile(p), nil
		}
	}
	return 0, fmt.Errorf("corrupt: %w: profile %q (there are %s)", ErrUnknown, name, strings.Join(profileNames[:], ", "))
}

// anchors are the sides of the published profiles, in the order of a table's sets.
var anchors = [4]int{32, 64, 224, 299}

var anchorOf = [...]int{P32: 0, P64: 1, P224: 2, P299: 3}

// params holds the parameters of one corruption at one severity, in the order of its table's columns.
type params [8]float64

// kind says how a parameter changes with the size of the picture.
type kind uint8

const (
	level  kind = iota // without unit
	count              // without unit, a whole number
	length             // in pixels
	steps              // in pixels, a whole number, at least 1
)

// set holds the parameters of one profile for the five severities.
type set [Severities]params

// table holds the parameters of one corruption: for each column its kind, and the sets for the sides 32, 64, 224, 299.
type table struct {
	kinds []kind
	sets  [4]set
}

// at returns the parameters for a severity and a picture whose shorter side is side.
func (t *table) at(p Profile, severity, side int) params {
	if p != Auto {
		return t.sets[anchorOf[p]][severity-1]
	}
	last := len(anchors) - 1
	for i, a := range anchors {
		if side == a {
			return t.sets[i][severity-1]
		}
	}
	switch {
	case side < anchors[0]:
		return t.scaled(t.sets[0][severity-1], float64(side)/float64(anchors[0]))
	case side > anchors[last]:
		return t.scaled(t.sets[last][severity-1], float64(side)/float64(anchors[last]))
	}
	i := 0
	for side > anchors[i+1] {
		i++
	}
	f := float64(side-anchors[i]) / float64(anchors[i+1]-anchors[i])
	a, b := t.sets[i][severity-1], t.sets[i+1][severity-1]
	for c := range t.kinds {
		a[c] += float64(f * (b[c] - a[c]))
	}
	return t.rounded(a)
}

// scaled multiplies the lengths by f.
func (t *table) scaled(v params, f float64) params {
	for c, k := range t.kinds {
		if k == length || k == steps {
			v[c] *= f
		}
	}
	return t.rounded(v)
}

// rounded rounds the whole numbers.
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
