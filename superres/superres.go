// Package superres trains networks of super-resolution, image2image.EDSR, on images of any kind: what package mix distorts as
// DeepAugment does, and what enlarges images.
//
//	c := superres.Default()
//	c.Network = image2image.EDSR{Blocks: 4, Width: 32, Scale: 2}
//	result, err := superres.Run(ctx, c, superres.Options{File: "edsr.safetensors", Train: images})
//
// Images are made smaller by bicubic interpolation as Pillow computes it, and the network learns to undo that by the mean of the
// absolute differences (Lim et al., CVPR workshops 2017, sections 3 and 4). Every patch is a function of the seed and the
// step: a run that was stopped and resumed ends with the bytes of one that was not, with any number of workers.
package superres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/rng"
)

var (
	// ErrConfig is wrapped by the errors about a [Config].
	ErrConfig = errors.New("configuration")
	// ErrOccupied is wrapped by the errors about a file that is there, and not what is to be resumed.
	ErrOccupied = errors.New("the file is there already")
	// ErrBusy: another run writes the same file.
	ErrBusy = errors.New("output in use")
	// ErrDiverged: the loss is no longer a number.
	ErrDiverged = errors.New("training diverged")
)

// Config is what the weights depend on beside the images.
type Config struct {
	Network image2image.EDSR `json:"network"`
	Patch   int              `json:"patch"` // side of the small patches that go in, pixels
	Batch   int              `json:"batch"` // patches of a step
	Steps   int              `json:"steps"`
	LR      float64          `json:"lr"`    // learning rate of Adam
	Halve   int              `json:"halve"` // steps after which it is halved, again and again
	Held    float64          `json:"held"`  // share of the images that is held out and measured at the end, [0, 1)
	Seed    uint64           `json:"seed"`
}

// Default returns the settings of the paper for its baseline of scale 2, but for a tenth of the images held out.
func Default() Config {
	return Config{
		Network: image2image.EDSR{Blocks: 16, Width: 64, Scale: 2}, Patch: 48, Batch: 16, Steps: 300_000, LR: 1e-4, Halve: 200_000, Held: 0.1,
	}
}

// Check returns an error that wraps [ErrConfig] and says what is allowed.
func (c Config) Check() error {
	if err := c.Network.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	for _, r := range []struct {
		name    string
		value   any
		ok      bool
		allowed string
	}{
		{"patch", c.Patch, c.Patch >= 8 && c.Patch <= 1024, "8 to 1024"},
		{"batch", c.Batch, c.Batch >= 1 && c.Batch <= 4096, "1 to 4096"},
		{"steps", c.Steps, c.Steps >= 1 && c.Steps <= 1<<30, "1 to 2^30"},
		{"lr", c.LR, c.LR > 0 && !math.IsInf(c.LR, 0), "above 0"},
		{"halve", c.Halve, c.Halve >= 1, "1 and up"},
		{"held", c.Held, c.Held >= 0 && c.Held < 1, "0 and up, below 1"},
	} {
		if !r.ok {
			return option.Errorf(ErrConfig, "%v: %v (allowed: %s)", option.Key(r.name), r.value, r.allowed)
		}
	}
	return nil
}

// Options are what a run needs beside its configuration.
type Options struct {
	File    string      // of the weights, safetensors; where the run is stopped it has the state of the optimizer too
	Resume  bool        // resume from File, where it is there
	Train   data.Source // labels are not looked at; stays open
	Cache   int64       // bytes of decoded images that are kept in memory; 0: 4 GiB, negative: none
	Workers int         // 0: all cores
	Every   int         // steps between two times that File is written; 0: 1000
	OnStep  func(Step)  // after every step; nil: nobody listens
}

// Step is one step done.
type Step struct {
	Step int     // from 1
	Loss float64 // mean absolute difference, of values from 0 to 255
	LR   float64
}

// Result is how a run ended.
type Result struct {
	Images, Held  int     // that it was trained on, and that were held out
	Measured      int     // held-out images that PSNR and Bicubic are of: not those that one of the two reproduces exactly
	Loss          float64 // mean of the last tenth of the steps that this call did; NaN where it did none
	PSNR, Bicubic float64 // dB, means over those, enlarged by the network and by bicubic interpolation; NaN without
}

// run is a run under way.
type run struct {
	config   Config
	options  Options
	train    *dataset.Set
	val      *dataset.Set // nil without held-out images
	byClass  bool         // what is held out is a share of each class, as in files of older versions
	net      *nn.Net
	trained  []*nn.Tensor
	opt      nn.Adam
	step     int         // done
	written  os.FileInfo // of File, as this run has seen or written it; nil: it was not there
	patches  *patches
	gradient []float32
	losses   []float64
}

