package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// trainCmd trains a classifier.
type trainCmd struct {
	File   string `arg:"" optional:"" name:"RECIPE" help:"YAML file whose keys are the flags below without the dashes, or the name of a built-in recipe (augmix list recipes). Flags win."`
	Out    string `short:"o" required:"" placeholder:"RUN" help:"Folder of the run."`
	Method string `group:"Recipe" placeholder:"NAME" help:"One of the methods that RECIPE lists."`
	Resume bool   `group:"Running" help:"Resume from the last checkpoint in RUN, with the recipe of that run; with a larger --epochs, extend it."`
	Name   string `group:"Running" placeholder:"NAME" help:"Name of the model in results (the name of RUN)."`
	Mlflow string `group:"Running" placeholder:"DIR" help:"Record the run in MLflow's file store DIR (mlruns) too."`
	Plan   bool   `group:"Running" aliases:"dry-run" help:"Print the recipe as it is resolved, and train nothing."`

	trainFlags
}

// Help is the end of "augmix train --help".
func (trainCmd) Help() string {
	return `RECIPES
  A recipe may begin with "base: FILE", a recipe whose keys come first, and may hold "methods:",
  named sets of keys of which --method takes one. The built-in recipes are those of the papers' tables
  (augmix list recipes).

RUN
  last.safetensors   everything that a run is resumed from; written after every epoch
  best.safetensors   the weights with the least validation error
  model.safetensors  the weights after the last epoch; like best, they load in PyTorch
  mixset.npy         with --mixset iterative-fvis: the current mixing set
  results.jsonl      errors of every epoch, and of the last one for reports
  events.out.*       curves for TensorBoard; --mlflow DIR records them for MLflow too
  args.yaml          the recipe as it was resolved; it is a recipe itself

ITERATIVE PIXMIX
  --mixset iterative-fvis-nN mixes in N images (256) that are made from the network in training:
  feature visualizations of the weights that it has at the start of every epoch, or every N-th with
  --mixset-every N. The first show the weights that the run begins with. Numbers and the start are
  ours: PixMix's table 5 has the row and does not state them. Making 256 images takes from a sixth
  (wrn-40-4) to a half (resnet20, at first) of an epoch of CIFAR; "augmix run --plan" counts it.

INTERRUPTING, RESUMING
  Ctrl-C finishes the step, writes last.safetensors and ends with status 130. --resume continues from
  there, or from the last epoch after a crash, and the weights at the end are those of a run that was
  never stopped, bit for bit, on any machine and with any --workers. A loss that is no number stops
  the run; the checkpoint before it is kept.
  --resume --epochs N gives a run more epochs. The learning rate of what is left is that of a run of
  N epochs: constant and step continue as they were; with cosine it rises to where the longer curve
  stands, so that the weights are not those of N epochs from the start. Nothing else can be changed.

EXAMPLES
  augmix train cifar10-wrn-40-2 --data cifar-10-batches-bin --method augmix -o runs/augmix
  augmix train --data photos --val val --model resnet18 --crop rrc:224 --mix augmix-m1 -o runs/a
  augmix train --data photos --val-fraction 0.2 --model resnet18 --crop rrc:224 -o runs/b
  augmix train --data ct --gray --window=-160:240 --model resnet18 --crop rrc:224 -o runs/ct
  augmix train cifar10-after-pixmix --data cifar-10-batches-bin --method noisymix -o runs/noisymix
  augmix train --resume -o runs/augmix
  augmix train --resume --epochs 300 -o runs/augmix`
}

// Run trains.
func (c *trainCmd) Run(ctx *kong.Context, a *app) error {
	config, err := c.config(ctx, a)
	if err != nil {
		return err
	}
	t := &experiment.Train{
		Config: config, Dir: c.Out, Name: c.Name, Resume: c.Resume, Extend: c.Resume, MLflow: c.Mlflow, Versions: versions(), Log: a.detail,
	}
	if c.Plan {
		if config, err = t.Resolve(a.ctx); err != nil {
			return sayMissing(err)
		}
		text, err := recipe.Marshal(&config)
		if err == nil {
			_, err = a.out.Write(text)
		}
		return err
	}
	stop := a.watchTraining(t)
	res, err := t.Run(a.ctx)
	stop()
	if errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w in epoch %d; augmix train --resume -o %s continues from there", err, res.Epochs+1, c.Out)
	}
	if err != nil {
		return sayMissing(err)
	}
	return c.tell(a, res)
}

// sayMissing names the flag of a key without a value.
func sayMissing(err error) error {
	if m := (*train.MissingError)(nil); errors.As(err, &m) {
		return usagef("--%s is missing, e.g. --%[1]s %s", m.Key, m.Example)
	}
	return hintWindow(err)
}

// config resolves RECIPE, --method and the flags. A resumed run has its own configuration, which only flags change.
func (c *trainCmd) config(ctx *kong.Context, a *app) (train.Config, error) {
	config, file := train.Default(), c.File
	if c.Resume && file == "" {
		switch old, err := train.ReadCheckpoint(filepath.Join(c.Out, train.LastName)); {
		case err == nil:
			config = old.Config
		case !errors.Is(err, fs.ErrNotExist):
			return config, err
		default: // stopped before its first checkpoint
			file = filepath.Join(c.Out, generate.ArgsName)
		}
	}
	if file != "" {
		r, err := recipe.Read(file)
		if err != nil {
			return config, err
		}
		if config, err = r.Method(c.Method); err != nil {
			return config, err
		}
		if methods := r.Methods(); c.Method == "" && len(methods) > 0 {
			a.detail("%s also has the methods %s", file, methods)
		}
	} else if c.Method != "" {
		return config, usagef("--method %s needs a RECIPE that lists it", c.Method)
	}
	setOptions(&config, ctx, true)
	return config, nil
}

