package train

import (
	"context"
	"errors"
	"testing"
)

// TestResumeOfNetworks: networks that draw random numbers or change themselves in training end with the same bytes when
// the run is stopped in between.
func TestResumeOfNetworks(t *testing.T) {
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
