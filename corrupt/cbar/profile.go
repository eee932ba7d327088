package cbar

import "github.com/augmix-go/augmix/internal/corruption"

// Profile is a set of ten corruptions and their severity values. A profile may be used on images of any size.
type Profile uint8

// The profiles.
const (
	// ImageNet is the set of ImageNet-C-bar, published for images of 224x224.
	ImageNet Profile = iota
	// CIFAR is the set of CIFAR-10-C-bar, published for images of 32x32.
	CIFAR
)

var profileNames = []string{ImageNet: "imagenet", CIFAR: "cifar"}

// smallSide is the shorter side in pixels up to which images count as CIFAR's: 64 is the largest published size of small
// images, 224 the smallest of large ones.
const smallSide = 64

// ProfileFor returns the profile that suits images whose shorter side is side pixels: CIFAR up to 64, ImageNet above.
func ProfileFor(side int) Profile {
	if side > smallSide {
		return ImageNet
	}
	return CIFAR
}

func (p Profile) valid() bool { return int(p) < len(profileNames) }

// String returns the name that [ParseProfile] takes.
func (p Profile) String() string { return corruption.ProfileName(uint8(p), profileNames) }

// ParseProfile returns the profile named imagenet or cifar, or an error that wraps [ErrUnknown].
func ParseProfile(name string) (Profile, error) {
	p, err := corruption.Find("profile", name, profileNames)
	return Profile(p), err
}
