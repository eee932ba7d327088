package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// runCmd takes data to report: it trains each method of a recipe, evaluates it, and compares them.
type runCmd struct {
	File string `arg:"" name:"RECIPE" help:"YAML file, or the name of a recipe that comes with the program (augmix list recipes)."`
	Out  string `short:"o" required:"" placeholder:"DIR" help:"Folder of everything that is made."`

	Method []string `placeholder:"NAME" help:"Methods of RECIPE, separated by commas; by default those that its key run lists, or all."`
	Data   string   `placeholder:"SRC" help:"Training data, in place of the recipe's."`
	Test   string   `placeholder:"SRC" help:"Labelled test set, in place of the recipe's."`
	Suite  []string `placeholder:"NAME" help:"What to measure (augmix eval --suite), in place of the recipe's."`
	Limit  int      `placeholder:"N" help:"Evaluate on N samples of the test set only."`
	Seed   string   `placeholder:"N" help:"Seed, in place of the recipe's."`
	Jobs   int      `short:"j" placeholder:"N" help:"Workers (all cores)."`
	Plan   bool     `help:"Print what would be done, what is done already and how long the rest may take, and stop."`
}

// Help is the end of "augmix run --help".
func (runCmd) Help() string {
	return `STAGES
  train METHOD   augmix train, into DIR/METHOD
  eval METHOD    augmix eval of its last weights, into DIR/METHOD/eval
  sheet          DIR/sheet.png: images of the test set under each method's augmentation
  report         DIR/report.html and DIR/report.md, the methods side by side
  Each stage is a command of its own, printed before it runs, and can be run by hand. A stage whose
  command and inputs are those of the last time is not run again; one that was stopped goes on from
  its last checkpoint or measurement.

RECIPE
  The keys of augmix train, methods, and

    run:
      methods: [standard, augmix]     in this order; the first is what the others are compared with
      test: cifar-10-batches-bin      the test set; by default valid, or the test part of data
      suites: [clean, c, p]           of augmix eval
      eval: [--limit, "1000"]         more flags of augmix eval

EXAMPLES
  augmix run quickstart -o quick
  augmix run cifar10-wrn-40-2 --data cifar-10-batches-bin --method standard,augmix -o runs
  augmix run my.yaml -o runs --plan`
}

// runKeys is the key "run" of a recipe.
type runKeys struct {
	Methods   []string `yaml:"methods"`
	Test      string   `yaml:"test"`
	TestSplit string   `yaml:"test-split"`
	Suites    []string `yaml:"suites"`
	Eval      []string `yaml:"eval"`
}

// stage is one step of a run: a command of this program.
type stage struct {
	Name string
	Args []string
	// Outputs must be there for the stage to count as done, Inputs are files whose content it depends on.
	Outputs, Inputs []string
	// Recipe is the resolved recipe of a training stage.
	Recipe *train.Recipe
	Eval   string // the method that an evaluation stage is of
}

// stamp is what DIR/stages.json says of a stage that is done.
type stamp struct {
	Digest  string   `json:"digest"` // of the arguments and the inputs
	Args    []string `json:"args"`
	Seconds float64  `json:"seconds"`
}

// stampsName is the file of stamps.
const stampsName = "stages.json"

// Run runs the stages.
func (c *runCmd) Run(a *app) error {
	l, err := c.loop()
	if err != nil {
		return err
	}
	return l.run(a, c.Plan)
}

// loop is a run that has been planned.
type loop struct {
	dir    string
	about  string
	stages []stage
	stamps map[string]stamp
	first  string // model that the others are compared with
	models []string
	test   string
	split  string // of test, where it has several
}

// loop reads the recipe and plans the stages.
func (c *runCmd) loop() (*loop, error) {
	t, err := readRecipe(c.File)
	if err != nil {
		return nil, err
	}
	methods := t.run.Methods
	if len(c.Method) > 0 {
		methods = c.Method
	}
	if len(methods) == 0 {
		methods = t.names()
	}
	if len(methods) == 0 {
		return nil, usagef("%s has no methods to compare (augmix train takes a single one)", c.File)
	}
	l := &loop{dir: c.Out, about: t.about, stamps: map[string]stamp{}, first: methods[0], models: methods}
	for i, m := range methods {
		if slices.Contains(methods[:i], m) || m != filepath.Base(m) {
			return nil, usagef("--method %s (allowed: each method once: %s)", m, strings.Join(t.names(), ", "))
		}
		r, err := t.method(m)
		if err != nil {
			return nil, err
		}
		written := r
		if err := c.change(&r); err != nil {
			return nil, err
		}
		l.stages = append(l.stages, c.training(m, r, &written))
		e, err := c.evaluation(m, &r, t.run)
		if err != nil {
			return nil, err
		}
		l.stages = append(l.stages, e)
		l.test, l.split = e.Args[2], ""
		if i := slices.Index(e.Args, "--split"); i >= 0 {
			l.split = e.Args[i+1]
		}
	}
	// All training first: a report of what is there can be had by hand at any time.
	slices.SortStableFunc(l.stages, func(a, b stage) int { return rank(&a) - rank(&b) })
	l.stages = append(l.stages, c.sheet(l)...)
	l.stages = append(l.stages, c.report(l)...)
	return l, l.readStamps()
}

