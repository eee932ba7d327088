package all

import (
	"runtime"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// tables is what a corruption may allocate besides, whatever the size of the image.
const tables = 1 << 20

// TestMemory: every corruption allocates at most what it says of an image, and no more than a third less, or three bytes a pixel. Severities
// differ in what they take, and so do sides.
func TestMemory(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates too")
	}
	small := raster.New(16, 16)
	for _, name := range Names() {
		c, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		said, ok := c.Corruption.(interface{ Memory(w, h int) int64 })
		if !ok {
			t.Errorf("%s does not say what it takes", name)
			continue
		}
		var most float64 // share of what it says
		for _, one := range []struct {
			w, h     int
			severity float64
		}{{500, 500, 1}, {500, 500, 2.5}, {500, 500, 5}, {1000, 250, 1}, {1000, 250, 5}} {
			allocated(t, c, small, one.severity) // what is made once, such as textures
			got, want := allocated(t, c, raster.New(one.w, one.h), one.severity), said.Memory(one.w, one.h)
			if got > want+tables {
				t.Errorf("%s at %v of %dx%d: %d bytes, it says %d", name, one.severity, one.w, one.h, got, want)
			}
			most = max(most, float64(got+3*int64(one.w*one.h))/float64(want))
		}
		if most < 0.67 {
			t.Errorf("%s takes at most %.2f of what it says", name, most)
		}
	}
}

// allocated returns how many bytes a corruption allocates for an image.
func allocated(t *testing.T, c corrupt.Corruption, src *raster.Image, severity float64) int64 {
	t.Helper()
	var dst raster.Image
	var s corrupt.Scratch
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := c.Apply(&dst, src, severity, rng.New(1), &s)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Error(err)
	}
	return int64(after.TotalAlloc - before.TotalAlloc)
}
