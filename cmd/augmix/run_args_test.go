package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// TestStageArgs: the command line of a stage, parsed, gives the stage, for every built-in recipe.
func TestStageArgs(t *testing.T) {
	p := parsers{made: map[string]*kong.Kong{}}
	seed := uint64(7)
	for _, name := range recipe.Names() {
		r, err := recipe.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Config.Model == "" {
			continue
		}
		for _, o := range []experiment.Options{
			{Dir: "runs", Weights: "my weights.npz", Styles: "paintings", StyleWeights: "style.npz", Network: "-n.npz"},
			{
				Dir: "a folder", Data: "my data", Test: "-my test", Suites: []string{"c", "ood"}, Limit: 3, Seed: &seed, Workers: 2,
				Weights: "w.safetensors", Styles: "my paintings", StyleWeights: "s.pth", Network: "carn_m.npz",
			},
		} {
			x, err := experiment.New(name, leftToYou(t, r, o))
			if err != nil {
				t.Fatal(err)
			}
			for i := range x.Stages {
				p.sameStage(t, &x.Stages[i])
			}
		}
	}
	p.sameStage(t, &experiment.Stage{Eval: &experiment.Eval{
		File: "m.safetensors", In: "x", Suites: []string{"clean"}, Norm: "1,2,3/4,5,6", TenCrop: true, Subset: []string{"fog", "a,b"},
		Severity: "1,3", Profile: "32", BarProfile: "cifar", Image: "raw", Quality: 90, Perturbation: []string{"tilt"}, Difficulty: 2,
		PGDEps: 1.5, PGDStep: 0.25, PGDSteps: 3, PGDCentered: true, OOD: map[string]string{"svhn": "a;b", "dtd": "c d"}, Length: 2.5,
		NoRecords: true, Seed: 9, Size: 40, Crop: 32, Filter: "box", Dir: "out",
		Input: experiment.Input{Split: "all", Coarse: true, Only: []string{"a", "b c"}, Without: []string{"d"}, Classes: "f", Labels: "l.npy", Layout: "nchw", ShardKeys: true},
	}})
}

// leftToYou are the options without those that a recipe does not leave to its user, which are refused.
func leftToYou(t *testing.T, r *recipe.Recipe, o experiment.Options) experiment.Options {
	t.Helper()
	methods := r.Run.Methods
	if len(methods) == 0 {
		methods = r.Methods()
	}
	asks := map[*string]bool{}
	for _, m := range methods {
		c, err := r.Method(m)
		if err != nil {
			t.Fatal(err)
		}
		for option, value := range map[*string]string{&o.Weights: c.Weights, &o.Styles: c.Styles, &o.StyleWeights: c.StyleWeights, &o.Network: c.Network} {
			asks[option] = asks[option] || value == train.WeightsRequired
		}
	}
	for option, asked := range asks {
		if !asked {
			*option = ""
		}
	}
	return o
}

// parsers has one parser for each command: making it takes as long as a hundred lines, and those of all commands parse slowly.
type parsers struct {
	c    cli // what all parse into
	made map[string]*kong.Kong
}

func (p *parsers) parse(args []string) (*kong.Context, error) {
	parser, ok := p.made[args[0]]
	if !ok {
		parser = newParser(&p.c, args)
		p.made[args[0]] = parser
	}
	p.c = cli{}
	return parser.Parse(args)
}

// sameStage parses a stage's command line.
func (p *parsers) sameStage(t *testing.T, s *experiment.Stage) {
	t.Helper()
	args, c := stageArgs(s), &p.c
	if s.Eval != nil && s.Eval.In[0] == '-' { // as a shell user would have to write it
		args = append(append([]string{"eval"}, args[3:]...), "--", s.Eval.File, s.Eval.In)
	}
	if s.Sheet != nil && len(s.Sheet.In) > 0 && s.Sheet.In[0][0] == '-' {
		args = append(append([]string{"sheet"}, args[2:]...), "--", s.Sheet.In[0])
	}
	ctx, err := p.parse(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	switch {
	case s.Train != nil:
		config, err := c.Train.config(ctx, &app{})
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		same(t, args, config, s.Train.Config)
		if c.Train.Out != s.Train.Dir || c.Train.Name != s.Train.Name || c.Train.Resume != s.Train.Resume ||
			config.Workers != s.Train.Config.Workers {
			t.Errorf("%q", args)
		}
	case s.Eval != nil:
		e := c.Eval.options(ctx)
		same(t, args, e, s.Eval.WithDefaults())
		if e.Workers != s.Eval.Workers || e.Dir != s.Eval.Dir {
			t.Errorf("%q", args)
		}
	case s.Sheet != nil:
		same(t, args, c.Sheet.options(ctx), s.Sheet.WithDefaults())
	default:
		if !slices.Equal(c.Report.Runs, s.Report.Runs) || c.Report.Title != s.Report.Title || c.Report.Out != s.Report.Out {
			t.Errorf("%q", args)
		}
	}
}

// same compares options by what they depend on.
func same(t *testing.T, args []string, got, want any) {
	t.Helper()
	a, err1 := json.Marshal(got)
	b, err2 := json.Marshal(want)
	var x, y map[string]any
	err3, err4 := json.Unmarshal(a, &x), json.Unmarshal(b, &y)
	for key, v := range x { // nil and empty lists are the same
		if v == nil || reflect.DeepEqual(v, []any{}) || reflect.DeepEqual(v, map[string]any{}) {
			delete(x, key)
		}
	}
	for key, v := range y {
		if v == nil || reflect.DeepEqual(v, []any{}) || reflect.DeepEqual(v, map[string]any{}) {
			delete(y, key)
		}
	}
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%q gives\n%s\nwant\n%s", args, a, b)
	}
}

// TestOptionFlags: every key of a stage's options has a flag.
func TestOptionFlags(t *testing.T) {
	var c cli
	for command, options := range map[string]any{"eval": experiment.Eval{}, "sheet": experiment.Sheet{}} {
		ctx := parse(&c, map[string][]string{"eval": {"eval", "m", "x"}, "sheet": {"sheet", "-o", "x.png"}}[command]...)
		known := []string{"file", "in"} // arguments
		for _, f := range ctx.Flags() {
			known = append(known, f.Name)
		}
		for key := range fields(reflect.ValueOf(options)) {
			if !slices.Contains(known, key) {
				t.Errorf("augmix %s has no flag --%s", command, key)
			}
		}
	}
	if got := shellWords([]string{"a", "", filepath.Join("b c"), "it's"}); got != `a '' 'b c' 'it'\''s'` {
		t.Error(got)
	}
}
