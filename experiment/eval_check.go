package experiment

import (
	"fmt"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/transform"
)

// checkNames looks at the names of what is made on the fly.
func (r *evaluation) checkNames() error {
	if r.suites[suiteC] && r.C == "" {
		profile, err := tables.Open(r.Profile)
		if err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		if _, err := chosen(r.Subset, "", profile, cbar.CIFAR); err != nil {
			return err
		}
	}
	if r.suites[suiteP] {
		_, err := transform.ExpandPerturbations(r.Perturbation)
		return err
	}
	return nil
}

// Check returns the error that Run has for the fields, as far as no model and no data are needed to see it. It wraps [ErrOption] or is
// that of a name.
func (e Eval) Check() error {
	e = e.WithDefaults()
	return newEvaluation(&e).check()
}
