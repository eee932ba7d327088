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
	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// trainCmd trains a classifier.
type trainCmd struct {
	File   string `arg:"" optional:"" name:"RECIPE" help:"YAML file whose keys are the flags below, without the dashes; flags win."`
	Out    string `short:"o" required:"" placeholder:"RUN" help:"Folder of the run."`
	Method string `group:"Recipe" placeholder:"NAME" help:"One of the methods that RECIPE lists."`
	Resume bool   `group:"Running" help:"Go on from the last checkpoint in RUN, with the recipe of that run."`
	Name   string `group:"Running" placeholder:"NAME" help:"Name of the model in results (the name of RUN)."`
	Mlflow string `group:"Running" placeholder:"DIR" help:"Record the run in MLflow's file store DIR (mlruns) too."`
	DryRun bool   `group:"Running" name:"dry-run" help:"Print the recipe as it is resolved, and train nothing."`

	train.Recipe `embed:""`
}

// Help is the end of "augmix train --help".
func (trainCmd) Help() string {
	return `RECIPES
  A recipe may begin with "base: FILE", a recipe whose keys come first, and may hold "methods:",
  named sets of keys of which --method takes one. The folder recipes of the source holds those of the
  papers' tables, and each says which: recipe/cifar10-wrn-40-2.yaml --method augmix.

RUN
  last.safetensors   everything that the run goes on from; written after every epoch
  best.safetensors   the weights with the least validation error
  model.safetensors  the weights after the last epoch; like best, they load in PyTorch
  mixset.npy         with --mixset iterative-fvis: the images that are mixed in now
  results.jsonl      errors of every epoch, and of the last one for reports
  events.out.*       curves for TensorBoard; --mlflow DIR records them for MLflow too
  args.yaml          the recipe as it was resolved; it is a recipe itself

ITERATIVE PIXMIX
  --mixset iterative-fvis-nN mixes in N images (256) that are drawn from the network in training:
  feature visualisations of the weights that it has at the start of every epoch, or every N-th with
  --mixset-every N. The first show the weights that the run begins with. Numbers and the start are
  ours: PixMix's table 5 has the row and does not say them. Drawing 256 images takes from a sixth
  (wrn-40-4) to a half (resnet20, at first) of an epoch of CIFAR; "augmix run --plan" counts it.

INTERRUPTING, RESUMING
  Ctrl-C finishes the step, writes last.safetensors and ends with status 130. --resume goes on from
  there, or from the last epoch after a crash, and the weights at the end are those of a run that was
  never stopped, bit for bit, on the same kind of processor. A loss that is no number stops the run; the
  checkpoint before it is kept.

EXAMPLES
  augmix train cifar10-wrn-40-2 --data cifar-10-batches-bin --method augmix -o runs/augmix
  augmix train --data photos --valid val --model resnet18 --crop rrc:224 --mix augmix-m1 -o runs/a
  augmix train --resume -o runs/augmix`
}

// Run trains.
func (c *trainCmd) Run(ctx *kong.Context, a *app) error {
	r, err := c.recipe(ctx, a)
	if err != nil {
		return err
	}
	sources, err := openTraining(a, &r)
	if err != nil {
		return err
	}
	defer sources.close()
	if err := r.Check(); err != nil {
		return usageError{err}
	}
	if err := sources.openOutliers(&r); err != nil {
		return err
	}
	set, err := openMixset(a, &r, sources)
	if err != nil {
		return err
	}
	if set != nil {
		defer set.Close()
	}
	text, err := yaml.Marshal(&r)
	if err != nil {
		return err
	}
	if c.DryRun {
		_, err := a.out.Write(text)
		return err
	}
	record, err := openMLflow(c.Mlflow, c.modelName(), &r)
	if err != nil {
		return err
	}
	t := &trainingTalk{app: a, recipe: &r, record: record}
	defer t.stop()
	o := train.Options{
		Dir: c.Out, Name: c.Name, Resume: c.Resume, Train: sources.train, Valid: sources.valid, Outliers: sources.outliers,
		Versions: versions(), OnBegin: t.begin, OnStep: t.step, OnEpoch: t.epoch,
		Records: map[string][]byte{generate.ArgsName: append([]byte("# augmix train, the recipe as it was resolved\n"), text...)},
	}
	if set != nil {
		o.MixingSet = set
	}
	o.Renewal = &iterativeFVis{app: a, epochs: r.Epochs}
	res, err := train.Run(a.ctx, r, o)
	t.stop()
	if err1 := record.end(c.Out, err); err == nil {
		err = err1
	}
	if errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w in epoch %d; augmix train --resume -o %s goes on from there", err, res.Epochs+1, c.Out)
	}
	if errors.Is(err, train.ErrRecipe) || errors.Is(err, models.ErrSpec) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	return c.tell(a, res)
}