// Run trains as c says and writes the weights. Where ctx is canceled it finishes the step, writes File and returns the cause.
func Run(ctx context.Context, c Config, o Options) (res Result, err error) {
	if err := errors.Join(c.Check(), storage.CheckLocal(o.File)); err != nil {
		return Result{}, err
	}
	if o.Train == nil {
		return Result{}, option.Errorf(ErrConfig, "{train}: no images were given (allowed: an open data set)")
	}
	if o.Every == 0 {
		o.Every = 1000
	}
	if o.Cache == 0 {
		o.Cache = 4 << 30
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &run{config: c, options: o}
	release, err := r.lock()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, release()) }()
	last, err := r.claim()
	if err != nil {
		return Result{}, err
	}
	r.byClass = last != nil && !last.state.Together
	if r.train, err = dataset.Load(ctx, o.Train, max(o.Cache, 0), o.Workers); err != nil {
		return Result{}, err
	}
	// Which images are drawn chance decides, and when.
	if err := r.train.CheckSizes(ctx, o.Workers, c.checkSize); err != nil {
		return Result{}, err
	}
	content := r.train.Content()
	if c.Held > 0 {
		holdOut := r.train.HoldOutUnlabeled
		if r.byClass {
			holdOut = r.train.HoldOut
		}
		if r.train, r.val, err = holdOut(ctx, c.Held, c.Seed); errors.Is(err, dataset.ErrShare) {
			return Result{}, option.Errorf(ErrConfig, "{held}: %w", err)
		} else if err != nil {
			return Result{}, err
		}
	}
	if err := r.build(); err != nil {
		return Result{}, err
	}
	if err := r.restore(last, content); err != nil {
		return Result{}, err
	}
	for r.step < c.Steps {
		if ctx.Err() != nil {
			return Result{}, errors.Join(context.Cause(ctx), r.save(content))
		}
		if err := r.next(); err != nil {
			return Result{}, err
		}
		if r.step%o.Every == 0 && r.step < c.Steps {
			if err := r.save(content); err != nil {
				return Result{}, err
			}
		}
	}
	if err := r.save(content); err != nil {
		return Result{}, err
	}
	return r.result(ctx)
}

// build makes the network with its first weights, and the optimizer.
func (r *run) build() error {
	g, err := r.config.Network.Graph(r.config.Patch, r.config.Patch)
	if err != nil {
		return err
	}
	if r.net, err = nn.New(g, nn.Options{Workers: r.options.Workers, Batch: r.config.Batch, Train: true}); err != nil {
		return err
	}
	r.net.Init(rng.NewKey(r.config.Seed).Str("weights"))
	for _, t := range r.net.Tensors() {
		if !r.config.Network.FillShift(t.Name, t.Data) {
			r.trained = append(r.trained, t)
		}
	}
	r.net.Changed()
	r.opt.Prepare(r.trained)
	r.patches = newPatches(r.train, &r.config, r.options.Workers)
	return nil
}

// next is one step.
func (r *run) next() error {
	if err := r.patches.fill(r.step); err != nil {
		return err
	}
	out := r.net.Forward(r.patches.small, r.config.Batch, nn.Mode{Train: true})
	if r.gradient == nil {
		r.gradient = make([]float32, len(out))
	}
	loss := absolute(r.gradient, out, r.patches.large)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("%w: the loss is %v in step %d of %d (a smaller learning rate may help)", ErrDiverged, loss, r.step+1, r.config.Steps)
	}
	r.net.Backward(r.gradient)
	rate := math.Ldexp(r.config.LR, -(r.step / r.config.Halve))
	r.opt.Step(r.trained, rate)
	r.step++
	r.losses = append(r.losses, loss)
	if r.options.OnStep != nil {
		r.options.OnStep(Step{Step: r.step, Loss: loss, LR: rate})
	}
	return nil
}

// absolute returns the mean absolute difference and writes its gradient with respect to out.
func absolute(gradient, out, want []float32) float64 {
	sum, each := 0.0, 1/float32(len(out))
	for i, v := range out {
		d := v - want[i]
		switch {
		case d > 0:
			gradient[i] = each
		case d < 0:
			gradient[i] = -each
		default: // also what is no number, which the sum tells
			gradient[i] = 0
		}
		sum += math.Abs(float64(d))
	}
	return sum / float64(len(out))
}
