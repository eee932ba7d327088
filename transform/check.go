package transform

import (
	"fmt"

	"github.com/augmix-go/augmix/perturb"
)

// Check returns an error that wraps ErrOption unless the plan can make every corruption of the names, as [Corruptions.Transform]
// demands, and the plan's own corruptions have names that are not taken and can name files.
func (c *Corruptions) Check(names ...string) error {
	if err := c.checkOwn(); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := c.Corruption(name); err != nil {
			return err
		}
	}
	return nil
}

// CheckPerturbations returns an error that wraps ErrOption unless all names are perturbations.
func CheckPerturbations(names ...string) error {
	for _, name := range names {
		if _, err := perturb.ByName(name); err != nil {
			return fmt.Errorf("%w: %w", ErrOption, err)
		}
	}
	return nil
}
