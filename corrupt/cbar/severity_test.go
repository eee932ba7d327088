package cbar

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// each calls f with every corruption of both profiles.
func each(f func(c Op)) {
	for _, p := range []Profile{ImageNet, CIFAR} {
		for i := range rows {
			if c := (Op{row: &rows[i], profile: p}); c.In(p) {
				f(c)
			}
		}
	}
}

// At whole severities the levels are the published ones, to the bit.
func TestWholeSeverities(t *testing.T) {
	src, s := corruptiontest.Image(48, 40), new(corrupt.Scratch)
	each(func(c Op) {
		for i, level := range c.levels(c.profile) {
			var got, want raster.Image
			if err := c.Apply(&got, src, float64(i+1), rng.New(3), s); err != nil {
				t.Fatal(err)
			}
			c.row.run(job{&want, src, level, rng.New(3), new(Scratch)})
			if !raster.Equal(&got, &want) {
				t.Errorf("%s %s: severity %d.0 is not level %v", c.profile, c.Name(), i+1, level)
			}
		}
	})
}

// The image changes more from severity to severity, from nothing at 0 on.
func TestSteady(t *testing.T) {
	src := corruptiontest.Image(96, 96)
	each(func(c Op) {
		most := 0.0
		for severity := 0.0; severity <= Severities; severity += 0.25 {
			v := change(t, c, src, severity)
			if v < most-0.05 {
				t.Errorf("%s %s: %.2f gray levels at %v, %.2f before", c.profile, c.Name(), v, severity, most)
			}
			most = max(most, v)
		}
		if v := change(t, c, src, 0); v != 0 {
			t.Errorf("%s %s: severity 0 changes %v gray levels", c.profile, c.Name(), v)
		}
		// The spline of circular_motion_blur leaves no image as it is.
		if v := change(t, c, src, corruption.LeastSeverity); v > 1 && c.Name() != "circular_motion_blur" {
			t.Errorf("%s %s: severity %v changes %.2f gray levels", c.profile, c.Name(), corruption.LeastSeverity, v)
		}
	})
}

// change is the mean absolute difference from src, in gray levels, of a corruption with always the same random numbers.
func change(t *testing.T, c Op, src *raster.Image, severity float64) float64 {
	t.Helper()
	var dst raster.Image
	if err := c.Apply(&dst, src, severity, rng.New(1), new(corrupt.Scratch)); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range dst.Pix {
		sum += math.Abs(float64(dst.Pix[i]) - float64(src.Pix[i]))
	}
	return sum / float64(3*src.W*src.H)
}
