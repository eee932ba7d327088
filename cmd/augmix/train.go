package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// trainCmd trains a classifier.
type trainCmd struct {
	File   string `arg:"" optional:"" name:"RECIPE" help:"YAML file whose keys are the flags below without the dashes, or the name of a built-in recipe (augmix list recipes). Flags win."`
	Out    string `short:"o" required:"" placeholder:"RUN" help:"Folder of the run."`
	Method string `group:"Recipe" placeholder:"NAME" help:"One of the methods that RECIPE lists."`
	Resume bool   `group:"Running" help:"Resume from the last checkpoint in RUN, with the recipe of that run; with a larger --epochs, extend it. A run that is not there is begun with --data and --model."`
	Name   string `group:"Running" placeholder:"NAME" help:"Name of the model in results (the name of RUN; with --resume what it was)."`
	Mlflow string `group:"Running" placeholder:"DIR" help:"Record the run in MLflow's file store DIR (mlruns) too."`
	Plan   bool   `group:"Running" aliases:"dry-run" help:"Print the recipe as it is resolved, and train nothing."`

	trainFlags
}

// Help is the end of "augmix train --help".
func (trainCmd) Help() string {
	return `RECIPES
  A recipe may begin with "base: FILE", a recipe whose keys come first, and may hold "methods:",
  named sets of keys of which --method takes one. The built-in recipes are those of the papers' tables
  (augmix list recipes). A flag that has no effect, such as --views without --jsd, is refused, also with
  its default value; a key of a recipe is not, as it may be for another of its methods.

RUN
  last.safetensors   everything that a run is resumed from; written after every epoch
  best.safetensors   the weights with the least validation error
  model.safetensors  the weights after the last epoch; like best, they load in PyTorch
  mixset.npy         with --mixset iterative-fvis: the current mixing set
  results.jsonl      errors of every epoch, and of the last one for reports
  events.out.*       curves for TensorBoard; --mlflow DIR records them for MLflow too
  mlflow.run         with --mlflow: the id of the run there, in which --resume goes on
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
  augmix train --data photos --val val --model resnet18 --crop rrc:224 --val-size 256 -o runs/a
  augmix train --data photos --limit 2000 --model resnet18 --size 256 --crop 224 -o runs/few
  augmix train --data photos --val-fraction 0.2 --model resnet18 --size 256 --crop 224 -o runs/b
  augmix train --data ct --gray --window=-160:240 --model resnet18 --size 256 --crop 224 -o runs/ct
  augmix train cifar10-after-pixmix --data cifar-10-batches-bin --method noisymix -o runs/noisymix
  augmix train --data cifar --model resnet20 --mix augmix --aux-mix afa --aux-weight 0.5 -o runs/afa
  augmix train --data cifar --model resnet20 --mix augmix --augmax 5 --augmax-step 0.1 -o runs/augmax
  augmix train --data cifar --model resnet20 --jsd --mix augmix --feature-mix 1 -o runs/noisymix
  augmix train --data cifar --model resnet20 --feature-mix 1 --feature-add 0 --feature-multiply 0 -o n
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
		Config: config, Dir: c.Out, Name: c.Name, Resume: c.Resume, Extend: c.Resume, MLflow: c.Mlflow,
		Versions: versions(), Log: a.detail, Say: a.say, Asked: typedNames(ctx),
	}
	if c.Plan {
		if config, err = t.Resolve(a.ctx); err != nil {
			return sayMissing(err)
		}
		return a.printConfig(&config)
	}
	stop := a.watchTraining(t)
	res, err := t.Run(a.ctx)
	stop()
	if errors.Is(err, errInterrupted) {
		resume := []string{"augmix", "train", "--resume", "-o", c.Out}
		if c.Name != "" {
			resume = append(resume, "--name", c.Name)
		}
		return fmt.Errorf("%w in epoch %d; %s continues from there", err, res.Epochs+1, shellWords(resume))
	}
	if err != nil {
		return sayMissing(err)
	}
	return c.tell(a, res)
}

// printConfig prints a configuration as a recipe, and as JSON with the same keys.
func (a *app) printConfig(c *train.Config) error {
	text, err := recipe.Marshal(c)
	if err == nil && a.JSON {
		text, err = yaml.YAMLToJSON(text)
	}
	if err != nil {
		return err
	}
	return a.print(json.RawMessage(text), func(w io.Writer) { _, _ = w.Write(text) })
}

// sayMissing names the flag of a key without a value.
func sayMissing(err error) error {
	if m := (*train.MissingError)(nil); errors.As(err, &m) {
		return usagef("--%s is missing, e.g. --%[1]s %s", m.Key, m.Example)
	}
	if errors.Is(err, data.ErrSharedKeys) {
		return fmt.Errorf("%w\n(augmix data convert --shard-keys makes one data set of them)", err)
	}
	return hintReading(err)
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
		default: // stopped before its first checkpoint, or not begun
			if file, err = c.begun(givenFlags(ctx)); err != nil {
				return config, err
			}
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
	was := config
	setOptions(&config, ctx, true)
	if was.Val != "" && was.Val == was.Data && config.Val == was.Val && !a.names.typed["val"] { // a part of the data, wherever these are
		config.Val = config.Data
	}
	return config, nil
}

// begun returns the recipe of a run without a checkpoint, "" for one that the given flags say whole, so that a job can be given again.
func (c *trainCmd) begun(given []string) (string, error) {
	file := filepath.Join(c.Out, generate.ArgsName)
	if _, err := os.Lstat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if slices.Contains(given, "data") && slices.Contains(given, "model") {
		return "", nil
	}
	return "", usagef("--resume: %s has no %s to resume from (allowed: the folder of a run; with --data and --model, one to begin)", c.Out,
		train.LastName)
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
