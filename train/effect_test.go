package train

import (
	"errors"
	"strings"
	"testing"
)

// TestCheckEffect: what nothing looks at is refused where it is asked for, and nothing else is.
func TestCheckEffect(t *testing.T) {
	known := map[string]bool{}
	d := Default()
	for key := range d.Fields() {
		known[key] = true
	}
	for _, e := range d.effects() {
		for _, key := range e.keys {
			if !known[key] {
				t.Errorf("there is no key %s", key)
			}
		}
	}
	for _, c := range []struct {
		keys        string
		idle, works func(c *Config)
	}{
		{"mixset", func(c *Config) { c.Mix, c.Mixset = "augmix", "nowhere" }, func(c *Config) { c.Mix = "pixmix" }},
		{"views", func(c *Config) { c.Views = 5 }, func(c *Config) { c.JSD = true }},
		{"lambda", func(c *Config) { c.Lambda = 3 }, func(c *Config) { c.JSD = true }},
		{"lambda", func(c *Config) { c.Lambda = 3 }, func(c *Config) { c.Mix, c.AugMax = "augmix", 5 }},
		{"adv-eps", func(c *Config) { c.AdvEps = 4 }, func(c *Config) { c.Adversarial = true }},
		{"outlier-batch", func(c *Config) { c.OutlierBatch = 7 }, func(c *Config) { c.Outliers = "noise" }},
		{"stability-noise", func(c *Config) { c.StabilityNoise = 0.1 }, func(c *Config) { c.Stability = 1 }},
		{"aux-weight", func(c *Config) { c.AuxWeight = 3 }, func(c *Config) { c.AuxMix = "afa" }},
		{"augmax-step", func(c *Config) { c.AugMaxStep = 1 }, func(c *Config) { c.Mix, c.AugMax = "augmix", 5 }},
		{"ant-alone", func(c *Config) { c.ANTAlone = 5 }, func(c *Config) { c.ANT = 2 }},
		{"feature-add", func(c *Config) { c.FeatureAdd = 1 }, func(c *Config) { c.FeatureMix = 1 }},
		{"min-lr", func(c *Config) { c.Schedule, c.MinLR = "step", 0.01 }, func(c *Config) { c.Schedule = "cosine" }},
		{"lr-gamma", func(c *Config) { c.LRGamma = 0.5 }, func(c *Config) { c.Schedule, c.LRMilestones = "step", []int{5} }},
		{"momentum", func(c *Config) { c.Optimizer, c.Momentum = "adam", 0.5 }, func(c *Config) { c.Optimizer = "sgd" }},
		{"val-only", func(c *Config) { c.ValFraction, c.ValOnly = 0.1, []string{"a"} }, func(c *Config) { c.ValFraction = 0 }},
	} {
		r := small()
		c.idle(&r)
		if err := r.CheckEffect("data", c.keys); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), ": "+c.keys+" ") {
			t.Errorf("%s: %v", c.keys, err)
		}
		if err := r.CheckEffect("data"); err != nil {
			t.Errorf("%s, not asked for: %v", c.keys, err)
		}
		if err := r.Check(); err != nil {
			t.Errorf("%s, of a recipe: %v", c.keys, err)
		}
		c.works(&r)
		if err := r.CheckEffect(c.keys); err != nil {
			t.Errorf("%s: %v", c.keys, err)
		}
	}
	r := small()
	r.MinLR, r.Schedule = 0, "constant"
	if err := r.CheckEffect("min-lr"); err != nil {
		t.Errorf("0: %v", err)
	}
	r.Lambda = Default().Lambda
	if err := r.CheckEffect("lambda"); !errors.Is(err, ErrConfig) {
		t.Errorf("a default that was asked for: %v", err)
	}
}

// TestLeastRate: min-lr is of the cosine alone, and no bound of a rate that stays.
func TestLeastRate(t *testing.T) {
	c := Default()
	c.Model, c.Data, c.LR = "wrn-10-1", "x", 1e-7
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "min-lr") {
		t.Errorf("cosine: %v", err)
	}
	if c.Schedule = "constant"; c.Check() != nil {
		t.Error(c.Check())
	}
}
