package corrupt

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/sizes"
)

// Profile is a set of parameters, published for square images of one side. A fixed profile may be used on images of
// any size: its parameters stay, the geometry is the image's own.
type Profile uint8

// The profiles. Auto is the rule described at [Auto].
const (
	// Auto chooses the parameters for the shorter side s of the image. At s = 32, 64, 224 and 299 they are those of
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
	// P299 is the set for Inception-sized images.
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

// setOf is the set of a table that a profile takes.
var setOf = [...]int{Auto: sizes.Auto, P32: 0, P64: 1, P224: 2, P299: 3}

// A table holds the parameters of one corruption: for each column its kind, and the sets for the sides 32, 64, 224, 299, a
// row for each severity.
type (
	table  sizes.Table
	set    = sizes.Set
	params = sizes.Row
	kind   = sizes.Kind
)

const (
	level  = sizes.Level
	count  = sizes.Count
	length = sizes.Length
	steps  = sizes.Steps
)

// at returns the parameters for a severity and an image whose shorter side is side.
func (t *table) at(p Profile, severity, side int) params {
	return (*sizes.Table)(t).At(setOf[p], severity-1, side)
}
