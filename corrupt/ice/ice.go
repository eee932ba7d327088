// Package ice grows pictures of frosted panes.
package ice

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Kind is a form of frost.
type Kind uint8

// The kinds.
const (
	Fern Kind = iota
	Curl
	Needle
	Rime
	Leaf
	Hoar
	Glaze
)

var names = [...]string{"fern", "curl", "needle", "rime", "leaf", "hoar", "glaze"}

// String returns the name of k.
func (k Kind) String() string {
	if int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return names[k]
}

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Fern, Curl, Needle, Rime, Leaf, Hoar, Glaze} }

// Limits of the size of a picture.
const (
	MinSide   = 32
	MaxPixels = 1 << 24
)

// ErrSize is returned for a size outside the limits.
var ErrSize = errors.New("ice: bad picture size")

// CheckSize returns an error that wraps ErrSize.
func CheckSize(w, h int) error {
	if w < MinSide || h < MinSide || w > MaxPixels/h {
		return fmt.Errorf("%w: %dx%d, want sides of at least %d and at most %d pixels", ErrSize, w, h, MinSide, MaxPixels)
	}
	return nil
}

var growers = [...]func(w, h int, r *rng.Rand) (light, tint *plane){
	Fern: fern, Curl: curl, Needle: needle, Rime: rime, Leaf: leaf, Hoar: hoar, Glaze: glaze,
}

// Grow grows a picture.
func Grow(kind Kind, w, h int, r *rng.Rand) *raster.Image {
	if int(kind) >= len(growers) {
		panic("ice: no kind " + kind.String())
	}
	if err := CheckSize(w, h); err != nil {
		panic(err)
	}
	light, tint := growers[kind](w, h, r)
	m := raster.New(w, h)
	targets[kind].develop(m, light, tint)
	return m
}

var setKinds = []Kind{Glaze, Needle, Needle, Rime, Fern, Leaf, Curl, Curl, Hoar}

// Size of the pictures of a set.
const (
	SetWidth  = 1024
	SetHeight = 768
)

// Set grows a set.
func Set(seed uint64) []*raster.Image {
	set := make([]*raster.Image, len(setKinds))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, k := range setKinds {
		slots <- struct{}{}
		wg.Go(func() {
			r := rng.NewKey(seed).Str("ice").Uint(uint64(i)).Rand()
			set[i] = Grow(k, SetWidth, SetHeight, &r)
			<-slots
		})
	}
	wg.Wait()
	return set
}

var grown = sync.OnceValue(func() []*raster.Image { return Set(0) })

// Default returns the set of seed 0.
func Default() []*raster.Image { return append([]*raster.Image(nil), grown()...) }
