package transform

import (
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
)

// AsksBar reports whether a list of what [ExpandCorruptions] takes has a corruption of package cbar, so that its profile matters.
func AsksBar(list []string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		_, err := cbar.ByName(item)
		return err == nil || item == BarSubset
	})
}

// BarProfile returns the profile of package cbar that suits a list of what [ExpandCorruptions] takes: that of images like the ones
// which profile is of, and with corrupt.Auto of images whose shorter side is the result of side, which is asked only then.
func BarProfile(list []string, profile corrupt.Profile, side func() (int, error)) (cbar.Profile, error) {
	switch {
	case !AsksBar(list): // it makes no difference
		return cbar.CIFAR, nil
	case profile == corrupt.P224 || profile == corrupt.P299:
		return cbar.ImageNet, nil
	case profile != corrupt.Auto:
		return cbar.CIFAR, nil
	}
	n, err := side()
	return cbar.ProfileFor(n), err
}
