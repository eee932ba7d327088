package train

import (
	"errors"
	"strings"
	"testing"
)

// TestNorms: a step that gives a batch norm one value of a channel is refused before the first one, also where only the last step of an
// epoch is such a one.
func TestNorms(t *testing.T) {
	for _, x := range []struct {
		samples, batch int
		change         func(*Config)
		refused        bool
	}{
		{4, 1, nil, true},
		{5, 4, nil, true},
		{5, 2, nil, true},
		{6, 4, nil, false},
		{5, 8, nil, false},
		{5, 4, func(c *Config) { c.Crop = "pad4:64" }, false}, // 2x2 pixels at the end
		{5, 4, func(c *Config) { c.Model = "wrn-10-1" }, false},
		{5, 4, func(c *Config) { c.JSD, c.Mix = true, "augmix" }, false}, // three views
		{5, 4, func(c *Config) { c.Stability = 1 }, false},
		{5, 4, func(c *Config) { c.AuxMix = "gaussian" }, true},
	} {
		c := small()
		c.Model, c.Crop, c.Batch = "resnet18", "", x.batch
		if x.change != nil {
			x.change(&c)
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		begun := errors.New("begun")
		var r runner
		r.config, r.options, r.workers = c, Options{Dir: t.TempDir(), Train: newImages(x.samples, 32, 4)}, 1
		r.state = newState()
		err := r.readData(t.Context())
		if err == nil {
			if err = r.build(nil); err == nil {
				err = begun
			}
		}
		if !x.refused && err != begun {
			t.Errorf("%+v: %v", x, err)
		}
		if x.refused && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "layer4.0.bn1 of resnet18")) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
