package experiment

import (
	"errors"
	"fmt"
	"os"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// Check returns the error of what the stages still to be done read and is not there, or cannot be opened: a [*StageError]. Run begins
// with it, so that the last of eight methods does not fail after the others have trained for a day.
func (x *Experiment) Check() error { return x.checkFiles(map[string]string{}) }

// checkFiles is Check. seen is as for reads.
func (x *Experiment) checkFiles(seen map[string]string) error {
	opened := map[string]bool{}
	for i := range x.Stages {
		s := &x.Stages[i]
		if s.Train == nil && s.Eval == nil || x.done(s, seen) {
			continue
		}
		var err error
		if s.Train != nil {
			err = s.Train.checkFiles()
		}
		if key := s.dataKey(); err == nil && !opened[key] {
			err, opened[key] = s.checkData(), true
		}
		if err != nil {
			return &StageError{s.Name, err}
		}
	}
	return nil
}

// dataKey tells stages apart that read other data, or the same in another way.
func (s *Stage) dataKey() string {
	if e := s.Eval; e != nil {
		return fmt.Sprintf("%q %+v", e.In, e.input())
	}
	c := &s.Train.Config
	o, _ := c.Input() // whose error checkData returns
	return fmt.Sprintf("%q %+v %q %q %q %q %q %v", c.Data, o, c.Val, c.ValSplit, c.ValLabels, c.ValOnly, c.ValWithout, c.ValFraction)
}

// checkData opens the data sets of a stage, which must lie apart from its folder, and closes them again.
func (s *Stage) checkData() error {
	if e := s.Eval; e != nil {
		src, _, err := formats.OpenSplit(e.In, e.input(), "test")
		if err != nil {
			return err
		}
		return errors.Join(generate.CheckFolderApart(e.Dir, e.In, src.Info().Format), src.Close())
	}
	opened := &sources{config: s.Train.Config}
	defer opened.close()
	if err := checkRereads(&opened.config); err != nil {
		return err
	}
	return (&Train{Config: s.Train.Config, Dir: s.Train.Dir}).openData(opened)
}

// checkFiles looks for the files that the configuration names, whose content is found out when they are read, and for one that the run
// would replace.
func (t *Train) checkFiles() error {
	if err := t.checkArgs(); err != nil {
		return err
	}
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
