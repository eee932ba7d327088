package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/image2image"
)

// Options are what a run needs beside its configuration.
type Options struct {
	Dir  string // the run's folder; made if it is not there
	Name string // of the model in results; empty: the last element of Dir, in a run that is resumed what it was
	// Dataset is the name of the data set in results; empty: its format.
	Dataset string
	Resume  bool        // resume from Dir's last checkpoint; without one the run begins
	Extend  bool        // with Resume: Config.Epochs may be more than the run had, see [Extension]
	Train   data.Source // labeled; stays open during the run
	Val     data.Source // nil: nothing is validated, but for Config.ValFraction of Train
	// Outliers is the data set of Outlier Exposure, where Config.Outliers names one; its labels are not looked at.
	Outliers data.Source
	// MixingSet is the mixing set, where Config.Mix needs one. The run makes those of [IterativeFVis] itself.
	MixingSet mix.MixingSet
	// Styles are the styles of the augmentation style, where Config.Mix has it.
	Styles *image2image.Styles
	// Network is the network of the augmentation deepaugment, where Config.Mix has it.
	Network *image2image.Network
	// Versions go into the rows of results.
	Versions map[string]string
	// TrainedOn says what of the benchmarks' corruptions Train's images were made with, by the keys of results.Row.Versions: the files
	// of weights keep it. A run that is resumed has what it began with.
	TrainedOn map[string]string
	// Records are further files to write to Dir when a run begins, such as args.yaml.
	Records map[string][]byte

	OnBegin     func(*Plan)          // called once, before the first step; nil: nobody listens
	OnStep      func(*Step)          // after every step
	OnEpoch     func(*Epoch)         // after every epoch
	OnVisualize func(*Visualization) // while a mixing set of IterativeFVis is made, after every few images
}

// Plan is what a run is going to do.
type Plan struct {
	Name                     string // of the model in results
	Model                    *graph.Graph
	Samples, Val, Classes    int  // Val: validation samples
	Steps                    int  // of an epoch
	InMemory                 bool // the training images are held decoded
	StartEpoch, StartInEpoch int  // where it begins, from 0
	// Extended are the times that the run was given more epochs; Extending says that the last of them is now.
	Extended  []Extension
	Extending bool
	// Dropped is the number of rows of evaluations, where Extending, that the run's results had of its weights so far and have no more.
	Dropped int
	// Otherwise is what the images that Config.Weights were trained on went through and those of this run do not, as the file of
	// the weights says it: "mean 0.5 0.5 0.5, here 0.4 0.4 0.4". None where it is the same or not known, and in a resumed run.
	Otherwise []string
	// TrainedOn is what of the benchmarks' corruptions Config.Weights were trained on and Options.TrainedOn says, by the keys of
	// results.Row.Versions. The files of weights hand it on.
	TrainedOn map[string]string
	// LR is the learning rate of the next step, LastLR, where Extending, that of the step before; 0 without such a step.
	LR, LastLR float64
}

// Step is one step done.
type Step struct {
	Epoch, Index int // from 0
	Samples      int // of this epoch so far
	First        int // of them, those that an earlier part of the run did
	Loss         float64
	LR           float64
}

// Result is how a run ended.
type Result struct {
	Epochs    int
	Error     float64 // after the last epoch; NaN without validation
	Best      float64
	BestEpoch int // from 1; 0 without validation
}

// Names of the files of a run.
const (
	LastName    = "last.safetensors"
	BestName    = "best.safetensors"
	ModelName   = "model.safetensors"
	MixsetName  = "mixset.npy"
	ResultsName = "results.jsonl"
)

// WeightsOf returns the weights after the last epoch of the run whose folder path is, and path itself where it is no such folder. The error
// wraps [ErrUnfinished] and names what weights there are.
func WeightsOf(path string) (string, error) {
	isFile := func(path string) bool {
		st, err := os.Stat(path)
		return err == nil && st.Mode().IsRegular()
	}
	file, last := filepath.Join(path, ModelName), filepath.Join(path, LastName)
	switch {
	case path == "":
	case isFile(file):
		return file, nil
	case isFile(last):
		return path, fmt.Errorf("%w: %s has no %s yet (allowed: %s, its weights so far)", ErrUnfinished, path, ModelName, last)
	}
	return path, nil
}

// ErrUnfinished is wrapped by the error about a run that has not done all its epochs.
var ErrUnfinished = errors.New("the run has not come to its end")

