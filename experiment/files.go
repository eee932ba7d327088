package experiment

import (
	"os"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// checkFiles makes sure that what the trainings still to be done read is there, so that the last of eight methods does not
// fail after the others have trained for a day. seen is as for reads.
func (x *Experiment) checkFiles(seen map[string]string) error {
	for i := range x.Stages {
		s := &x.Stages[i]
		if s.Train == nil || x.done(s, seen) {
			continue
		}
		if err := s.Train.checkFiles(); err != nil {
			return &StageError{s.Name, err}
		}
	}
	return nil
}

// checkFiles looks for the files that the configuration names. What is in them is found out when they are read.
func (t *Train) checkFiles() error {
	c := &t.Config
	for _, f := range []struct{ key, path string }{
		{"weights", c.Weights},
		{"outliers", c.Outliers},
		{"style-weights", c.StyleWeights},
		{"network", c.Network},
	} {
		if f.path == "" {
			continue
		}
		if _, err := os.Stat(f.path); err != nil {
			return option.Errorf(ErrOption, "%v: %w", option.Key(f.key), err)
		}
	}
	if c.Styles != "" {
		if err := mixset.Check(c.Styles); err != nil {
			return option.Errorf(ErrOption, "{styles}: %w", err)
		}
	}
	if _, iterative, err := train.ParseIterative(c.Mixset); err != nil || iterative || c.Mixset == "" {
		return err
	}
	if err := mixset.Check(c.Mixset); err != nil {
		return option.Errorf(ErrOption, "{mixset}: %w", err)
	}
	return nil
}
