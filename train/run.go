package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// ErrDiverged is wrapped by the error of a run whose loss or weights are no longer numbers. The checkpoints before it
// are kept.
var ErrDiverged = errors.New("training diverged")

// Options are what a run needs beside its configuration.
type Options struct {
	Dir  string // the run's folder; made if it is not there
	Name string // of the model in results; empty: the last element of Dir
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
	Model                    *graph.Graph
	Samples, Val, Classes    int  // Val: validation samples
	Steps                    int  // of an epoch
	InMemory                 bool // the training images are held decoded
	StartEpoch, StartInEpoch int  // where it begins, from 0
	// Extended are the times that the run was given more epochs; Extending says that the last of them is now.
	Extended  []Extension
	Extending bool
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

// Epoch is one epoch done. Errors are fractions.
type Epoch struct {
	Epoch      int // from 1
	LR         float64
	TrainLoss  float64 // mean over the steps' samples of the loss that was minimized
	TrainError float64 // of the clean (or only) view, or its adversarial example, against the sample's own label, while the weights changed
	Validated  bool    // whether there was a validation
	Loss       float64 // validation: mean negative log-likelihood
	Error      float64
	Best       bool          // no epoch before had a smaller error
	Took       time.Duration // training and validation
	Left       time.Duration // estimate for the rest of the run
	ImagesPerS float64       // samples a second, without validation
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

// WeightsOf returns the weights after the last epoch of the run whose folder path is, and path itself where it is no such folder.
func WeightsOf(path string) string {
	file := filepath.Join(path, ModelName)
	if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
		return file
	}
	return path
}

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
	if o.Name == "" {
		o.Name = filepath.Base(filepath.Clean(o.Dir))
	}
	r := &runner{config: c, options: o, visualize: visualize, workers: resolveWorkers(c.Workers)}
	last, err := r.claim()
	if err != nil {
		return Result{}, err
	}
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

// prepare reads the data and makes the network, in the state of a checkpoint where there is one.
func (r *runner) prepare(ctx context.Context, last *Checkpoint) error {
	if last != nil {
		r.state = last.state
	} else {
		r.state = newState()
	}
	if err := r.readData(ctx); err != nil {
		return err
	}
	if err := r.build(last); err != nil {
		return err
	}
	if err := os.MkdirAll(r.options.Dir, 0o777); err != nil {
		return err
	}
	var err error
	if r.log, err = openLog(r, r.extended(last)); err != nil { // also where another run has the folder
		return err
	}
	if err := r.sweep(); err != nil {
		r.log.close()
		return err
	}
	if last == nil {
		for name, content := range r.options.Records {
			if err := data.WriteFileAtomic(filepath.Join(r.options.Dir, name), content); err != nil {
				r.log.close()
				return err
			}
		}
	}
	if r.options.OnBegin != nil {
		r.options.OnBegin(r.plan(last))
	}
	if r.extended(last) { // from here on the run has so many epochs
		if err := r.save(); err != nil {
			r.log.close()
			return err
		}
	}
	return nil
}

// plan returns what the run is going to do.
func (r *runner) plan(last *Checkpoint) *Plan {
	p := &Plan{
		Model: r.graph, Samples: r.train.Len(), Val: r.val.len(), Classes: r.classes,
		Steps: steps(r.train.Len(), r.config.Batch), InMemory: r.train.InMemory(),
		StartEpoch: r.state.Epoch, StartInEpoch: r.state.InEpoch,
		Extended: r.state.Extended, Extending: r.extended(last), Otherwise: r.otherwise, TrainedOn: r.earlier,
	}
	if r.state.Epoch < r.config.Epochs {
		p.LR = r.rate.At(r.state.Steps)
	}
	if p.Extending && r.state.Steps > 0 {
		old := r.config
		old.Epochs = p.Extended[len(p.Extended)-1].From
		p.LastLR = old.schedule(p.Steps).At(r.state.Steps - 1)
	}
	return p
}

// sweep removes what a killed part of the run left half written. The run has the folder to itself.
func (r *runner) sweep() error {
	return data.RemoveTemporaries(r.options.Dir, func(name string) bool {
		_, record := r.options.Records[name]
		return record || slices.Contains([]string{LastName, BestName, ModelName, MixsetName}, name)
	})
}

func (r *runner) readData(ctx context.Context) error {
	limit := int64(r.config.CacheMB) << 20
	var err error
	if r.train, err = dataset.Load(ctx, r.options.Train, limit, r.workers); err != nil {
		return fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	var val *dataset.Set
	if share := r.config.ValFraction; share > 0 {
		if r.train, val, err = r.train.HoldOut(ctx, share, r.config.Seed); errors.Is(err, dataset.ErrShare) {
			return option.Errorf(ErrConfig, "{val-fraction}: training data %s: %w", r.config.Data, err)
		} else if err != nil {
			return fmt.Errorf("training data %s: %w", r.config.Data, err)
		}
	}
	if r.train.InMemory() { // else all of it would be read for that
		if r.signature, err = r.train.Sign(ctx); err != nil {
			return err
		}
	}
	if r.classes, err = r.train.Classes(); err != nil {
		return fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	if r.classes < 2 { // nothing can be learned, and no checkpoint of it resumed
		return fmt.Errorf("training data %s: %w: one class (allowed: two or more)", r.config.Data, data.ErrLabel)
	}
	if r.w, r.h, err = r.imageSize(); err != nil {
		return fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	if err := r.checkSizes(r.train, r.config.geometry(0)); err != nil {
		return fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	if r.options.Val != nil {
		if val, err = dataset.Load(ctx, r.options.Val, limit, r.workers); err != nil {
			return fmt.Errorf("validation data %s: %w", r.config.Val, err)
		}
	}
	if val != nil {
		if err := r.readValidation(ctx, val); err != nil {
			return err
		}
	}
	if r.config.Outliers != "" {
		if r.extra, err = readOutliers(ctx, r.options.Outliers, limit, r.workers); err != nil {
			return fmt.Errorf("outliers %s: %w", r.config.Outliers, err)
		}
	}
	spec, err := mix.ParseSpec(r.config.Mix)
	if err != nil {
		return err
	}
	r.soft = spec.NeedsPartner()
	if r.iterative, _, err = ParseIterative(r.config.Mixset); err != nil {
		return err
	}
	if r.iterative == 0 {
		if err := r.useMixingSet(r.options.MixingSet); err != nil {
			return err
		}
	}
	return nil
}

// readValidation makes the validator of a data set, which must have the classes of the training set.
func (r *runner) readValidation(ctx context.Context, set *dataset.Set) error {
	if n, err := set.Classes(); err == nil && n > r.classes {
		return fmt.Errorf("%w: the validation data has %d classes, the training data %d", data.ErrLabel, n,
			r.classes)
	}
	if a, b := set.Info().Classes, r.train.Info().Classes; len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
		return fmt.Errorf("%w: the validation data has other classes than the training data", data.ErrLabel)
	}
	if err := r.checkSizes(set, r.config.valGeometry()); err != nil {
		return fmt.Errorf("validation data: %w", err)
	}
	sum, err := set.Sign(ctx)
	if err != nil {
		return fmt.Errorf("validation data: %w", err)
	}
	r.val = &validator{
		set: set, data: sum, geometry: r.config.valGeometry(), norm: r.config.norm(), classes: r.classes, w: r.w, h: r.h,
		workers: r.workers, pre: r.config.preprocess(),
	}
	return nil
}

// imageSize returns the size of what the network sees: the crop's, else that of the first image.
func (r *runner) imageSize() (w, h int, err error) {
	if crop := r.config.geometry(0).Crop; crop.Kind != transform.NoCrop {
		return crop.N, crop.N, nil
	}
	var m raster.Image
	_, err = r.train.Fetcher(r.config.geometry(0), nil).Fetch(&m, 0, math.MaxInt, rng.NewKey(0))
	return m.W, m.H, err
}

// checkSizes looks for an image that is not of the size of the others before the first step, where nothing crops them: among all in
// memory, else at the first alone. g is what is done to them.
func (r *runner) checkSizes(set *dataset.Set, g *transform.Pipeline) error {
	if g.Crop.Kind != transform.NoCrop {
		return nil
	}
	n := 1
	if set.InMemory() {
		n = set.Len()
	}
	f := set.Fetcher(nil, nil)
	for i := range n {
		m, s, err := f.Image(i, rng.Key{})
		if err != nil {
			return err
		}
		if w, h := g.OutputSize(m.W, m.H); w != r.w || h != r.h {
			return sizeError(&s, w, h, r.w, r.h)
		}
	}
	return nil
}

// sizeError is the error about a sample that is an image of w by h pixels among those of the wanted size.
func sizeError(s *dataset.About, w, h, wantedW, wantedH int) error {
	return &data.SampleError{Name: s.Name, Key: s.Key, Err: fmt.Errorf("%w: an image of %dx%d among those of %dx%d; give them one size with crop",
		raster.ErrSize, w, h, wantedW, wantedH)}
}

// build makes the network and the optimizer and gives them their values.
func (r *runner) build(last *Checkpoint) error {
	var err error
	if r.graph, err = models.Build(r.config.Model, graph.Shape{H: r.h, W: r.w, C: 3}, r.classes); err != nil {
		return err
	}
	if r.iterative > 0 {
		if err := checkVisualization(r.graph, max(r.w, r.h)); err != nil {
			return err
		}
	}
	rows := r.config.rows(r.config.Batch)
	r.net, err = nn.New(r.graph, nn.Options{
		Workers: r.workers, Batch: rows, Train: true, InputGrad: r.config.Adversarial || r.config.AugMax > 0 || r.config.ANT > 0,
		AuxNorm: r.config.aux(1) > 0, Places: r.config.FeatureMix > 0,
	})
	if err != nil {
		return err
	}
	if r.config.ANT > 0 {
		if r.ant, err = newANT(r.w, r.h, r.config.Batch, r.workers); err != nil {
			return err
		}
	}
	r.opt = r.config.optimizer()
	r.trained = slices.Concat(r.net.Tensors(), r.net.Aux())
	r.opt.Prepare(r.trained)
	r.rate = r.config.schedule(steps(r.train.Len(), r.config.Batch))
	r.dlogits = make([]float32, r.net.Exits()*rows*r.classes)
	if last == nil {
		r.earlier = r.options.TrainedOn
		r.net.Init(rng.NewKey(r.config.Seed).Str("weights"))
		if r.config.Weights != "" {
			if err := r.loadWeights(); err != nil {
				return err
			}
		}
	}
	r.net.InitAux()
	if r.config.EMA > 0 {
		r.ema = nn.NewEMA(r.net.Tensors(), r.config.EMA)
	}
	if last != nil {
		return r.restore(last)
	}
	return nil
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

// epochs does the steps that are left before epoch end. The run began at the time begun, with step first.
func (r *runner) epochs(ctx context.Context, end int, begun time.Time, first int) error {
	f := r.feed(&r.config)
	f.start(ctx, r.state.Epoch, r.state.InEpoch, end)
	defer f.stop()
	for r.state.Epoch < end {
		epochBegun := time.Now()
		r.first = r.state.Seen
		if err := r.beginNoise(ctx); err != nil {
			return err
		}
		for r.state.InEpoch < f.steps() {
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), r.save())
			}
			b := f.next()
			if b == nil { // the feed stops only when ctx does
				continue
			}
			if b.err != nil {
				return b.err
			}
			err := r.step(b)
			f.done(b)
			if err != nil {
				return err
			}
		}
		trained := time.Since(epochBegun)
		e, err := r.endEpoch()
		if err != nil {
			return err
		}
		e.Took = time.Since(epochBegun)
		e.ImagesPerS = float64(r.train.Len()-r.first) / max(trained.Seconds(), 1e-9)
		doneSteps := r.state.Steps - first
		left := r.config.Epochs*f.steps() - r.state.Steps
		e.Left = time.Duration(float64(time.Since(begun)) * float64(left) / float64(max(doneSteps, 1)))
		if r.options.OnEpoch != nil {
			r.options.OnEpoch(e)
		}
	}
	return nil
}

// finish writes what a complete run leaves.
func (r *runner) finish() error {
	if err := r.saveModel(ModelName); err != nil {
		return err
	}
	return r.log.finish(r)
}

// step is one step of the optimizer.
func (r *runner) step(b *batch) error {
	if r.softTargets() || r.config.JSD || r.config.AugMax > 0 {
		smooth(b.targets, r.classes, r.config.Smoothing)
	}
	if r.config.Adversarial {
		if err := r.attack(b); err != nil {
			return err
		}
	}
	if r.config.AugMax > 0 {
		r.searchAugMax(b)
	}
	if r.ant != nil {
		if err := r.teachNoise(b, r.config.ANTLR); err != nil {
			return err
		}
		r.disturbBatch(b)
	}
	rows := r.config.rows(b.n)
	logits := r.net.Forward(b.planes, rows, nn.Mode{
		Train: true, Key: rng.NewKey(r.config.Seed).Str("dropout").Uint(uint64(r.state.Steps)),
		Aux: r.config.aux(b.n), Mix: r.mixFeatures(b),
	})
	d := r.dlogits[:r.net.Exits()*rows*r.classes]
	var loss float64
	for k := range r.net.Exits() {
		loss += r.loss(d[k*rows*r.classes:][:rows*r.classes], r.net.ExitLogits(k), b)
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return r.diverged(fmt.Sprintf("the loss is %v in epoch %d, step %d of %d", loss, r.state.Epoch+1,
			r.state.InEpoch+1,
			steps(r.train.Len(), r.config.Batch)))
	}
	r.net.Backward(d)
	loss += r.condenser.Gradient()
	if r.config.ClipGrad > 0 {
		nn.ClipNorm(r.trained, r.config.ClipGrad)
	}
	rate := r.rate.At(r.state.Steps)
	r.opt.Step(r.trained, rate)
	r.condenser.Step(float64(r.state.Steps+1) / float64(r.config.Epochs*steps(r.train.Len(), r.config.Batch)))
	if r.ema != nil {
		r.ema.Update()
		r.condenser.Mask(r.ema.State())
	}
	s := &r.state
	s.LossSum += float64(loss * float64(b.n))
	s.Wrong += wrong(logits, b.labels, r.classes)
	s.Seen += b.n
	s.InEpoch++
	s.Steps++
	r.log.step(s, loss, rate)
	if r.options.OnStep != nil {
		r.options.OnStep(&Step{Epoch: b.epoch, Index: b.index, Samples: s.Seen, First: r.first, Loss: loss, LR: rate})
	}
	return nil
}

// loss returns the loss of a step at one exit and writes its gradient to d.
func (r *runner) loss(d, logits []float32, b *batch) float64 {
	_, views := r.config.views()
	smoothing := r.config.Smoothing
	if r.config.AugMax > 0 {
		return r.augMaxLoss(d, logits, b)
	}
	if !r.config.JSD {
		n := b.n * r.classes
		return r.crossEntropy(d[:n], logits[:n], b) + r.extraLoss(d, logits, b)
	}
	var loss float64
	switch {
	case r.softTargets() || smoothing > 0:
		loss, _, _ = nn.SoftJSD(d, logits, b.targets, r.classes, views, r.config.Lambda)
	default:
		loss, _, _ = nn.JSD(d, logits, b.labels, r.classes, views, r.config.Lambda)
	}
	return loss
}

// crossEntropy is the loss of images with labels; soft ones have been smoothed.
func (r *runner) crossEntropy(d, logits []float32, b *batch) float64 {
	if r.softTargets() {
		return nn.SoftCrossEntropy(d, logits, b.targets, r.classes)
	}
	return nn.CrossEntropy(d, logits, b.labels, r.classes, r.config.Smoothing)
}

// softTargets reports whether images have several labels.
func (r *runner) softTargets() bool { return r.soft || r.config.FeatureMix > 0 }

// smooth spreads a share of soft labels over all classes.
func smooth(targets []float32, classes int, share float64) {
	if share == 0 {
		return
	}
	keep, each := float32(1-share), float32(share/float64(classes))
	for i := range targets {
		targets[i] = float32(targets[i]*keep) + each
	}
}

// wrong counts the rows whose largest logit, the first of equals, is not the label. Only as many rows as there are
// labels are looked at: those of the first view.
func wrong(logits []float32, labels []int, classes int) int {
	n := 0
	for i, label := range labels {
		row := logits[i*classes:][:classes]
		best := 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		if best != label {
			n++
		}
	}
	return n
}

func (r *runner) diverged(what string) error {
	kept := "no checkpoint was written yet"
	if r.state.Epoch > 0 || r.state.Saved {
		kept = LastName + " is the last good one"
	}
	return fmt.Errorf("%w: %s (%s; a smaller lr, warmup or clip-grad may help)", ErrDiverged, what, kept)
}

// endEpoch validates, writes rows and checkpoints and moves on to the next epoch.
func (r *runner) endEpoch() (*Epoch, error) {
	for _, t := range r.trained {
		if !allFinite(t.Data) {
			return nil, r.diverged(fmt.Sprintf("%s holds values that are not numbers after epoch %d, step %d", t.Name,
				r.state.Epoch+1,
				r.state.InEpoch))
		}
	}
	s := &r.state
	e := &Epoch{
		Epoch: s.Epoch + 1, LR: r.rate.At(s.Steps - 1),
		TrainLoss: s.LossSum / float64(s.Seen), TrainError: float64(s.Wrong) / float64(s.Seen),
	}
	if r.val != nil && (e.Epoch%r.config.EvalEvery == 0 || e.Epoch == r.config.Epochs) {
		v, err := r.validate()
		if err != nil {
			return nil, err
		}
		e.Validated, e.Loss, e.Error = true, v.loss, v.error
		s.Error = jsonFloat(e.Error)
		if e.Best = s.BestEpoch == 0 || e.Error < float64(s.Best); e.Best {
			s.Best, s.BestEpoch = jsonFloat(e.Error), e.Epoch
		}
	}
	if r.ant != nil {
		r.ant.keep()
	}
	s.Epoch, s.InEpoch, s.Seen, s.Wrong, s.LossSum = s.Epoch+1, 0, 0, 0, 0
	// Rows first: a run that is killed in between does the epoch again and finds them written.
	if err := r.log.epoch(r, e); err != nil {
		return nil, err
	}
	if e.Best {
		if err := r.saveModel(BestName); err != nil {
			return nil, err
		}
	}
	return e, r.save()
}

// validate measures the network, or the average of its weights where one is kept.
func (r *runner) validate() (*score, error) {
	if r.ema != nil {
		r.ema.Swap()
		defer r.ema.Swap()
	}
	return r.val.run(r.net, r.config.rows(r.config.Batch))
}

func allFinite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 { // NaN and infinities alone
			return false
		}
	}
	return true
}
