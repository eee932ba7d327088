package corrupt

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The bytes that a seed gives must not depend on assembly, architecture or Go release. A change here is a break that the
// changelog has to announce.
const pinned = "e9d973caa95d59e04f2d75b99494c0d6"

func TestPinnedBytes(t *testing.T) {
	h := sha256.New()
	var s Scratch
	for _, size := range [][2]int{{32, 32}, {71, 50}} {
		src := testImage(size[0], size[1])
		for _, name := range allNames(t) {
			c := op(t, name)
			for severity := 1; severity <= Severities; severity++ {
				dst := new(raster.Image)
				r := rng.NewKey(5).Str(name).Uint(uint64(severity)).Rand()
				if err := c.Apply(dst, src, float64(severity), &r, &s); err != nil {
					t.Fatal(err)
				}
				h.Write(dst.Pix)
			}
		}
	}
	if got := hex.EncodeToString(h.Sum(nil))[:32]; got != pinned {
		t.Errorf("all corruptions give %s, pinned is %s", got, pinned)
	}
}