// runner is a run under way.
type runner struct {
	config  Config
	options Options
	workers int
	train   *dataset.Set
	val     *validator
	classes int
	w, h    int
	// signature is the fingerprint of the training set, as data.Signature.Samples; empty where it is not held in memory.
	signature string
	// mixing and networkFiles are digests of what the augmentation reads; empty where it reads nothing.
	mixing, networkFiles string
	// iterative is the number of images of a mixing set of [IterativeFVis], which visualize makes; 0: it is none.
	iterative int
	visualize func(context.Context, *iterative) (mix.MixingSet, error)
	method    *mix.Method // nil while its mixing set is still to be made
	auxMethod *mix.Method // of auxiliary views; nil without
	soft      bool        // labels are mixed
	graph     *graph.Graph
	net       *nn.Net
	opt       nn.Optimizer
	ema       *nn.EMA
	rate      nn.Schedule
	state     state
	log       *log
	dlogits   []float32
	condenser *nn.Condenser
	extra     *outliers // nil without Outlier Exposure
	adv       adversarial
	ant       *ant // nil without adversarial noise
	augMax    augMax
	features  nn.FeatureMix
	targets   []float32         // before features were mixed
	trained   []*nn.Tensor      // the network's, auxiliary batch norms behind them
	spare     []float32         // gradient of the stability term
	otherwise []string          // of Plan
	earlier   map[string]string // TrainedOn of Plan
	first     int               // samples of the epoch at hand that an earlier part of the run did
}

// Run trains as c says, in the folder of o. It returns when the last epoch is done, or an error:
//
//   - the cause of ctx, when that was canceled: the step in hand was finished and a checkpoint written, from which Run
//     resumes with Options.Resume;
//   - one that wraps [ErrDiverged] and names epoch and step;
//   - [ErrOccupied] when the folder holds another run, or one that is not to be resumed; [ErrCheckpoint], [ErrConfig];
//   - what the data, the network or the disk failed with.
func Run(ctx context.Context, c Config, o Options) (Result, error) {
	return run(ctx, c, o, visualize)
}

// run is Run with a choice of what makes the mixing sets of IterativeFVis.
func run(ctx context.Context, c Config, o Options, visualize func(context.Context, *iterative) (mix.MixingSet, error)) (Result, error) {
	if err := errors.Join(c.Check(), c.CheckWeights(), storage.CheckLocal(o.Dir)); err != nil {
		return Result{}, err
	}
	if o.Train == nil {
		return Result{}, option.Errorf(ErrConfig, "{data}: no training data was given (allowed: an open data set)")
	}
	if o.Val == nil && c.Val != "" && c.Val != "none" {
		return Result{}, option.Errorf(ErrConfig, "{val}: %q without Options.Val (allowed: opened there, or none)", c.Val)
	}
	if c.ValFraction > 0 && o.Val != nil {
		return Result{}, option.Errorf(ErrConfig, "{val-fraction}: %v with validation data of its own (allowed: one of them)", c.ValFraction)
	}
	if _, err := models.Input(c.Model); err != nil { // before the data is read
		return Result{}, err
	}
	r := &runner{config: c, options: o, visualize: visualize, workers: resolveWorkers(c.Workers)}
	last, err := r.claim()
	if err != nil {
		return Result{}, err
	}
	r.options.Name = cmp.Or(r.options.Name, filepath.Base(filepath.Clean(o.Dir)))
	if err := r.prepare(ctx, last); err != nil {
		return Result{}, err
	}
	defer r.log.close()
	if err = r.loop(ctx); err == nil {
		err = r.finish()
	}
	return r.result(), err
}

func (r *runner) result() Result {
	return Result{
		Epochs: r.state.Epoch, Error: float64(r.state.Error), Best: float64(r.state.Best),
		BestEpoch: r.state.BestEpoch,
	}
}

// loop does the steps that are left. Where the mixing set is made from the network, the feed may not run ahead of the
// epoch before which that happens.
func (r *runner) loop(ctx context.Context) error {
	begun, first := time.Now(), r.state.Steps
	r.condenser = nn.NewCondenser(r.net)
	for r.state.Epoch < r.config.Epochs {
		if err := r.renewSet(ctx); err != nil {
			return err
		}
		if err := r.epochs(ctx, r.nextSet(), begun, first); err != nil {
			return err
		}
	}
	return nil
}

// feed returns what makes batches as a configuration says.
func (r *runner) feed(c *Config) *feed {
	return &feed{
		config: c, set: r.train, method: r.method, norm: c.norm(), classes: r.classes, w: r.w, h: r.h,
		workers: r.workers, extra: r.extra, auxMethod: r.auxMethod,
	}
}

// finish writes what a complete run leaves.
func (r *runner) finish() error {
	if err := r.saveModel(ModelName); err != nil {
		return err
	}
	return r.log.finish(r)
}
