// Package all finds every published corruption of classifiers of photographs by its name: the 19 of package corrupt and the 15 of package
// corrupt/cbar. Those of medical images are in package corrupt/medical alone.
//
// It is a package of its own because it lies above both: cbar is built on the interface and the memory of corrupt, which
// therefore cannot know cbar, and nothing registers itself by being imported.
package all

import (
	"image"
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Op is a corruption whose parameters suit the size of the image: [corrupt.Auto], and of the profiles of C-bar that of the
// image's shorter side ([cbar.ProfileFor]) or else the one that has the corruption.
type Op struct{ corrupt.Corruption }

// Image is [corrupt.Op.Image].
func (c Op) Image(img image.Image, severity float64, seed uint64) (image.Image, error) {
	return corrupt.Image(c.Corruption, img, severity, seed)
}

// Apply implements [corrupt.Corruption]. The zero Op is an error that wraps [corrupt.ErrUnknown].
func (c Op) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error {
	if c.Corruption == nil {
		return corruption.ErrNone
	}
	return c.Corruption.Apply(dst, src, severity, r, s)
}

// Memory is [corrupt.Op.Memory], 0 for a corruption that does not say it.
func (c Op) Memory(w, h int) int64 {
	if m, ok := c.Corruption.(interface{ Memory(w, h int) int64 }); ok {
		return m.Memory(w, h)
	}
	return 0
}

// Names returns the names of all corruptions: the 15 common ones, the four for validation, those of C-bar.
func Names() []string {
	names, err := corrupt.Names("all")
	if err != nil {
		panic("all: " + err.Error()) // there is such a subset
	}
	for _, p := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		ten, err := cbar.Names(p)
		if err != nil {
			panic("all: " + err.Error())
		}
		for _, name := range ten {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// ByName returns the corruption with the published name, or an error that wraps [corrupt.ErrUnknown] and lists what there
// is.
func ByName(name string) (Op, error) {
	if c, err := corrupt.ByName(name); err == nil {
		return Op{c}, nil
	}
	if c, err := cbar.ByName(name); err == nil {
		return Op{bar{c}}, nil
	}
	_, err := corruption.Find("corruption", name, Names())
	return Op{}, err
}

// bar is a corruption of C-bar that chooses its profile.
type bar struct{ cbar.Op }

// Apply implements [corrupt.Corruption].
func (b bar) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error {
	p := cbar.ProfileFor(min(src.W, src.H))
	if !b.In(p) {
		p = cbar.ImageNet + cbar.CIFAR - p
	}
	return b.WithProfile(p).Apply(dst, src, severity, r, s)
}
