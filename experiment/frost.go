package experiment

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
)

// frostTextures returns the published photographs in a folder; for "" generated ice crystals.
func frostTextures(dir string) (*corrupt.FrostSet, error) {
	textures := frost.Default()
	if dir != "" {
		var err error
		if textures, err = frost.Read(dir); err != nil {
			return nil, err
		}
	}
	return corrupt.NewFrostSet(textures...)
}
