package perturb

import (
	"fmt"
	"time"

	"github.com/augmix-go/augmix/raster"
)

// checkFrames returns an error that wraps [ErrFrames] unless there are frames, all of one size, neither side above
// maxSide.
func checkFrames(frames []*raster.Image, maxSide int) error {
	if len(frames) == 0 {
		return fmt.Errorf("%w: no frames", ErrFrames)
	}
	w, h := frames[0].W, frames[0].H
	for i, m := range frames {
		switch {
		case m.W != w || m.H != h:
			return fmt.Errorf("%w: frame %d is %dx%d, frame 0 is %dx%d", ErrFrames, i, m.W, m.H, w, h)
		case m.W < 1 || m.H < 1 || m.W > maxSide || m.H > maxSide:
			return fmt.Errorf("%w: frame %d is %dx%d (allowed: sides of 1 to %d)", ErrFrames, i, m.W, m.H, maxSide)
		}
	}
	return nil
}

// ticks returns delay in units of 1/perSecond second, rounded to the nearest, or an error that wraps [ErrFrames] if it
// is negative or does not fit 16 bits.
func ticks(delay time.Duration, perSecond int) (uint16, error) {
	unit := time.Second / time.Duration(perSecond)
	longest := 0xffff * unit
	if delay < 0 || delay > longest {
		return 0, fmt.Errorf("%w: a delay of %v (allowed: 0 to %v)", ErrFrames, delay, longest)
	}
	return uint16((delay + unit/2) / unit), nil
}
