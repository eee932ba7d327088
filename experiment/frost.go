package experiment

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
)

// frostTextures returns the published photographs in a folder; for "" generated ice crystals.
func frostTextures(dir string) (*corrupt.FrostSet, error) {
	if dir == "" {
		return corrupt.GeneratedFrost(), nil
	}
	photos, err := frost.Read(dir)
	if err != nil {
		return nil, err
	}
	return corrupt.NewFrostSet(photos...)
}
