package train

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrDiverged is wrapped by the error of a run whose loss or weights are no longer numbers. The checkpoints before it
// are kept.
var ErrDiverged = errors.New("training diverged")

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
		e, err := r.endEpoch(ctx)
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

func (r *runner) diverged(what string) error {
	kept := "no checkpoint was written yet"
	if r.state.Epoch > 0 || r.state.Saved {
		kept = LastName + " is the last good one"
	}
	return fmt.Errorf("%w: %s (%s; a smaller lr, warmup or clip-grad may help)", ErrDiverged, what, kept)
}

// endEpoch validates, writes rows and checkpoints and moves on to the next epoch. Where ctx is canceled meanwhile it leaves a
// checkpoint of the epoch with all its steps, from which the validation is done again.
func (r *runner) endEpoch(ctx context.Context) (*Epoch, error) {
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
		v, err := r.validate(ctx)
		if err != nil && ctx.Err() != nil {
			err = errors.Join(err, r.save())
		}
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
func (r *runner) validate(ctx context.Context) (*score, error) {
	if r.ema != nil {
		r.ema.Swap()
		defer r.ema.Swap()
	}
	return r.val.run(ctx, r.net, r.rows())
}

func allFinite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 { // NaN and infinities alone
			return false
		}
	}
	return true
}