// modelName is the name of the model in results.
func (c *trainCmd) modelName() string {
	if c.Name != "" {
		return c.Name
	}
	return filepath.Base(filepath.Clean(c.Out))
}

// recipe resolves RECIPE, --method and the flags. A resumed run has its own recipe, which only flags change.
func (c *trainCmd) recipe(ctx *kong.Context, a *app) (train.Recipe, error) {
	r := train.Default()
	last := filepath.Join(c.Out, train.LastName)
	if c.Resume && c.File == "" {
		switch old, err := train.ReadCheckpoint(last); {
		case err == nil:
			r = old.Recipe
		case !errors.Is(err, fs.ErrNotExist):
			return r, err
		default:
			// Stopped before its first checkpoint.
			c.File = filepath.Join(c.Out, generate.ArgsName)
		}
	}
	if c.File != "" {
		t, err := readRecipe(c.File)
		if err != nil {
			return r, err
		}
		if r, err = t.method(c.Method); err != nil {
			return r, err
		}
		if c.Method == "" && len(t.methods) > 0 {
			a.detail("%s also has the methods %s", c.File, t.names())
		}
	} else if c.Method != "" {
		return r, usagef("--method %s needs a RECIPE that lists it", c.Method)
	}
	setFlags(&r, &c.Recipe, ctx)
	return r, nil
}

// noValidation as --valid measures nothing.
const noValidation = "none"

// trainingSources are the data sets of a run.
type trainingSources struct{ train, valid, outliers data.Source }

func (s *trainingSources) close() {
	_ = s.train.Close()
	if s.valid != nil {
		_ = s.valid.Close()
	}
	if s.outliers != nil {
		_ = s.outliers.Close()
	}
}

// openOutliers opens the data set of Outlier Exposure, where the recipe names one. Of CIFAR sets it is the training part.
func (s *trainingSources) openOutliers(r *train.Recipe) error {
	if r.Outliers == "" {
		return nil
	}
	if r.Outliers == formats.Standard {
		return usagef("training reads its data more than once: standard input will not do")
	}
	var err error
	s.outliers, _, err = formats.OpenSplit(r.Outliers, formats.Options{}, "train")
	return err
}

// openTraining opens the data sets of a recipe and writes into it what was chosen by itself.
func openTraining(a *app, r *train.Recipe) (*trainingSources, error) {
	if r.Data == "" {
		return nil, usagef("no training data (say data in the recipe, or --data)")
	}
	if r.Data == formats.Standard || r.Valid == formats.Standard {
		return nil, usagef("training reads its data more than once: standard input will not do")
	}
	open := func(path, split, missing string) (src data.Source, taken string, err error) {
		return formats.OpenSplit(path, formats.Options{Format: r.Format, Split: split, Coarse: r.Coarse}, missing)
	}
	s := new(trainingSources)
	var err error
	if s.train, r.Split, err = open(r.Data, r.Split, "train"); err != nil {
		return nil, err
	}
	switch {
	case r.Valid == noValidation:
		return s, nil
	case r.Valid == "" && r.Split == "train":
		if s.valid, _, err = open(r.Data, "test", ""); err == nil {
			r.Valid, r.ValidSplit = r.Data, "test"
			return s, nil
		}
		a.detail("no validation: %v", err)
		return s, nil
	case r.Valid != "":
		if s.valid, r.ValidSplit, err = open(r.Valid, r.ValidSplit, "test"); err != nil {
			return nil, errors.Join(err, s.train.Close())
		}
	}
	return s, nil
}

