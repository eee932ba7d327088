package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

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
		Name: r.options.Name, Model: r.graph, Samples: r.train.Len(), Val: r.val.len(), Classes: r.classes,
		Steps: steps(r.train.Len(), r.config.Batch), InMemory: r.train.InMemory(),
		StartEpoch: r.state.Epoch, StartInEpoch: r.state.InEpoch,
		Extended: r.state.Extended, Extending: r.extended(last), Dropped: r.log.dropped,
		Otherwise: r.otherwise, TrainedOn: r.earlier,
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
		return record || slices.Contains([]string{LastName, BestName, ModelName, MixsetName, ResultsName}, name)
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
	if r.networkFiles, err = r.config.glanceNetworks(); err != nil {
		return err
	}
	if r.iterative == 0 {
		if r.options.MixingSet != nil {
			r.mixing = digestMixing(r.options.MixingSet)
		}
		if err := r.useMixingSet(r.options.MixingSet); err != nil {
			return err
		}
	}
	return nil
}

// otherClasses is the error about validation data with the classes val, where the training data has others.
func otherClasses(c *Config, val, train []string) error {
	at := 0
	for at < min(len(val), len(train)) && val[at] == train[at] {
		at++
	}
	name := func(list []string) string {
		if at == len(list) {
			return "none"
		}
		return strconv.Quote(list[at])
	}
	return option.Errorf(data.ErrLabel, "{val}: %s has other classes than the training data, %s: class %d is %s and not %s (allowed: the same "+
		"classes in the same order)", c.Val, c.Data, at, name(val), name(train))
}

// readValidation makes the validator of a data set, which must have the classes of the training set.
func (r *runner) readValidation(ctx context.Context, set *dataset.Set) error {
	if a, b := set.Info().Classes, r.train.Info().Classes; len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
		return otherClasses(&r.config, a, b)
	}
	if n, err := set.Classes(); err == nil && n > r.classes {
		return fmt.Errorf("%w: the validation data has %d classes, the training data %d", data.ErrLabel, n,
			r.classes)
	}
	if err := r.checkSizes(set, r.config.valGeometry()); err != nil {
		return fmt.Errorf("validation data: %w", err)
	}
	sum, err := set.Signature(ctx)
	if err != nil {
		return fmt.Errorf("validation data: %w", err)
	}
	r.val = &validator{
		set: set, data: sum.Samples, content: sum.Content, geometry: r.config.valGeometry(), norm: r.config.norm(), classes: r.classes, w: r.w, h: r.h,
		workers: r.workers, pre: r.config.preprocess(),
	}
	if r.options.Val == nil { // a part of the training set, whose bytes are compared as a whole
		r.val.content = ""
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

// rows is how many rows the largest batch has that there are samples for.
func (r *runner) rows() int { return r.config.rows(min(r.config.Batch, r.train.Len())) }

// build makes the network and the optimizer and gives them their values.
func (r *runner) build(last *Checkpoint) error {
	var err error
	if r.graph, err = models.Build(r.config.Model, graph.Shape{H: r.h, W: r.w, C: 3}, r.classes); err != nil {
		return err
	}
	if err := r.checkNorms(); err != nil {
		return err
	}
	if r.iterative > 0 {
		if err := checkVisualization(r.graph, max(r.w, r.h)); err != nil {
			return err
		}
	}
	rows := r.rows()
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
