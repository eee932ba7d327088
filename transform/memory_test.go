package transform

import (
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruptions say what the largest of them takes, after the preparation, and let the memory of a large image go.
func TestMemory(t *testing.T) {
	plan := &Corruptions{Names: []string{"gaussian_noise", "contrast"}, Severities: []float64{1}}
	noise, err := corrupt.ByName("gaussian_noise")
	if err != nil {
		t.Fatal(err)
	}
	weigh := func() int64 { return plan.Transform().(Weigher).Memory(3000, 2000) }
	if got, want := weigh(), noise.Memory(3000, 2000); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	plan.Size, plan.Crop = 256, 224
	if got, most := weigh(), int64(4<<20); got < noise.Memory(224, 224) || got > most {
		t.Errorf("prepared: %d bytes, at most %d", got, most)
	}
	plan.Names, plan.Own, plan.Size, plan.Crop = []string{"mine"}, []corrupt.Corruption{unknown{noise}}, 0, 0
	if got, want := weigh(), int64(unknownBytes*3000*2000); got != want {
		t.Errorf("unknown: %d bytes, want %d", got, want)
	}
	worker := plan.Transform().(*corruptor)
	var parts Parts
	for _, side := range []int{64, 1100} {
		parts.Reset(func(dst []byte, _ *raster.Image) ([]byte, error) { return dst, nil })
		if err := worker.Apply(&parts, raster.New(side, side), rng.NewKey(1)); err != nil {
			t.Fatal(err)
		}
		if kept, want := cap(worker.dst.Pix) > 0, side == 64; kept != want {
			t.Errorf("after an image of side %d: memory kept %t", side, kept)
		}
	}
}

// unknown is a corruption that does not say what it takes.
type unknown struct{ corrupt.Corruption }

func (unknown) Name() string { return "mine" }
