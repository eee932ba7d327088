package augment

import (
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The map of an operation that moves pixels is what the operation does, and maps follow each other.
func TestMatrix(t *testing.T) {
	src := raster.New(21, 16)
	r := rng.New(3)
	for i := range src.Pix {
		if src.Pix[i] = uint8(r.Uint64()); i%4 == 3 {
			src.Pix[i] = 255
		}
	}
	fill := raster.RGB{R: 9}
	a, b := new(raster.Image), new(raster.Image)
	for _, o := range AugMixOps(true) {
		for _, v := range []float64{-90, -7, -0.25, 0, 3, 33} {
			if o.Moves && o.Check(v) == nil {
				o.Apply(a, src, v, fill)
				if Affine(b, src, o.Matrix(v, src.W, src.H), fill); !raster.Equal(a, b) {
					t.Errorf("%s of %v is not its map", o.Name, v)
				}
			} else if m := o.Matrix(v, 5, 5); !o.Moves && m != (Matrix{A: 1, E: 1}) {
				t.Errorf("%s moves by %v", o.Name, m)
			}
		}
	}
	first, next := Matrix{A: 1, C: 3, E: 1, F: -2}, Matrix{A: -1, C: 21, E: 1}
	AffineNearest(a, src, first, fill)
	AffineNearest(b, a, next, fill)
	if AffineNearest(a, src, first.Then(next), fill); !raster.Equal(a, b) {
		t.Error("one map after the other is not the map of both")
	}
}
