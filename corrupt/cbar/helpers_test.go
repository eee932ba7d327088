package cbar

import (
	"testing"

	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
)

var testImage = corruptiontest.Image

// ops returns the ten of a profile.
func ops(t testing.TB, p Profile) []Op {
	t.Helper()
	names, err := Names(p)
	if err != nil {
		t.Fatal(err)
	}
	var all []Op
	for _, name := range names {
		c, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.WithProfile(p))
	}
	return all
}