// versions is what rows of results say of this program.
func versions() map[string]string {
	b := build()
	v := map[string]string{"augmix": b.Version, "go": b.Go}
	if b.Commit != "" {
		v["commit"] = b.Commit
	}
	return v
}

// watchTraining makes a training tell how it goes. The result ends that.
func (a *app) watchTraining(t *experiment.Train) (stop func()) {
	var plan *train.Plan
	var bar *progress.Bar
	var first int // images of bar that an earlier run saw
	var visualizing bool
	stop = func() {
		if bar != nil {
			bar.Stop()
		}
		bar = nil
	}
	epochs := t.Config.Epochs
	t.OnBegin = func(p *train.Plan) {
		plan = p
		a.say("%s: %s parameters, %s of %s, %d for validation", p.Model.Name, thousands(p.Model.Parameters()),
			terminal.Count(p.Samples, "sample"), terminal.Count(p.Classes, "class"), p.Val)
		if !p.InMemory {
			a.detail("the images are decoded again in every epoch (--cache-mb %d)", t.Config.CacheMB)
		}
		if p.Val == 0 {
			a.say("no validation data: errors are of the training images; --val SRC or --val-fraction 0.1 measures others and keeps the best epoch")
		}
		if p.StartEpoch > 0 || p.StartInEpoch > 0 {
			a.say("resuming after %s and %s", terminal.Count(p.StartEpoch, "epoch"), terminal.Count(p.StartInEpoch, "step"))
		}
		if p.Extending {
			a.say("extending the run from %d to %d epochs: the learning rate goes on at %.3g, after %.3g (schedule %s)",
				p.Extended[len(p.Extended)-1].From, epochs, p.LR, p.LastLR, t.Config.Schedule)
		}
	}
	t.OnStep = func(s *train.Step) {
		every := 1 // epochs of a bar: up to one that is told
		if plan.Val > 0 && !a.Verbose {
			every = t.Config.EvalEvery
		}
		begin := s.Epoch - s.Epoch%every
		label, before := fmt.Sprintf("epoch %d/%d", s.Epoch+1, epochs), (s.Epoch-begin)*plan.Samples
		if bar == nil {
			first = before + s.First
			bar = a.bar(label, progress.Images, (min(begin+every, epochs)-begin)*plan.Samples, first)
		}
		bar.Relabel(label, first)
		bar.Set(before+s.Samples, 0)
	}
	t.OnEpoch = func(e *train.Epoch) {
		if e.Validated || plan.Val == 0 || a.Verbose {
			stop()
		}
		a.sayEpoch(e, epochs, plan.Val > 0)
	}
	t.OnVisualize = func(v *train.Visualization) {
		label := fmt.Sprintf("epoch %d/%d", v.Epoch+1, epochs)
		if !visualizing {
			stop()
			bar, visualizing = a.bar(label+": mixing set", progress.Images, v.Count, 0), true
		}
		if bar.Set(v.Done, 0); v.Done == v.Count {
			stop()
			visualizing = false
			a.say("%s: %d feature visualizations of the network made in %s", label, v.Count,
				progress.Duration(v.Took.Round(100*time.Millisecond)))
		}
	}
	return stop
}

// sayEpoch says an epoch that was not validated only with -v where others are: a small data set has many.
func (a *app) sayEpoch(e *train.Epoch, epochs int, validates bool) {
	say := a.say
	text := fmt.Sprintf("epoch %d/%d: loss %.4f, %s images/s", e.Epoch, epochs, e.TrainLoss, progress.Number(e.ImagesPerS))
	if e.Validated {
		text += fmt.Sprintf(", error %.2f %%", 100*e.Error)
		if e.Best {
			text += " (best)"
		}
	} else {
		text += fmt.Sprintf(", training error %.2f %%", 100*e.TrainError)
		if validates {
			say = a.detail
		}
	}
	if e.Left > 0 {
		text += ", " + progress.Duration(e.Left.Round(time.Second)) + " left"
	}
	say("%s", text)
}

// trainSummary is the JSON form of a run's end.
type trainSummary struct {
	Run       string   `json:"run"`
	Epochs    int      `json:"epochs"`
	Error     *float64 `json:"error"` // null without validation
	Best      *float64 `json:"best"`
	BestEpoch int      `json:"best_epoch"`
}

func (c *trainCmd) tell(a *app, res train.Result) error {
	number := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	s := trainSummary{Run: c.Out, Epochs: res.Epochs, Error: number(res.Error), Best: number(res.Best), BestEpoch: res.BestEpoch}
	if a.JSON {
		return a.print(s, func(io.Writer) {})
	}
	text := fmt.Sprintf("%s: %s", c.Out, terminal.Count(res.Epochs, "epoch"))
	if s.Error != nil {
		text += fmt.Sprintf(", error %.2f %%, best %.2f %% after epoch %d", 100*res.Error, 100*res.Best, res.BestEpoch)
	}
	a.say("%s", text)
	return nil
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
