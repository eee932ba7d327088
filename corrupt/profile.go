package corrupt

import "github.com/augmix-go/augmix/internal/corruption"

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

var profileNames = []string{Auto: "auto", P224: "224", P64: "64", P32: "32", P299: "299"}

// Side returns the side in pixels of the images that the profile was published for; 0 for [Auto].
func (p Profile) Side() int {
	switch p {
	case P224:
		return 224
	case P64:
		return 64
	case P32:
		return 32
	case P299:
		return 299
	}
	return corruption.Auto
}

// Valid reports whether there is such a profile.
func (p Profile) Valid() bool { return int(p) < len(profileNames) }

// String returns the name that [ParseProfile] takes.
func (p Profile) String() string { return corruption.ProfileName(uint8(p), profileNames) }

// ParseProfile returns the profile named auto, 224, 64, 32 or 299, or an error that wraps [ErrUnknown].
func ParseProfile(name string) (Profile, error) {
	p, err := corruption.Find("profile", name, profileNames)
	return Profile(p), err
}

// A table holds the parameters of one corruption: for each column its kind, and the sets for the sides 32, 64, 224, 299, a
// row for each severity.
type (
	table  = corruption.Table
	set    = corruption.Set
	params = corruption.Row
	kind   = corruption.Kind
)

const (
	level  = corruption.Level
	count  = corruption.Count
	length = corruption.Length
	steps  = corruption.Steps
	mode   = corruption.Switch
)

var stay, never = corruption.Stay(), corruption.Never()
