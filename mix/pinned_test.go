package mix

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The bytes that a seed gives are part of the project's interface: they must not depend on assembly, architecture or Go
// release. A change here is a break that the changelog has to announce.
var pinned = map[string]string{
	"augmix-m3-w3-d-1":              "0b7037da40f90e49163f615454f5985b",
	"augmix-m10-w4-d3-all":          "a0e566129c94d544a8ec6e74f2080f11",
	"augmix-m1-w3-d-1-a0.5-f80c0ff": "b5556584897f675bfdb756f51ea01353",
}

func TestPinnedBytes(t *testing.T) {
	for spec, want := range pinned {
		m, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		var s Scratch
		for _, side := range []int{7, 32, 101} {
			for i, src := range benchPictures(20, side) {
				dst, planes := new(raster.Image), make([]float32, 3*side*side)
				r := rng.NewKey(3).Str(spec).Uint(uint64(i)).Rand()
				m.Apply(dst, src, &r, &s)
				m.ApplyPlanes(planes, src, &ImageNet, &r, &s)
				h.Write(dst.Pix)
				hashFloats(h, planes)
			}
		}
		if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want {
			t.Errorf("%s gives %s, pinned is %s", spec, got, want)
		}
	}
}

func hashFloats(h hash.Hash, v []float32) {
	if err := binary.Write(h, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}
