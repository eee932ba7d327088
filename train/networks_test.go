package train

import (
	"context"
	"errors"
	"math"
	"testing"
)

// TestResumeOfNetworks: networks that draw random numbers or change themselves in training end with the same bytes when
// the run is stopped in between.
func TestResumeOfNetworks(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"shakeshake26-2x2d", "msdnet-small-2-1", "condensenet-small-8-c4"} {
		t.Run(spec, func(t *testing.T) {
			c := small()
			c.Model, c.Epochs, c.Crop = spec, 2, "pad1:8"
			whole, dir := t.TempDir(), t.TempDir()
			if _, err := Run(t.Context(), c, Options{Dir: whole, Train: newImages(48, 8, 4), Val: newImages(8, 8, 4)}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped, left := errors.New("stopped"), 4
			o := Options{Dir: dir, Train: newImages(48, 8, 4), Val: newImages(8, 8, 4), OnStep: func(*Step) {
				if left--; left == 0 {
					cancel(stopped)
				}
			}}
			if _, err := Run(ctx, c, o); !errors.Is(err, stopped) {
				t.Fatal(err)
			}
			o.Resume, o.Train, o.Val = true, newImages(48, 8, 4), newImages(8, 8, 4)
			if _, err := Run(t.Context(), c, o); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
		})
	}
}

// TestExitsTrain: the loss of a network with three exits is the sum of theirs, each about that of a guess at first.
func TestExitsTrain(t *testing.T) {
	t.Parallel()
	c := small()
	c.Model, c.Epochs, c.Crop, c.LR, c.Warmup = "msdnet-small-3-1", 4, "pad1:8", 0.1, 0
	var losses []float64
	_, err := Run(t.Context(), c, Options{
		Dir: t.TempDir(), Train: newImages(48, 8, 4), OnStep: func(s *Step) { losses = append(losses, s.Loss) },
	})
	if err != nil {
		t.Fatal(err)
	}
	guess := 3 * math.Log(4)
	if first, last := losses[0], losses[len(losses)-1]; math.Abs(first-guess) > 1 || last > 0.8*first {
		t.Errorf("losses %v, want about %.2f at first, and less at last", losses, guess)
	}
}
