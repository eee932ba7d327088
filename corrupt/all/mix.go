package all

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ForMix returns the corruption with the published name as an augmentation takes it, for the field Corruptions of [mix.Options]. The
// error is that of [ByName].
func ForMix(name string) (mix.Corruption, error) {
	c, err := ByName(name)
	if err != nil {
		return nil, err
	}
	return mixed{c}, nil
}

type mixed struct{ Op }

// Corrupt implements [mix.Corruption].
func (c mixed) Corrupt(dst, src *raster.Image, severity int, r *rng.Rand, memory *any) {
	s, ok := (*memory).(*corrupt.Scratch)
	if !ok {
		s = new(corrupt.Scratch)
		*memory = s
	}
	if err := c.Apply(dst, src, float64(severity), r, s); err != nil {
		panic(fmt.Sprintf("all: %v", err)) // the caller looks at the severity and the size
	}
}
