package experiment

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// testSet returns the test set of a method and its part.
func (x *Experiment) testSet(c *train.Config, r *recipe.Recipe) (test, split string, err error) {
	switch {
	case x.options.Test != "":
		return x.options.Test, "", nil
	case r.Run.Test != "":
		return r.Run.Test, r.Run.TestSplit, nil
	case c.Val != "" && c.Val != NoValidation:
		return c.Val, c.ValSplit, nil
	}
	return c.Data, "test", checkTestPart(c)
}

// checkTestPart refuses training data without a test part, or whose test part is trained on: every network would be better there than
// on other images.
func checkTestPart(c *train.Config) error {
	o, err := c.Input()
	if err != nil {
		return err
	}
	parts, err := formats.Parts(c.Data, o)
	if err != nil { // the stages meet it again
		return nil
	}
	part := "test"
	if !slices.Contains(parts, part) { // for which val may stand
		part = "val"
	}
	if slices.Contains(parts, part) && !slices.Contains([]string{part, "test", "all"}, c.Split) {
		return nil
	}
	return option.Errorf(ErrOption, "{test}: none, and data %s has no test part apart from what is trained on (allowed: a labeled test set; in a "+
		"recipe test of run, or val)", c.Data)
}

// evaluations are the stages that measure a method: on the test set, and where the recipe names what it leaves out of that,
// on these samples too.
func (x *Experiment) evaluations(method string, c *train.Config, r *recipe.Recipe) ([]Stage, error) {
	e, err := x.evaluation(method, c, r)
	if err != nil {
		return nil, err
	}
	stages := []Stage{measuring("eval "+method, e)}
	if r.Run.Seen == "" {
		return stages, nil
	}
	if len(e.Only) == 0 || len(e.Without) > 0 {
		return nil, badOption("seen", r.Run.Seen, "where val-only says what of the test set is held out, without val-without")
	}
	seen := *e
	seen.Only, seen.Without, seen.Part = nil, e.Only, r.Run.Seen
	s := measuring("eval "+method+", "+r.Run.Seen, &seen)
	s.joins = true
	return append(stages, s), nil
}

func measuring(name string, e *Eval) Stage {
	return Stage{Name: name, Eval: e, inputs: []string{e.File}, outputs: []string{filepath.Join(e.Dir, results.FileName)}}
}

// inputOf is how the test set is read: as the network was trained to see images, else its errors would be those of other images.
// What the configuration says of Val alone is true of the test set where that is Val.
func (x *Experiment) inputOf(c *train.Config, r *recipe.Recipe, test, split string) (in Input, gray bool, err error) {
	reading, err := c.Reading()
	if err != nil {
		return in, false, err
	}
	in = Input{Split: split, Coarse: c.Coarse, Classes: c.Classes, Window: reading.Window, Channels: c.Channels}
	other := r.Run.Test != "" && x.options.Test == "" // a test set beside Val
	if test == c.Data || test == c.Val {
		in.InputFormat = c.InputFormat
	}
	if !other || r.Run.Seen != "" || test == c.Val && split == c.ValSplit {
		in.Only, in.Without = c.ValOnly, c.ValWithout
	}
	if c.ValLabels != "" && validates(c, test, in) {
		in.Labels = c.ValLabels
	}
	return in, reading.Gray, nil
}

// validates reports whether a test set is the part of a data set that validates, whose labels a file has.
func validates(c *train.Config, test string, in Input) bool {
	val := c.Val
	if val == "" {
		val = c.Data
	}
	if test != val {
		return false
	}
	part := func(split string, parts ...string) string {
		o := in.Options()
		o.Split, o.Only, o.Without, o.Unlabeled = split, nil, nil, true
		src, taken, err := formats.OpenSplit(test, o, parts...)
		if err == nil { // else the stage meets it again
			_ = src.Close()
		}
		return taken
	}
	return part(in.Split, "test") == part(c.ValSplit, formats.Validation()...)
}

// evaluation is what measures a method.
func (x *Experiment) evaluation(method string, c *train.Config, r *recipe.Recipe) (*Eval, error) {
	test, split, err := x.testSet(c, r)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", method, err)
	}
	if split != "" && !hasParts(test) {
		split = ""
	}
	o := x.options
	e := &Eval{
		File: filepath.Join(o.Dir, method, train.ModelName), In: test, Suites: r.Run.Suites, Name: method,
		Dir: filepath.Join(o.Dir, method, "eval"), Examples: 1, Versions: o.Versions,
	}
	if e.Input, e.Gray, err = x.inputOf(c, r, test, split); err != nil {
		return nil, fmt.Errorf("measuring %s: %w", method, err)
	}
	if c.ValSize > 0 {
		e.Size = c.ValSize
		if crop, err := transform.ParseCrop(c.Crop); err == nil {
			e.Crop = crop.N
		}
	}
	if len(e.Suites) == 0 {
		e.Suites = []string{suiteClean, suiteC, suiteCalibration}
	}
	if err := r.Eval(e); err != nil {
		return nil, err
	}
	if len(o.Suites) > 0 {
		e.forSuites(o.Suites)
	}
	if o.Limit > 0 {
		e.Limit = o.Limit
	}
	e.Workers = o.Workers
	if err := e.Check(); err != nil { // and not once all is trained
		return nil, fmt.Errorf("measuring %s: %w", method, err)
	}
	return e, nil
}
