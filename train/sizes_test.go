package train

import (
	"errors"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// odd is images of which one has another size.
type odd struct {
	*images
	at, side int
}

func (o odd) Read(i int, s *data.Sample) error {
	m := *o.images
	if i == o.at {
		m.side = o.side
	}
	return m.Read(i, s)
}

// TestSizes: without a crop an image of another size is named before the first step: any of those in memory, the first of others. One that is
// found later is named too.
func TestSizes(t *testing.T) {
	c := small()
	c.Crop, c.Epochs = "", 1
	for name, x := range map[string]struct {
		train, val odd
		cache      int
		key        string
		early      bool
	}{
		"training":             {odd{newImages(32, 8, 4), 30, 12}, odd{newImages(8, 8, 4), -1, 0}, 1, "s/00030", true},
		"validation":           {odd{newImages(32, 8, 4), -1, 0}, odd{newImages(8, 8, 4), 7, 12}, 1, "s/00007", true},
		"first of validation":  {odd{newImages(32, 8, 4), -1, 0}, odd{newImages(8, 8, 4), 0, 12}, 0, "s/00000", true},
		"second of validation": {odd{newImages(32, 8, 4), -1, 0}, odd{newImages(8, 8, 4), 1, 12}, 0, "s/00001", false},
		"second of training":   {odd{newImages(32, 8, 4), 1, 12}, odd{newImages(8, 8, 4), -1, 0}, 0, "s/00001", false},
	} {
		c.CacheMB = x.cache
		begun := false
		_, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: x.train, Val: x.val, OnBegin: func(*Plan) { begun = true }})
		var bad *data.SampleError
		if !errors.Is(err, raster.ErrSize) || !errors.As(err, &bad) || bad.Key != x.key || begun == x.early {
			t.Errorf("%s, begun %v: %v", name, begun, err)
		}
	}
	c.CacheMB, c.Size = 1, 6 // all of one size after the resize
	if _, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: odd{newImages(32, 8, 4), 30, 12}, Val: newImages(8, 8, 4)}); err != nil {
		t.Error(err)
	}
}
