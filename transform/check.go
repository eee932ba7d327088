package transform

import (
	"fmt"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/option"
)

// mostViews bounds the views of a sample.
const mostViews = 64

// Check implements [Plan].
func (p *Pipeline) Check() error {
	if err := checkPrepare(p.Size, p.Filter, p.Crop); err != nil {
		return err
	}
	for i, o := range p.Ops {
		if o.Op == nil {
			return fmt.Errorf("%w: operation %d of the pipeline is nil (allowed: those of ParseOp)", ErrOption, i)
		}
	}
	switch {
	case !(p.Shared == 0 || p.Shared >= 0.1 && p.Shared <= 10):
		return fmt.Errorf("%w: shared severity %v (allowed: 0.1 to 10, or 0 for none)", ErrOption, p.Shared)
	case p.Views < 0 || p.Views > mostViews:
		return option.Errorf(ErrOption, "{views} %d (allowed: 1 to %d, or 0 for 1)", p.Views, mostViews)
	case p.Epoch < 0:
		return option.Errorf(ErrOption, "{epoch} %d (allowed: 0 and up)", p.Epoch)
	}
	return nil
}

// checkPrepare checks what a plan does before all else.
func checkPrepare(size int, filter augment.Filter, crop Crop) error {
	if size < 0 {
		return option.Errorf(ErrOption, "{size} %d (allowed: 1 and up, or 0 for none)", size)
	}
	if _, err := augment.ParseFilter(filter.String()); err != nil {
		return option.Errorf(ErrOption, "{filter}: %w", err)
	}
	switch {
	case crop.Kind > ResizedCrop:
		return option.Errorf(ErrOption, "{crop} of kind %d (allowed: 0 to %d)", crop.Kind, ResizedCrop)
	case crop.Kind != NoCrop && (crop.N < 1 || crop.N > maxSide):
		return option.Errorf(ErrOption, "{crop} %d (allowed: 1 to %d)", crop.N, maxSide)
	case crop.Pad < 0 || crop.Pad > maxSide:
		return option.Errorf(ErrOption, "{crop} with a padding of %d (allowed: 0 to %d)", crop.Pad, maxSide)
	}
	return nil
}

// checkForms checks what every corruption or perturbation of a plan does before all else; a crop of 0 is none.
func checkForms(size int, filter augment.Filter, crop int) error {
	if crop < 0 {
		return option.Errorf(ErrOption, "{crop} %d (allowed: 1 to %d, or 0 for none)", crop, maxSide)
	}
	p := Prepared(size, filter, crop)
	return checkPrepare(p.Size, p.Filter, p.Crop)
}
