package procedural

import (
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// drawn returns the first fractal of a fixed stream that has folds, or none.
func drawn(t testing.TB, flat bool) *colorFractal {
	t.Helper()
	f := new(colorFractal)
	for seed := range uint64(100) {
		f.draw(rng.New(seed), 0, glowing, deep)
		if f.game.flat == flat {
			return f
		}
	}
	t.Fatal("no such fractal")
	return nil
}
