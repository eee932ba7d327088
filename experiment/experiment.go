package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// Options say where an experiment is done and what it changes of its recipe.
type Options struct {
	Dir  string // folder of everything that is made
	Text []byte // of the recipe, whose file need not be there then; nil: that of the file

	Methods []string // in this order; empty: those of the recipe
	Data    string   // training data; empty: the recipe's
	Weights string   // that methods start from whose weights the recipe leaves to you; refused where there is no such method
	Test    string   // labeled test set, also for validation where the recipe has no val-fraction; empty: the recipe's
	Suites  []string // what is measured; empty: the recipe's
	Limit   int      // samples of every test set; 0: the recipe's
	Seed    *uint64  // of training; nil: the recipe's
	Workers int      // 0: all cores

	// Of methods whose recipe leaves them to you, as Weights.
	Styles, StyleWeights, Network string

	Versions map[string]string // of results; the key augmix is the version that reports show
	// Before is called with every stage that is run, before it is: to print it and to set its callbacks. Nil: nobody listens.
	Before func(*Stage)
}

// Experiment is a recipe at work: every method is trained and measured, then they are compared.
type Experiment struct {
	About   string   // which table is reproduced
	Methods []string // the first is what the others are compared with
	Stages  []Stage  // in the order in which they are run

	options Options
	stamps  map[string]stamp
}

// Stage is one step of an experiment. One of its pointers is set.
type Stage struct {
	Name   string // such as "train augmix"
	Train  *Train
	Eval   *Eval
	Sheet  *Sheet
	Report *Report

	// Kept is where Run has moved what the stage had made of other data, or of another model; empty: there was nothing to move.
	Kept string

	inputs, outputs []string // files
	joins           bool     // adds to the folder of the stage before it
}

// Names of the files of an experiment.
const (
	SheetName  = "sheet.png"
	ReportName = "report.html"
	StagesName = "stages.json"

	reportText = "report.md"
)

// New plans the recipe of the given file or name; nothing is run. The error wraps [ErrOption] or recipe.ErrRecipe, or is that
// of reading a file.
func New(name string, o Options) (*Experiment, error) {
	if err := storage.CheckLocal(o.Dir); err != nil {
		return nil, err
	}
	r, err := o.recipe(name)
	if err != nil {
		return nil, err
	}
	x := &Experiment{About: r.About, Methods: o.Methods, options: o}
	if len(x.Methods) == 0 {
		x.Methods = r.Run.Methods
	}
	if len(x.Methods) == 0 {
		x.Methods = r.Methods()
	}
	if len(x.Methods) == 0 {
		return nil, fmt.Errorf("%w: %s has no methods to compare", ErrOption, name)
	}
	var trainings, evaluations []Stage
	left := o.left()
	for i, m := range x.Methods {
		if slices.Contains(x.Methods[:i], m) {
			return nil, badOption("method", m, "each method once: "+strings.Join(r.Methods(), ", "))
		}
		if !isFolderName(m) {
			return nil, badOption("method", strconv.Quote(m), "the name of a folder, without / and \\, which is no file of the experiment: "+
				strings.Join(ownFiles(), ", "))
		}
		c, err := r.Method(m)
		if err != nil {
			return nil, err
		}
		o.change(&c, left)
		err = c.CheckWeights()
		if err == nil {
			err = c.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s, method %s: %w", ErrOption, name, m, err)
		}
		trainings = append(trainings, x.training(name, m, c))
		es, err := x.evaluations(m, &c, r)
		if err != nil {
			return nil, err
		}
		evaluations = append(evaluations, es...)
	}
	for _, l := range left {
		if !l.used {
			return nil, option.Errorf(ErrOption, "%v: %s has no effect: no method that is compared leaves this to you (allowed: where %s says %v: %s)",
				option.Key(l.name), l.value, name, l.name, train.WeightsRequired)
		}
	}
	// All training first: a report of what is there can be had by hand at any time.
	x.Stages = append(trainings, evaluations...)
	x.addSheet()
	x.addReports()
	x.stamps, err = readStamps(filepath.Join(o.Dir, StagesName))
	return x, err
}

func (o *Options) recipe(name string) (*recipe.Recipe, error) {
	if o.Text != nil {
		return recipe.Parse(name, o.Text)
	}
	return recipe.Read(name)
}

// ownFiles are the names of the files beside the methods' folders.
func ownFiles() []string { return []string{SheetName, ReportName, reportText, StagesName} }