// openMixset opens the mixing set of a recipe whose mix needs one, nil for others and where it is drawn during the run. What
// it found is written into the recipe.
func openMixset(a *app, r *train.Recipe, s *trainingSources) (*mixset.Set, error) {
	m, err := mix.Parse(r.Mix)
	if err != nil || !mix.NeedsMixingSet(m) {
		return nil, err
	}
	drawn, isDrawn, err := r.Drawn()
	if err != nil {
		return nil, usageError{err}
	}
	if r.Mixset == "" {
		r.Mixset = defaultMixset
	}
	crop, err := transform.ParseCrop(r.Crop)
	if err != nil {
		return nil, err
	}
	side := crop.N
	if side == 0 {
		indexed, ok := s.train.(data.Indexed)
		if !ok {
			return nil, usagef("--mixset needs to know the size of the images: say --crop")
		}
		var one data.Sample
		var m raster.Image
		if err := indexed.Read(0, &one); err != nil {
			return nil, err
		}
		if err := one.Decode(&m); err != nil {
			return nil, err
		}
		side = max(m.W, m.H)
	}
	if isDrawn {
		r.Mixset = fmt.Sprintf("%s-n%d", train.IterativeFVis, drawn)
		return nil, checkDrawing(r.Model, side)
	}
	set, err := mixset.Open(a.ctx, r.Mixset, mixset.Options{Size: max(side, mixset.MinSize), Workers: r.Workers})
	if errors.Is(err, mixset.ErrSpec) {
		err = usageError{err}
	}
	if err != nil {
		return nil, err
	}
	r.Mixset = set.String()
	return set, nil
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

// trainingTalk tells how a run goes.
type trainingTalk struct {
	app    *app
	recipe *train.Recipe
	record *mlflowRun
	plan   *train.Plan
	bar    *progress.Bar
	epochs []train.Epoch
}

func (t *trainingTalk) begin(p *train.Plan) {
	t.plan = p
	a := t.app
	a.say("%s: %s parameters, %d samples of %d classes, %d for validation", p.Model.Name,
		thousands(p.Model.Parameters()), p.Samples, p.Classes, p.Valid)
	if !p.InMemory {
		a.detail("the images are decoded anew in every epoch (--memory %d MB)", t.recipe.Memory)
	}
	if p.StartEpoch > 0 || p.StartInEpoch > 0 {
		a.say("going on after %d epochs and %d steps", p.StartEpoch, p.StartInEpoch)
	}
}

func (t *trainingTalk) step(s *train.Step) {
	if t.bar == nil {
		label := fmt.Sprintf("epoch %d/%d", s.Epoch+1, t.recipe.Epochs)
		t.bar = t.app.bar(label, progress.Images, t.plan.Samples, s.First)
	}
	t.bar.Set(s.Samples, 0)
}

func (t *trainingTalk) stop() {
	if t.bar != nil {
		t.bar.Stop()
	}
	t.bar = nil
}

func (t *trainingTalk) epoch(e *train.Epoch) {
	t.stop()
	t.epochs = append(t.epochs, *e)
	t.record.epoch(e)
	text := fmt.Sprintf("epoch %d/%d: loss %.4f, %s images/s", e.Epoch, t.recipe.Epochs, e.TrainLoss, progress.Number(e.ImagesPerS))
	if e.Valid {
		text += fmt.Sprintf(", error %.2f %%", 100*e.Error)
		if e.Best {
			text += " (best)"
		}
	}
	if e.Left > 0 {
		text += ", " + progress.Duration(e.Left.Round(time.Second)) + " left"
	}
	t.app.say("%s", text)
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
	text := fmt.Sprintf("%s: %d epochs", c.Out, res.Epochs)
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