func rank(s *stage) int {
	if s.Recipe != nil {
		return 0
	}
	return 1
}

// change applies the flags to a recipe.
func (c *runCmd) change(r *train.Recipe) error {
	if c.Data != "" {
		r.Data, r.Split, r.Valid, r.ValidSplit = c.Data, "", "", ""
	}
	if c.Test != "" {
		r.Valid, r.ValidSplit = c.Test, ""
	}
	if c.Seed != "" {
		if _, err := fmt.Sscan(c.Seed, &r.Seed); err != nil {
			return usagef("--seed %s (allowed: a whole number from 0)", c.Seed)
		}
	}
	return nil
}

// training is the stage that trains a method by r, which is written in the file otherwise where flags change it.
func (c *runCmd) training(method string, r train.Recipe, written *train.Recipe) stage {
	dir := filepath.Join(c.Out, method)
	args := []string{"train", c.File, "--method", method, "--name", method, "--resume", "-o", dir}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, name, value)
		}
	}
	// What the file says of the parts of its own data is not true of other data.
	gone := func(name, was, is string) {
		if was != "" && is == "" {
			args = append(args, name+"=")
		}
	}
	flag("--data", c.Data)
	gone("--split", written.Split, r.Split)
	flag("--valid", c.Test)
	gone("--valid", written.Valid, r.Valid)
	gone("--valid-split", written.ValidSplit, r.ValidSplit)
	flag("--seed", c.Seed)
	if c.Jobs > 0 {
		flag("--workers", fmt.Sprint(c.Jobs))
	}
	return stage{
		Name: "train " + method, Args: args, Recipe: &r,
		Outputs: []string{filepath.Join(dir, weightsName), filepath.Join(dir, train.LastName)},
	}
}

// weightsName are the weights after the last epoch.
const weightsName = "model.safetensors"

// evaluation is the stage that measures a method.
func (c *runCmd) evaluation(method string, r *train.Recipe, k runKeys) (stage, error) {
	test, split := k.Test, k.TestSplit
	if c.Test != "" {
		test, split = c.Test, ""
	}
	if test == "" {
		test, split = r.Valid, r.ValidSplit
	}
	if test == "" || test == noValidation {
		test, split = r.Data, "test"
	}
	if test == "" {
		return stage{}, usagef("no test set (say --test, or run: test: in the recipe)")
	}
	suites := k.Suites
	if len(c.Suite) > 0 {
		suites = c.Suite
	}
	if len(suites) == 0 {
		suites = []string{"clean", "c", "calibration"}
	}
	dir, model := filepath.Join(c.Out, method, "eval"), filepath.Join(c.Out, method, weightsName)
	args := []string{"eval", model, test, "--suite", strings.Join(suites, ","), "--name", method, "-o", dir}
	if split != "" && isCIFAR(test) {
		args = append(args, "--split", split)
	}
	if r.ValidSize > 0 {
		args = append(args, "--size", fmt.Sprint(r.ValidSize))
		if crop, err := transform.ParseCrop(r.Crop); err == nil && crop.N > 0 {
			args = append(args, "--crop", fmt.Sprint(crop.N))
		}
	}
	args = append(args, k.Eval...)
	if c.Limit > 0 {
		args = append(args, "--limit", fmt.Sprint(c.Limit))
	}
	if c.Jobs > 0 {
		args = append(args, "--jobs", fmt.Sprint(c.Jobs))
	}
	return stage{
		Name: "eval " + method, Args: args, Eval: method, Inputs: []string{model},
		Outputs: []string{filepath.Join(dir, results.FileName)},
	}, nil
}

// isCIFAR reports whether a path is a CIFAR set with both parts, the only one that a split makes sense for.
func isCIFAR(path string) bool {
	_, err := os.Stat(filepath.Join(path, "test_batch.bin"))
	return err == nil || strings.Contains(filepath.Base(path), "cifar-10")
}