// isFolderName reports whether the files of a method can lie in a folder of its name.
func isFolderName(name string) bool {
	own := func(file string) bool { return strings.EqualFold(file, name) } // which are the same where letter case does not count
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00") && !slices.ContainsFunc(ownFiles(), own)
}

// leftToYou is an option whose value replaces [train.WeightsRequired].
type leftToYou struct {
	name, value string
	key         func(c *train.Config) *string
	used        bool
}

// left are those that are given.
func (o *Options) left() []*leftToYou {
	return slices.DeleteFunc([]*leftToYou{
		{name: "weights", value: o.Weights, key: func(c *train.Config) *string { return &c.Weights }},
		{name: "styles", value: o.Styles, key: func(c *train.Config) *string { return &c.Styles }},
		{name: "style-weights", value: o.StyleWeights, key: func(c *train.Config) *string { return &c.StyleWeights }},
		{name: "network", value: o.Network, key: func(c *train.Config) *string { return &c.Network }},
	}, func(l *leftToYou) bool { return l.value == "" })
}

// change applies the options to a configuration. left is what the options of that name return.
func (o *Options) change(c *train.Config, left []*leftToYou) {
	if o.Data != "" { // what the recipe says of the parts of its own data is not true of other data
		c.Data, c.Split, c.Val, c.ValSplit, c.ValLabels = o.Data, "", "", "", ""
	}
	if o.Test != "" && c.ValFraction == 0 {
		c.Val, c.ValSplit, c.ValLabels = o.Test, "", ""
	}
	for _, l := range left {
		if key := l.key(c); *key == train.WeightsRequired {
			*key, l.used = l.value, true
		}
	}
	if o.Seed != nil {
		c.Seed = *o.Seed
	}
	if o.Workers > 0 {
		c.Workers = o.Workers
	}
}

// training is the stage that trains a method.
func (x *Experiment) training(name, method string, c train.Config) Stage {
	dir := filepath.Join(x.options.Dir, method)
	return Stage{
		Name: "train " + method,
		Train: &Train{
			Config: c, Dir: dir, Name: method, Resume: true, Recipe: name, Method: method, Versions: x.options.Versions,
		},
		outputs: []string{filepath.Join(dir, train.ModelName), filepath.Join(dir, train.LastName)},
	}
}

// addSheet adds the stage that draws what the methods do to images, where any does something.
func (x *Experiment) addSheet() {
	first := x.Stages[slices.IndexFunc(x.Stages, func(s Stage) bool { return s.Eval != nil })].Eval
	s := &Sheet{
		In: []string{first.In}, Count: 5, Samples: 6, Out: filepath.Join(x.options.Dir, SheetName),
		Input: Input{Split: first.Split, Coarse: first.Coarse}, Version: x.options.Versions["augmix"],
	}
	for i := range x.Stages {
		t := x.Stages[i].Train
		if t == nil || t.Config.Mix == "none" || slices.Contains(s.Mix, t.Config.Mix) {
			continue
		}
		s.Mix = append(s.Mix, t.Config.Mix)
		// A set that is made in training is for images of the training size alone.
		if _, iterative, _ := train.ParseIterative(t.Config.Mixset); s.Mixset == "" && !iterative {
			s.Mixset = t.Config.Mixset
		}
		if t.Config.Network != "" {
			s.Network = t.Config.Network
		}
		if t.Config.StyleWeights != "" {
			s.Styles, s.StyleWeights = t.Config.Styles, t.Config.StyleWeights
		}
	}
	if len(s.Mix) > 0 {
		x.Stages = append(x.Stages, Stage{Name: SheetName, Sheet: s, outputs: []string{s.Out}})
	}
}

// addReports adds the last stages.
func (x *Experiment) addReports() {
	var runs, rows []string
	for _, m := range x.Methods {
		dir := filepath.Join(x.options.Dir, m, "eval")
		runs, rows = append(runs, dir), append(rows, filepath.Join(dir, results.FileName))
	}
	for _, name := range []string{ReportName, reportText} {
		out := filepath.Join(x.options.Dir, name)
		x.Stages = append(x.Stages, Stage{
			Name: name, inputs: rows, outputs: []string{out},
			Report: &Report{Runs: runs, Out: out, Title: x.About, Version: x.options.Versions["augmix"]},
		})
	}
}

// run does a stage.
func (s *Stage) run(ctx context.Context) (err error) {
	switch {
	case s.Train != nil:
		_, err = s.Train.Run(ctx)
	case s.Eval != nil:
		_, err = s.Eval.Run(ctx)
	case s.Sheet != nil:
		err = s.Sheet.Run(ctx)
	default:
		err = s.Report.Run(ctx)
	}
	return err
}