// sheet is the stage that draws what the methods do to images, where any does something.
func (c *runCmd) sheet(l *loop) []stage {
	out := filepath.Join(c.Out, "sheet.png")
	args := []string{"sheet", l.test, "--count", "5", "--samples", "6", "-o", out}
	if l.split != "" {
		args = append(args, "--split", l.split)
	}
	var mixes []string
	for i := range l.stages {
		r := l.stages[i].Recipe
		if r == nil || r.Mix == "none" || slices.Contains(mixes, r.Mix) {
			continue
		}
		mixes = append(mixes, r.Mix)
		args = append(args, "--mix", r.Mix)
		// Images that the run draws itself are for images of the training size alone.
		if _, drawn, _ := r.Drawn(); r.Mixset != "" && !drawn && !slices.Contains(args, "--mixset") {
			args = append(args, "--mixset", r.Mixset)
		}
	}
	if len(mixes) == 0 {
		return nil
	}
	return []stage{{Name: "sheet.png", Args: args, Outputs: []string{out}}}
}

// report makes the last stages.
func (c *runCmd) report(l *loop) []stage {
	var runs, rows []string
	for _, m := range l.models {
		dir := filepath.Join(c.Out, m, "eval")
		runs, rows = append(runs, dir), append(rows, filepath.Join(dir, results.FileName))
	}
	var stages []stage
	for _, name := range []string{"report.html", "report.md"} {
		out := filepath.Join(c.Out, name)
		args := append([]string{"report"}, runs...)
		args = append(args, "-o", out)
		if l.about != "" {
			args = append(args, "--title", l.about)
		}
		stages = append(stages, stage{Name: name, Args: args, Inputs: rows, Outputs: []string{out}})
	}
	return stages
}

// readStamps reads what is done.
func (l *loop) readStamps() error {
	path := filepath.Join(l.dir, stampsName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read what is done: %w", err)
	}
	if err := json.Unmarshal(b, &l.stamps); err != nil {
		return fmt.Errorf("%s is damaged (%w); remove it, and every stage looks for itself what is left to do", path, err)
	}
	return nil
}

func (l *loop) writeStamps() error {
	b, err := json.MarshalIndent(l.stamps, "", "  ")
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(filepath.Join(l.dir, stampsName), append(b, '\n'))
}

// digest is what a stage depends on. It fails where an input is not there yet.
func (s *stage) digest() (string, error) {
	h := sha256.New()
	for _, arg := range s.Args {
		fmt.Fprintf(h, "%q\n", arg)
	}
	if s.Recipe != nil {
		text, err := yaml.Marshal(s.Recipe)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	for _, path := range s.Inputs {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		_ = f.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// done reports whether a stage need not be run.
func (l *loop) done(s *stage) bool {
	digest, err := s.digest()
	if err != nil || l.stamps[s.Name].Digest != digest {
		return false
	}
	for _, path := range s.Outputs {
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}

// run prints the plan and does what is left of it.
func (l *loop) run(a *app, planOnly bool) error {
	if err := l.printPlan(a, planOnly); err != nil || planOnly {
		return err
	}
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return err
	}
	for i := range l.stages {
		s := &l.stages[i]
		if l.done(s) {
			a.detail("%s: done already", s.Name)
			continue
		}
		if err := l.stage(a, s); err != nil {
			return err
		}
	}
	return l.tell(a)
}

// stage runs one stage as the command that it is.
func (l *loop) stage(a *app, s *stage) error {
	a.say("%s: augmix %s", s.Name, shellWords(s.Args))
	args := s.Args
	if a.Quiet {
		args = append(slices.Clone(args), "--quiet")
	}
	start := time.Now()
	code := run(a.ctx, args, streams{in: a.in, out: io.Discard, err: a.err, color: a.color})
	switch {
	case code == exitInterrupted:
		return fmt.Errorf("%w in stage %q; the same command goes on from there", errInterrupted, s.Name)
	case code != exitDone:
		return fmt.Errorf("stage %q failed; the same command goes on from there", s.Name)
	}
	digest, err := s.digest()
	if err != nil {
		return err
	}
	l.stamps[s.Name] = stamp{Digest: digest, Args: s.Args, Seconds: time.Since(start).Seconds()}
	return l.writeStamps()
}

// shellWords writes a command as one would type it.
func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$&|;<>()*?[]{}~#!`") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted[i] = arg
	}
	return strings.Join(quoted, " ")
}
